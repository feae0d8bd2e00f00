/**
 * Cuts long Markdown into pieces that can be shown one by one. It cuts between blocks where it can; a
 * block that is too long itself is cut between lines, and a fence or a table goes on in the next piece.
 * A reference is found only by links of its own piece.
 */

/** About four screens. Making more than this at once is felt: a kilobyte can be 300 elements. */
const pieceCharsMax = 8_000

/** Whoever asks for more waits a little longer, and has not to ask so often. */
const furtherFactor = 3

/** At least one piece; the first is not much longer than `charsMax`, and no other than three times that. */
export function markdownPieces(text: string, charsMax = pieceCharsMax): string[] {
  // The rest of a piece is not worth a click.
  if (text.length <= charsMax * 1.5) return [text]
  const pieces: string[] = []
  let lines: string[] = []
  let length = 0
  let open: Open = null
  const cut = () => {
    const closing = open?.kind === 'fence' ? [open.marker] : []
    pieces.push([...lines, ...closing].join('\n'))
    lines = open ? [...open.opening] : []
    length = lines.join('\n').length
  }
  const most = () => (pieces.length === 0 ? charsMax : charsMax * furtherFactor)
  const source = text.split('\n').flatMap((line) => slices(line, charsMax))
  for (const [index, line] of source.entries()) {
    const isApart = open === null && source[index - 1]?.trim() === '' && !/^\s/.test(line)
    const isLine = open?.kind === 'fence' || !/^\s/.test(line)
    if (
      (length >= most() * 0.75 && isApart) ||
      (length >= most() && isLine) ||
      length >= most() * 1.5
    )
      cut()
    lines.push(line)
    length += line.length + 1
    open = openAfter(open, line, source[index - 1])
  }
  pieces.push(lines.join('\n'))
  return pieces
}

/** A block that a line stands in, and the lines that begin it anew. */
type Open =
  | { kind: 'fence'; marker: string; opening: string[] }
  | { kind: 'table'; opening: string[] }
  | null

function openAfter(open: Open, line: string, before = ''): Open {
  if (open?.kind === 'fence') {
    const closes = line.trim().startsWith(open.marker) && /^(.)\1*$/.test(line.trim())
    return closes ? null : open
  }
  const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
  if (marker) return { kind: 'fence', marker, opening: [line] }
  if (open) return line.includes('|') ? open : null
  const underHeader = before.includes('|') && /^[\s|:-]*-[\s|:-]*$/.test(line)
  return underHeader ? { kind: 'table', opening: [before, line] } : null
}

function slices(line: string, charsMax: number): string[] {
  if (line.length <= charsMax) return [line]
  const found: string[] = []
  for (let at = 0; at < line.length; at += charsMax) found.push(line.slice(at, at + charsMax))
  return found
}
