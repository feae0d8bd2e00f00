/** Names from a command in the sentences about it. */
import { visibleText } from '../../../shared/text/shown-text.ts'
import { onOneLine } from './signed-lines.ts'

/** The request shows the whole of it. */
const charsMax = 120

/**
 * A name for a sentence: in quotes unless it is plain, on one line, with hidden characters shown. It must not pass for a
 * part of the sentence, which the user reads as Shiplog's own words.
 */
export function named(name: string): string {
  return /^[\w@%+./~:-]{1,120}$/.test(name) && !name.endsWith('.') ? name : quoted(name)
}

/** Like `named`, always in quotes: a repository may write a rule that reads like a sentence. */
export function quoted(name: string): string {
  const shown = visibleText(onOneLine(name)).replaceAll('“', '"').replaceAll('”', '"')
  const characters = [...shown]
  return characters.length > charsMax
    ? `“${characters.slice(0, charsMax).join('')}…”`
    : `“${shown}”`
}
