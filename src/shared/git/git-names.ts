/** Characters that macOS ignores in file names: joiners, direction marks, the byte order mark. */
const ignoredByMacOS = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu

/**
 * Reports whether a component of a path is `.git` on some system: in any case, with characters that macOS ignores, or, on
 * Windows, followed by dots, blanks or a stream's name, or as its short name.
 */
export function isGitName(part: string): boolean {
  const name = part.normalize('NFKC').replace(ignoredByMacOS, '').toLowerCase()
  const [file = ''] = name.split(':')
  return /^(?:\.git|git~\d+)[. ]*$/.test(file)
}
