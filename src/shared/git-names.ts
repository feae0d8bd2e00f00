/** Characters that macOS passes over in a file's name: joiners, direction marks, the byte order mark. */
const passedOver = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu

/**
 * True of one part of a path that some system takes for `.git`: in capitals, with what macOS passes over in it,
 * or, on Windows, with dots, blanks or a stream's name behind it, or as its short name.
 */
export function isGitName(part: string): boolean {
  const name = part.normalize('NFKC').replace(passedOver, '').toLowerCase()
  const [file = ''] = name.split(':')
  return /^(?:\.git|git~\d+)[. ]*$/.test(file)
}
