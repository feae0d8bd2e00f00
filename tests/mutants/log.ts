import type { Mutant } from './mutant.ts'

/** Shiplog's own log: what is in it, and that nothing depends on it. */
export const logMutants: Mutant[] = [
  {
    id: 'log-unmasked',
    file: 'src/main/log/format-line.ts',
    find: 'redactPatterns(mask(cut(textOf(value), maskedCharsMax)))',
    replace: 'redactPatterns(cut(textOf(value), maskedCharsMax))',
    harm: "The log holds the project's secrets.",
    tests: ['tests/log'],
  },
  {
    id: 'log-cut-before-masking',
    file: 'src/main/log/format-line.ts',
    find: 'mask(cut(textOf(value), maskedCharsMax))',
    replace: 'mask(cut(textOf(value), valueCharsMax))',
    harm: 'The beginning of a secret at the end of a long value stays readable.',
    tests: ['tests/log'],
  },
  {
    id: 'log-through-link',
    file: 'src/main/log/log.ts',
    find: '      await refuseSymlink(dir)\n',
    replace: '',
    harm: 'A program that can replace the log folder by a link has Shiplog write into another folder.',
    tests: ['tests/log'],
  },
  {
    id: 'log-readable-by-others',
    file: 'src/main/log/log.ts',
    find: '        mode: 0o600,',
    replace: '        mode: 0o644,',
    harm: 'Other users of the machine can read titles and paths.',
    tests: ['tests/log'],
  },
  {
    id: 'log-silent-after-thousand-lines',
    file: 'src/main/log/log.ts',
    find: '      waiting--\n',
    replace: '',
    harm: 'The log ends after a thousand lines until the next start.',
    tests: ['tests/log'],
  },
]
