/**
 * Tables. On a terminal the columns are aligned, and some shrink so that a row stays one line where that is possible.
 * Elsewhere nothing is cut or padded: one long title would make every line as long.
 */
import type { Output, TextStyle } from './output.ts'
import { padEnd, padStart, textWidth, truncate } from './text-width.ts'
import { paragraph } from './wrap.ts'

interface Column {
  title: string
  align?: 'left' | 'right'
  /** Whether the column is cut when the rows are wider than the terminal; of several such columns the last one first. */
  shrinks?: boolean
}

/** A cell's text, or with a style. */
export type Cell = string | { text: string; style: TextStyle }

/** A note on the row above: below one of its columns, as wide as the terminal allows. */
interface Note {
  note: string
  /** The column that it begins under, by its place among all. */
  under: number
  /** The prefix of each of its lines: the branches of a tree. */
  lead?: string
}
export type Row = Cell[] | Note

const gap = '  '
/** A narrower column would be unreadable; the row wraps instead. */
const shrunkWidthMin = 12

/** The rest of a longer note is shown only with the task itself. */
const noteLinesMax = 3

/** Lines of a table with its head, each ended by a newline. An empty column is left out. */
export function renderTable(columns: Column[], lines: Row[], out: Output): string {
  const rows = lines.filter((line) => Array.isArray(line))
  const shown = columns.flatMap((column, index) =>
    rows.some((row) => textOf(row[index]) !== '') ? [{ ...column, index }] : [],
  )
  const widths = shown.map(({ title, index }) =>
    Math.max(textWidth(title), ...rows.map((row) => textWidth(textOf(row[index])))),
  )
  shrinkToFit(shown, widths, out.columns)

  const line = (cellOf: (column: (typeof shown)[number]) => Cell): string =>
    shown
      .map((column, position) => {
        const cell = cellOf(column)
        const width = widths[position] ?? 0
        if (!out.isTTY) return textOf(cell)
        const text = truncate(textOf(cell), width)
        const padded = column.align === 'right' ? padStart(text, width) : padEnd(text, width)
        return typeof cell === 'string' ? padded : out.style(cell.style, padded)
      })
      .join(gap)
      .trimEnd()

  function linesOf({ note, under, lead = '' }: Note): string[] {
    const before = shown.flatMap(({ index }, position) =>
      index < under ? [(widths[position] ?? 0) + gap.length] : [],
    )
    // Without columns it is indented slightly below its row.
    const start = out.isTTY ? before.reduce((sum, width) => sum + width, 0) : gap.length
    const room = { lead: start + textWidth(lead), columns: out.columns, linesMax: noteLinesMax }
    return paragraph(note, room).map(
      (text) => ' '.repeat(start) + lead + out.style('dim', text.trimStart()),
    )
  }

  const head = line((column) => ({ text: column.title, style: 'dim' }))
  const body = lines.flatMap((row) =>
    Array.isArray(row) ? [line(({ index }) => row[index] ?? '')] : linesOf(row),
  )
  return [head, ...body].map((text) => `${text}\n`).join('')
}

function shrinkToFit(columns: Column[], widths: number[], available: number | null): void {
  if (available === null) return
  for (const [index, column] of [...columns.entries()].reverse()) {
    if (!column.shrinks) continue
    const used = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1))
    const width = widths[index] ?? 0
    widths[index] = Math.min(width, Math.max(shrunkWidthMin, width - (used - available)))
  }
}

const textOf = (cell: Cell | undefined): string =>
  typeof cell === 'string' ? cell : (cell?.text ?? '')
