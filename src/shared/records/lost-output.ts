/** The output of a call whose outcome is unknown: a sentence, then what the call had printed. */

const before = ' Its output until then:\n'

export const withLostOutput = (sentence: string, printed: string): string =>
  printed === '' ? sentence : `${sentence}${before}${printed}`

/** Returns what the call had printed; null: nothing that was kept. */
export function lostOutputIn(output: string): string | null {
  const at = output.indexOf(before)
  return at === -1 ? null : output.slice(at + before.length)
}
