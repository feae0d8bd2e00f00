/** Text broken into lines that fit. */
import { textWidth, truncate } from './text-width.ts'

/** The lines of a text, broken at spaces. A word longer than the width is left whole, for it may be a path to copy. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<=\s)/)) {
    if (line !== '' && textWidth((line + word).trimEnd()) > width) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += word
  }
  lines.push(line)
  return lines
}

/** Narrower than this, wrapped text is a column of words. */
const wrapWidthMin = 20

/**
 * The lines of a paragraph, each indented by `lead` columns; one line if `columns` is null. If there are more than
 * `linesMax`, the last one that is kept is cut.
 */
export function paragraph(
  text: string,
  { lead, columns, linesMax }: { lead: number; columns: number | null; linesMax?: number },
): string[] {
  const width = columns === null ? Number.POSITIVE_INFINITY : Math.max(wrapWidthMin, columns - lead)
  const lines = wrap(text, width)
  const shown = lines.slice(0, linesMax)
  if (shown.length < lines.length) {
    const last = shown.length - 1
    shown[last] = truncate(`${shown[last]} ${lines[shown.length]}`, width)
  }
  return shown.map((line) => ' '.repeat(lead) + line.trimEnd())
}
