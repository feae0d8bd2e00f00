import type { Mutant } from './mutant.ts'

/** Barriers and healing below the record. */
export const journalMutants: Mutant[] = [
  {
    id: 'journal-torn-tail-unsynced',
    file: 'src/main/journal/heal.ts',
    find: 'await writeFully(handle, chunk)\n    await handle.sync()',
    replace: 'await writeFully(handle, chunk)',
    harm: 'After a power cut, the bytes of a torn tail are gone from the journal and from the file that keeps them.',
    tests: ['tests/crash/barriers.test.ts', 'tests/journal'],
  },
  {
    id: 'journal-cut-unsynced',
    file: 'src/main/journal/heal.ts',
    find: 'await handle.truncate(bytes)\n  await handle.sync()',
    replace: 'await handle.truncate(bytes)',
    harm: 'After a power cut, records appended after healing follow the torn bytes on the same line.',
    tests: ['tests/crash/barriers.test.ts', 'tests/journal', 'tests/crash/layers.test.ts'],
  },
  {
    id: 'journal-copied-file-unsynced',
    file: 'src/main/journal/move.ts',
    find: '      await target.sync()\n',
    replace: '',
    harm: 'A transcript moved to another file system is empty after a power cut, and its source is deleted.',
    tests: ['tests/crash/barriers.test.ts', 'tests/crash/layers.test.ts', 'tests/journal'],
  },
]
