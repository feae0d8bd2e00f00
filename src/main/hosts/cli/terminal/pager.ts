/** Text that a user must have read before they answer: a page at a time, and the question after the last one (K6). */
import type { CliContext } from '../context.ts'
import { commandRows } from './command-text.ts'
import { textWidth } from './text-width.ts'

interface Pager {
  show(text: string, intro: string): Promise<void>
  /** Prints sentences about what was shown. */
  say(lines: readonly string[]): Promise<void>
}

/** `ask` prints a question and resolves when Enter is pressed; null if the output is no terminal: then all is printed at once. */
export function createPager(
  context: Pick<CliContext, 'err' | 'say' | 'warn'>,
  ask: ((question: string) => Promise<unknown>) | null,
): Pager {
  const { err } = context
  const screenRows = Math.max(pageRowsMin, (err.rows ?? 0) - pageMarginRows)
  let shownRows = 0

  /** Text that scrolled away was not read. */
  async function makeRoom(rows: number): Promise<void> {
    if (!ask || shownRows === 0 || shownRows + rows <= screenRows) return
    await ask('  (Enter to read on) ')
    shownRows = 0
  }

  return {
    async say(lines) {
      const columns = err.columns ?? Number.POSITIVE_INFINITY
      const rows = lines.reduce((sum, line) => sum + Math.ceil(textWidth(line) / columns || 1), 0)
      await makeRoom(rows)
      for (const line of lines) await context.say(line)
      shownRows += rows
    },
    async show(text, intro) {
      const { rows, notes } = commandRows(text, err)
      await makeRoom(rows.length + notes.length)
      await context.say(intro)
      for (const note of notes) await context.warn(note)
      await context.say('')
      shownRows += notes.length + introRows
      const pageRows = ask ? screenRows : rows.length
      for (let from = 0; from < rows.length; from += pageRows) {
        if (ask && from > 0) {
          await ask(`  (line ${from} of ${rows.length}; Enter to read on) `)
          shownRows = 0
        }
        const page = rows.slice(from, from + pageRows)
        await context.say(page.join('\n'))
        shownRows += page.length
      }
      await context.say('')
    },
  }
}

/** A page leaves room for the lines around it. */
const pageMarginRows = 4
const pageRowsMin = 5
/** The header of a list, and the blank lines around it. */
const introRows = 3
