/** Aligned columns. On a terminal some give way, so that a row stays a line where that is possible. */
import type { Output, TextStyle } from './output.ts'
import { padEnd, padStart, textWidth, truncate } from './text-width.ts'

export interface Column {
  title: string
  align?: 'left' | 'right'
  /** It is cut when the rows are wider than the terminal; of several such columns the last one first. */
  shrinks?: boolean
}

/** A cell's text, or with a style. */
export type Cell = string | { text: string; style: TextStyle }

const gap = '  '
/** Narrower than this a shrinking column says nothing any more; the row wraps instead. */
const shrunkWidthMin = 12

/** Lines of a table with its head, each ended by a newline. An empty column is left out. */
export function renderTable(columns: Column[], rows: Cell[][], out: Output): string {
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
        const text = truncate(textOf(cell), width)
        const padded = column.align === 'right' ? padStart(text, width) : padEnd(text, width)
        return typeof cell === 'string' ? padded : out.style(cell.style, padded)
      })
      .join(gap)
      .trimEnd()

  const head = line((column) => ({ text: column.title, style: 'dim' }))
  return [head, ...rows.map((row) => line(({ index }) => row[index] ?? ''))]
    .map((text) => `${text}\n`)
    .join('')
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
