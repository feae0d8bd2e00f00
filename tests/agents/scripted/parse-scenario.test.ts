import { describe, expect, it } from 'vitest'
import { parseScenario } from '../../../src/main/agents/scripted/parse-scenario.ts'
import { ScenarioError } from '../../../src/main/agents/scripted/scenario.ts'

const whole = `version: 1
name: fix-the-parser
agents:
  lead:
    turns:
      - think: The tests first.
      - say: "Looking at {{cwd}} for: {{prompt}}"
      - steps:
          - say: I will ask a tester and keep working.
          - call: task
            with: { agent: tester, title: Add tests, prompt: Cover the parser, background: true }
          - call: write_file
            with: { path: notes/plan.md, content: "# Plan\\n" }
      - call: task_await
        with: { tasks: all }
      - call: task_apply_patch
        with: { task: "Add tests" }
      - call: bash
        with: { command: "git add -A && git commit -qm 'Plan and tests'" }
      - wait: 200ms
      - report: { title: Parser fixed, markdown: "Done. The tester said:\\n\\n{{last.output}}" }
  tester:
    turns:
      - call: task_list
      - fail: No tests here.
`

describe('a scenario', () => {
  it('is read whole', () => {
    const scenario = parseScenario(whole, 'dir/fix.yaml')
    expect(scenario.name).toBe('fix-the-parser')
    expect(scenario.rootAgent).toBe('lead')
    expect(scenario.agents.get('lead')?.turns).toEqual([
      [{ kind: 'think', text: 'The tests first.' }],
      [{ kind: 'say', text: 'Looking at {{cwd}} for: {{prompt}}' }],
      [
        { kind: 'say', text: 'I will ask a tester and keep working.' },
        {
          kind: 'call',
          name: 'task',
          input: {
            agent: 'tester',
            title: 'Add tests',
            prompt: 'Cover the parser',
            background: true,
          },
        },
        { kind: 'call', name: 'write_file', input: { path: 'notes/plan.md', content: '# Plan\n' } },
      ],
      [{ kind: 'call', name: 'task_await', input: { tasks: 'all' } }],
      [{ kind: 'call', name: 'task_apply_patch', input: { task: 'Add tests' } }],
      [
        {
          kind: 'call',
          name: 'bash',
          input: { command: "git add -A && git commit -qm 'Plan and tests'" },
        },
      ],
      [{ kind: 'wait', durationMs: 200 }],
      [
        {
          kind: 'call',
          name: 'agent_report',
          input: { title: 'Parser fixed', markdown: 'Done. The tester said:\n\n{{last.output}}' },
        },
      ],
    ])
    expect(scenario.agents.get('tester')?.turns).toEqual([
      [{ kind: 'call', name: 'task_list', input: {} }],
      [{ kind: 'fail', message: 'No tests here.' }],
    ])
  })

  it('takes its name from the file if it has none', () => {
    const text = 'version: 1\nagents: { lead: { turns: [ say: Hello ] } }\n'
    expect(parseScenario(text, 'some/dir/hello.yml').name).toBe('hello')
  })

  it('keeps the agents in the order of the file, numbers too', () => {
    const text =
      'version: 1\nname: n\nagents:\n  b: { turns: [{say: x}] }\n  1: { turns: [{say: x}] }\n'
    expect([...parseScenario(text, 'f').agents.keys()]).toEqual(['b', '1'])
  })

  it('may reuse a part by an alias', () => {
    const text = 'version: 1\nname: n\nagents:\n  a: &a { turns: [{say: x}] }\n  b: *a\n'
    expect(parseScenario(text, 'f').agents.get('b')?.turns).toEqual([[{ kind: 'say', text: 'x' }]])
  })

  it('does not replace placeholders when it is read', () => {
    const turns = (step: string) => `version: 1\nname: n\nagents: { a: { turns: [ ${step} ] } }\n`
    for (const step of [
      '{ call: task_await, with: { tasks: "{{last.output}}" } }',
      '{ call: task_await, with: { tasks: all, timeout: "{{prompt}}" } }',
      '{ call: task, with: { agent: "{{prompt}}", title: t, prompt: p } }',
    ])
      expect(parseScenario(turns(step), 'f').agents.size).toBe(1)
  })
})

