/** An entry as a person reads it on a terminal; `--raw` prints what was recorded. */
import type { Entry } from '../../../../../shared/records/entries.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import { terminalText } from '../../../../../shared/text/terminal-text.ts'

/** Limit for a text in a record of another tool: the first line of a Codex session has 20 KB of instructions. */
const shownCharacters = 400

/**
 * Without terminal sequences in a command's output, which its command keeps, and with long texts in a foreign entry
 * cut; any other entry as it is.
 */
export function shownEntry(entry: Entry): Entry {
  if (entry.type === 'foreign')
    return { ...entry, content: folded(entry.content) as typeof entry.content }
  return entry.type === 'tool-result' && entry.name === 'bash'
    ? { ...entry, output: terminalText(entry.output) }
    : entry
}

function folded(value: unknown): unknown {
  if (typeof value === 'string') return foldedText(value)
  if (Array.isArray(value)) return value.map(folded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, folded(one)]))
}

function foldedText(text: string): string {
  const left = text.length - shownCharacters
  if (left <= shownCharacters) return text
  const shown = text.slice(0, shownCharacters).toWellFormed()
  return `${shown}… [${counted(left, 'character')} more: --raw prints them]`
}
