import type { Mutant } from './mutant.ts'

const finding = ['tests/search/transcript-find.test.ts']
const index = ['tests/search/index.test.ts', 'tests/search/search-service.test.ts']

/** Search over everything, and in one transcript. */
export const searchMutants: Mutant[] = [
  {
    id: 'search-find-skips-before-reader',
    file: 'src/main/search/transcript/transcript-scan.ts',
    find: '  if (near === fromSeq) return\n',
    replace: '  return\n',
    harm: 'Matches above the place where the reader began to search are not found.',
    tests: finding,
  },
  {
    id: 'search-find-counts-twice',
    file: 'src/main/search/transcript/transcript-scan.ts',
    find: 'if (read.entry.seq >= near) return',
    replace: 'if (read.entry.seq > near) return',
    harm: 'Matches in the entry at the reader are counted twice.',
    tests: finding,
  },
  {
    id: 'search-find-first-of-each',
    file: 'src/main/search/transcript/transcript-scan.ts',
    find: 'event.matches += place.count',
    replace: 'event.matches += 1',
    harm: 'Several matches in one text count as one.',
    tests: finding,
  },
  {
    id: 'search-find-terminal-colours',
    file: 'src/main/search/documents.ts',
    find: "kind === 'output' ? terminalText(shown) : shown",
    replace: 'shown',
    harm: 'A word that a command printed in several colours is not found.',
    tests: finding,
  },
  {
    id: 'search-find-invalid',
    file: 'src/main/search/transcript/transcript-finder.ts',
    find: '      findPatternOf(asked.query)\n',
    replace: '',
    harm: 'An expression with a mistake is reported as a bug of Shiplog, and not what is wrong with it.',
    tests: finding,
  },
  {
    id: 'search-find-case',
    file: 'src/shared/text/find-pattern.ts',
    find: "matchCase ? 'gmu' : 'gimu'",
    replace: "matchCase ? 'gimu' : 'gimu'",
    harm: 'Match case has no effect.',
    tests: finding,
  },
  {
    id: 'search-filter-open-calls',
    file: 'src/shared/projections/transcript/filter-transcript.ts',
    find: 'for (const unit of units.end()) take(unit)',
    replace: 'units.end()',
    harm: 'A filter does not show the call that is running.',
    tests: ['tests/shared/projections/filter-transcript.test.ts'],
  },
  {
    id: 'search-filter-shell-changes',
    file: 'src/shared/projections/transcript/filter-units.ts',
    find: '(trees && call.tree !== result.tree) ||',
    replace: '',
    harm: 'Files that a command changed are missing among what changed files.',
    tests: ['tests/shared/projections/filter-transcript.test.ts'],
  },
  {
    id: 'search-unspaced-scripts',
    file: 'src/main/search/index/words.ts',
    find: "text.replaceAll(unspacedAll, ' $& ')",
    replace: 'text',
    harm: 'Words of Chinese or Japanese text are found only at the beginning of a sentence.',
    tests: index,
  },
  {
    id: 'search-excluded-words',
    file: 'src/main/search/query/match.ts',
    find: 'return unwanted.length === 0 ? all :',
    replace: 'return unwanted.length >= 0 ? all :',
    harm: 'A word that is excluded has no effect.',
    tests: index,
  },
]
