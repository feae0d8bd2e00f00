import type { Mutant } from './mutant.ts'

/** Sessions of other tools: what is read of them, and what an import does beside what is here. */
export const importsMutants: Mutant[] = [
  {
    id: 'import-usage-of-each-record',
    file: 'src/main/imports/transcript/totals.ts',
    find: '        if (isKnown) return null\n',
    replace: '',
    harm: 'A message that its tool wrote in five records costs five times what was paid.',
    tests: ['tests/imports/claude-code.test.ts'],
  },
  {
    id: 'import-rewritten-taken-for-grown',
    file: 'src/main/imports/known-session.ts',
    find: "if (bytes < before.bytes || prefix !== before.sha256) return 'rewritten'",
    replace: "if (bytes < before.bytes) return 'rewritten'",
    harm: 'A file that its tool rewrote replaces the version that was kept.',
    tests: ['tests/imports/session-imports.test.ts'],
  },
  {
    id: 'import-deleted-file-forgotten',
    file: 'src/main/imports/known-session.ts',
    find: "return record.files.every(({ name }) => names.has(name)) ? 'grown' : 'rewritten'",
    replace: "return 'grown'",
    harm: 'A sub-agent whose file the tool deleted is removed by the next import of its session.',
    tests: ['tests/imports'],
  },
  {
    id: 'import-results-as-abandoned',
    file: 'src/main/imports/adapters/claude-code/branches.ts',
    find: 'if (!has(record, flags.message) || has(record, flags.result)) return true',
    replace: 'if (!has(record, flags.message)) return true',
    harm: 'The results of parallel calls are shown as a branch that the user abandoned.',
    tests: ['tests/imports/claude-code.test.ts'],
  },
  {
    id: 'import-parent-further-down',
    file: 'src/main/imports/adapters/claude-code/branches.ts',
    find: '    for (const [index, id] of laterParents) parents.set(index, ids.find(id) + 1)\n',
    replace: '',
    harm: 'A record that stands before its parent in the file begins a conversation of its own.',
    tests: ['tests/imports'],
  },
  {
    id: 'import-last-entries-left-out',
    file: 'src/main/imports/stage/stage-session.ts',
    find: '      if (transcript) await flush(transcript)\n',
    replace: '',
    harm: 'The last entries of each imported transcript are missing.',
    tests: ['tests/imports/claude-code.test.ts', 'tests/imports/session-imports.test.ts'],
  },
]
