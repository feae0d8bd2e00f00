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
  {
    id: 'archive-unknown-turn-next',
    file: 'src/main/archive/transcripts.ts',
    find: 'return found?.turn === turn ? found.seq : null',
    replace: 'return found?.seq ?? null',
    harm: 'A link to a turn that does not exist shows another one.',
    tests: ['tests/archive/transcripts.test.ts'],
  },
  {
    id: 'archive-range-cuts-turn',
    file: 'src/main/archive/transcripts.ts',
    find: '        end = entry.seq\n',
    replace: '',
    harm: 'An export up to a turn leaves out what the turn did.',
    tests: ['tests/archive/transcripts.test.ts'],
  },
]
