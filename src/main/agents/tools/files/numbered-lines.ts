/** Prefixes each line with its number, counted from `first`, and a tab. */
export const numberedLines = (lines: readonly string[], first: number): string =>
  lines.map((line, index) => `${first + index}\t${line}`).join('\n')
