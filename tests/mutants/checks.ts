import type { Mutant } from './mutant.ts'

const table = ['tests/checks/recognise.test.ts']
const real = ['tests/checks/checks.test.ts']

export const checksMutants: Mutant[] = [
  {
    id: 'checks-pipe-decides',
    harm: '`npm test | tail` counts as passed because tail did.',
    file: 'src/main/checks/recognise.ts',
    find: 'isNegated || at < node.commands.length - 1 ? never : decides',
    replace: 'isNegated ? never : decides',
    tests: table,
  },
  {
    id: 'checks-or-true',
    harm: '`npm test || true` counts as passed.',
    file: 'src/main/checks/recognise.ts',
    find: "operators.every((operator) => operator === '&&')",
    replace: 'operators.length > 0',
    tests: table,
  },
  {
    id: 'checks-first-failure',
    harm: 'A failed install is reported as failed tests.',
    file: 'src/main/checks/recognise.ts',
    find: 'failed: own.failed && isChain && isEnd && before,',
    replace: 'failed: own.failed && isChain && isEnd,',
    tests: table,
  },
  {
    id: 'checks-always-fresh',
    harm: 'Tests that passed before the last change seem to hold for it.',
    file: 'src/main/checks/checks.ts',
    find: "if (tree === last) return { state: 'fresh', ...none }",
    replace: "if (tree !== null) return { state: 'fresh', ...none }",
    tests: real,
  },
  {
    id: 'checks-oldest-run',
    harm: 'The first run of a command hides that it passed later, or failed.',
    file: 'src/main/checks/checks.ts',
    find: 'newest.delete(found.command)\n',
    replace: 'if (newest.has(found.command)) continue\n',
    tests: real,
  },
  {
    id: 'checks-scope',
    harm: 'An agent reads what others checked.',
    file: 'src/main/rpc/router.ts',
    find: 'deps.checks.list(inScope(input))',
    replace: 'deps.checks.list(taskId(input.taskId))',
    tests: real,
  },
  {
    id: 'record-server-scope',
    harm: 'An agent lists tasks that are not below it.',
    file: 'src/main/record-tools/answers.ts',
    find: '(treeOf(tasks, scope)?.children ?? [])',
    replace: 'newest',
    tests: ['tests/cli/processes/mcp.test.ts'],
  },
  {
    id: 'record-server-hidden-characters',
    harm: 'A transcript shows a reader one text and has another.',
    file: 'src/main/hosts/mcp/text-tools.ts',
    find: "return { content: [{ type: 'text', text: visibleText(text) }] }",
    replace: "return { content: [{ type: 'text', text }] }",
    tests: ['tests/cli/processes/mcp.test.ts'],
  },
  {
    id: 'checks-cut-output-as-passed',
    file: 'src/main/checks/checks.ts',
    find: "end !== 'known' && found.outcome === 'passed' ? 'unclear' : found.outcome",
    replace: 'found.outcome',
    harm: 'Tests that were killed half-way are listed as passed.',
    tests: ['tests/checks'],
  },
  {
    id: 'checks-never-ran-forgotten',
    file: 'src/main/checks/checks.ts',
    find: 'project.known.filter(({ kind }) => !covered.has(kind))',
    replace: 'project.known.filter(() => covered.size === 0)',
    harm: 'That the tests of a project never ran is not said as soon as a build did.',
    tests: ['tests/checks'],
  },
  {
    id: 'checks-missing-tree-as-fresh',
    file: 'src/main/checks/checks.ts',
    find: "if ((await turns.missing([tree, last])).length > 0) return { state: 'unknown', ...none }",
    replace:
      "if ((await turns.missing([tree, last])).length > 0) return { state: 'fresh', ...none }",
    harm: 'A check on files that are no longer known is called fresh.',
    tests: ['tests/checks'],
  },
]