/** Lines 1 to 4; the turns of the only agent begin in line 5. */
const turns = (lines: string) =>
  `version: 1\nname: n\nagents:\n  lead: { turns: [{ say: x }] }\n  other:\n    turns:\n${lines}`

const bomb = `version: 1
name: &a [x, x, x, x, x, x, x, x, x, x]
agents:
  a: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
  b: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
  c: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
  d: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]
  e: [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]
`

const refusals: [what: string, text: string, line: number, key: string, message: RegExp][] = [
  ['an empty file', '', 1, 'file', /expected keys/],
  ['a list', '- 1\n', 1, 'file', /expected keys/],
  ['a missing version', 'name: n\nagents: {a: {turns: [{say: x}]}}\n', 1, 'version', /is missing/],
  ['another version', 'version: 2\nname: n\n', 1, 'version', /expected 1/],
  ['a version that is a text', 'name: n\nversion: "1"\n', 2, 'version', /expected 1/],
  ['an unknown key at the top', 'version: 1\nextra: 1\n', 2, 'extra', /version, name, agents/],
  ['no agents', 'version: 1\nname: n\n', 1, 'agents', /is missing/],
  ['an empty map of agents', 'version: 1\nagents: {}\n', 2, 'agents', /no agents/],
  [
    'a name that is a number',
    'version: 1\nname: 7\nagents: {a: {turns: [{say: x}]}}\n',
    2,
    'name',
    /a text, found 7/,
  ],
  [
    'an unknown key of an agent',
    'version: 1\nagents:\n  a:\n    turn: []\n',
    4,
    'turn',
    /expected turns/,
  ],
  [
    'an agent that is a list',
    'version: 1\nagents:\n  a: []\n',
    3,
    'a',
    /keys with values, found a list/,
  ],
  ['an agent without turns', 'version: 1\nagents:\n  a: {}\n', 3, 'turns', /is missing/],
  ['empty turns', 'version: 1\nagents:\n  a:\n    turns: []\n', 4, 'turns', /is empty/],
  ['turns that are none', 'version: 1\nagents:\n  a:\n    turns: hello\n', 4, 'turns', /a list/],
  [
    'a turn that is a text',
    turns('      - hello\n'),
    7,
    'turns',
    /keys with values, found "hello"/,
  ],
  ['an unknown step', turns('      - say: x\n      - shout: y\n'), 8, 'shout', /unknown key/],
  [
    'two steps in one',
    turns('      - say: x\n        think: y\n'),
    8,
    'think',
    /say beside it.*several go into steps/,
  ],
  [
    'a step beside steps',
    turns('      - steps: [{say: x}]\n        wait: 1s\n'),
    8,
    'wait',
    /in steps/,
  ],
  ['empty steps', turns('      - steps: []\n'), 7, 'steps', /is empty/],
  [
    'steps within steps',
    turns('      - steps:\n          - steps: [{say: x}]\n'),
    8,
    'steps',
    /unknown key/,
  ],
  ['an empty step', turns('      - {}\n'), 7, 'turns', /expected one of think/],
  ['a text that is a number', turns('      - say: 42\n'), 7, 'say', /a text, found 42/],
  ['a text that is nothing', turns('      - think:\n'), 7, 'think', /a text, found null/],
  ['with without call', turns('      - with: { a: 1 }\n'), 7, 'with', /expected one of/],
  [
    'with beside say',
    turns('      - say: x\n        with: { a: 1 }\n'),
    8,
    'with',
    /with call only/,
  ],
  ['an unknown tool', turns('      - call: fly\n'), 7, 'call', /no tool named "fly".*read_file/],
  [
    'with that is a list',
    turns('      - call: bash\n        with: [ls]\n'),
    8,
    'with',
    /keys with values/,
  ],
  [
    'an unknown key of a tool',
    turns('      - call: bash\n        with:\n          command: ls\n          cwd: /\n'),
    10,
    'cwd',
    /bash takes: command, timeoutMs/,
  ],
  [
    'a misspelt key of a tool, which is then missing',
    turns('      - call: bash\n        with:\n          comand: ls\n'),
    9,
    'comand',
    /bash takes: command, timeoutMs/,
  ],
  ['a missing key of a tool', turns('      - call: bash\n'), 7, 'command', /is missing/],
  [
    'a wrong type of a tool',
    turns('      - call: bash\n        with:\n          command: 5\n'),
    9,
    'command',
    /give a string/,
  ],
  [
    'a wrong choice',
    turns(
      '      - call: task\n        with:\n          agent: lead\n          title: t\n          prompt: p\n          isolation: none\n',
    ),
    12,
    'isolation',
    /worktree/,
  ],
  [
    'a wrong item',
    turns('      - call: task_await\n        with: { tasks: [1] }\n'),
    8,
    'tasks',
    /"all" or/,
  ],
  [
    'an unknown agent',
    turns('      - call: task\n        with: { agent: ghost, title: t, prompt: p }\n'),
    8,
    'agent',
    /no agent named "ghost".*lead, other/,
  ],
  ['a bad duration', turns('      - wait: soon\n'), 7, 'wait', /200ms/],
  ['a duration without a unit', turns('      - wait: 5\n'), 7, 'wait', /200ms/],
  ['a duration of years', turns('      - wait: 9999h\n'), 7, 'wait', /200ms/],
  [
    'a bad time limit',
    turns('      - call: task_await\n        with: { tasks: all, timeout: soon }\n'),
    8,
    'timeout',
    /200ms/,
  ],
  [
    'a report without a title',
    turns('      - report: { markdown: x }\n'),
    7,
    'title',
    /is missing/,
  ],
  ['a report that is a text', turns('      - report: done\n'), 7, 'report', /keys with values/],
  [
    'an unknown key of a report',
    turns('      - report: { title: t, markdown: m, body: b }\n'),
    7,
    'body',
    /agent_report takes: title/,
  ],
  [
    'steps after a report',
    turns('      - steps:\n          - report: { title: t, markdown: m }\n          - say: more\n'),
    8,
    'report',
    /never be played/,
  ],
  [
    'a key that is there twice',
    turns(
      '      - say: x\n      - call: bash\n        with:\n          command: ls\n          command: rm\n',
    ),
    11,
    'command',
    /is there twice/,
  ],
  [
    'an agent that is there twice',
    'version: 1\nagents:\n  a: {turns: [{say: x}]}\n  a: {turns: [{say: y}]}\n',
    4,
    'a',
    /is there twice/,
  ],
  ['malformed YAML', 'version: 1\nname: [1\nagents: 2\n', 3, 'agents', /malformed YAML/],
  ['a tab as indentation', 'version: 1\nagents:\n\ta: 1\n', 3, 'a', /malformed YAML/],
  ['several documents', 'version: 1\n---\nversion: 1\n', 2, 'version', /malformed YAML/],
  ['an alias to nothing', 'version: 1\nname: *gone\n', 2, 'name', /&gone/],
  ['a key that is a map', 'version: 1\n? { a: 1 }\n: 2\n', 2, 'version', /key must be a word/],
  ['an alias bomb', bomb, 8, 'e', /holds too much/],
  ['an alias to itself', 'version: 1\nname: n\nagents: &a\n  a: *a\n', 4, 'a', /stands within &a/],
  ['a binary file', 'PK\u0003\u0004\ndata\0', 1, 'file', /not a text file in UTF-8: .*U\+0003$/],
  ['a file in UTF-16', 'v\0e\0r\0', 1, 'file', /U\+0000/],
  ['a long text in place of keys', 'x '.repeat(5000), 1, 'file', /^.{0,200}…$/],
  ['a huge file', `# ${'x'.repeat(2 * 1024 * 1024)}`, 1, 'file', /larger than/],
]

describe('a scenario is refused for', () => {
  it.each(refusals)('%s', (_, text, line, key, message) => {
    let error: unknown
    try {
      parseScenario(text, 'demo.yaml')
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(ScenarioError)
    expect(error).toMatchObject({ kind: 'scenario', file: 'demo.yaml', key, line })
    expect((error as Error).message).toMatch(message)
    expect((error as Error).message).toContain(`demo.yaml:${line}: ${key}: `)
  })
})
