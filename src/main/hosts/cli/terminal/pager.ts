/** Text that a user must have read before they answer: a page at a time, and the question after the last one (K6). */
import type { CliContext } from '../context.ts'
import { commandRows } from './command-text.ts'

interface Pager {
  show(text: string, intro: string): Promise<void>
  /** Reports that other lines were printed, which take this many rows. */
  printed(rows: number): void
}

/** `ask` prints a question and resolves when Enter is pressed; null if the output is no terminal: then all is printed at once. */
export function createPager(
  context: Pick<CliContext, 'err' | 'say' | 'warn'>,
  ask: ((question: string) => Promise<unknown>) | null,
): Pager {
  const { err } = context
  const screenRows = Math.max(pageRowsMin, (err.rows ?? 0) - pageMarginRows)
  let shownRows = 0
  return {
    printed(rows) {
      shownRows += rows
    },
    async show(text, intro) {
      const { rows, notes } = commandRows(text, err)
      // Text that scrolled away was not read.
      if (ask && shownRows > 0 && shownRows + rows.length + notes.length > screenRows) {
        await ask('  (Enter to read on) ')
        shownRows = 0
      }
      await context.say(intro)
      for (const note of notes) await context.warn(note)
      await context.say('')
      const pageRows = ask ? screenRows : rows.length
      for (let from = 0; from < rows.length; from += pageRows) {
        if (ask && from > 0) await ask(`  (line ${from} of ${rows.length}; Enter to read on) `)
        await context.say(rows.slice(from, from + pageRows).join('\n'))
      }
      await context.say('')
      shownRows += rows.length + notes.length + introRows
    },
  }
}

/** A page leaves room for the lines around it. */
const pageMarginRows = 4
const pageRowsMin = 5
/** The header of a list, and the blank lines around it. */
const introRows = 3
