/** Rows of a command that a user is asked to allow: every line is numbered, blank ones too, and nothing is cut (K6). */
import { shownCommand } from '../../../../shared/text/shown-text.ts'
import type { Output } from './output.ts'
import { graphemesOf, padStart, textWidth } from './text-width.ts'

/** The least room for the text beside the line numbers: with less nothing is readable. */
const widthMin = 8
const tabWidth = 4

/** The rows as printed, and the remarks to print before the command. */
export function commandRows(command: string, out: Output): { rows: string[]; notes: string[] } {
  const { lines, notes } = shownCommand(command)
  const numberWidth = String(lines.length).length
  const gutterWidth = numberWidth + 5
  const width = Math.max(widthMin, (out.columns ?? Number.POSITIVE_INFINITY) - gutterWidth)
  const rows = lines.flatMap((pieces, index) =>
    wrapped(pieces, width, out).map((row, part) => {
      const number = part === 0 ? String(index + 1) : ''
      return `  ${out.style('dim', `${padStart(number, numberWidth)} │`)} ${row}`
    }),
  )
  return { rows, notes }
}

/** Cut where the row ends and nowhere else: a line wrapped by the terminal would begin outside the gutter. */
function wrapped(
  pieces: ReturnType<typeof shownCommand>['lines'][number],
  width: number,
  out: Output,
): string[] {
  const rows = ['']
  let used = 0
  for (const { text, hidden } of pieces) {
    for (const grapheme of graphemesOf(text.replaceAll('\t', ' '.repeat(tabWidth)))) {
      const taken = textWidth(grapheme)
      if (used + taken > width) {
        rows.push('')
        used = 0
      }
      rows[rows.length - 1] += hidden ? out.style('inverse', grapheme) : grapheme
      used += taken
    }
  }
  return rows
}
