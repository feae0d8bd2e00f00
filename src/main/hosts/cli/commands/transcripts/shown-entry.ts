/** Prepares an entry for people on a terminal. */
import type { Entry } from '../../../../../shared/records/entries.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import { terminalText } from '../../../../../shared/text/terminal-text.ts'

/** Limit of a text in a foreign entry: the first line of a Codex session has 20 KB of instructions. */
const shownCharacters = 400

/** Removes terminal sequences from the output of a command, and shortens long texts of a foreign entry. */
export function shownEntry(entry: Entry): Entry {
  if (entry.type === 'foreign')
    return { ...entry, content: shortened(entry.content) as typeof entry.content }
  return entry.type === 'tool-result' && entry.name === 'bash'
    ? { ...entry, output: terminalText(entry.output) }
    : entry
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return shortenedText(value)
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one)]))
}

function shortenedText(text: string): string {
  const left = text.length - shownCharacters
  if (left <= shownCharacters) return text
  const shown = text.slice(0, shownCharacters).toWellFormed()
  return `${shown}… [${counted(left, 'character')} more: --raw prints them]`
}
