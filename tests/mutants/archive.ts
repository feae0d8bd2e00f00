import type { Mutant } from './mutant.ts'

/** Recorded sessions as they are read: pages, turns, values and files. */
export const archiveMutants: Mutant[] = [
  {
    id: 'archive-outline-item-lost',
    file: 'src/main/archive/transcripts.ts',
    find: 'const begun = fold.open?.seq ?? entry.seq',
    replace: 'const begun = entry.seq',
    harm: 'A turn at the border of two pages is missing from the outline.',
    tests: ['tests/archive/transcripts.test.ts', 'tests/archive'],
  },
]
