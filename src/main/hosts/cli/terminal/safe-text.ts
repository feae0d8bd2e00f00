/**
 * Makes agents' text safe for a terminal. A title or a command's output may contain escape sequences that move the
 * cursor, set the clipboard or change the direction of text: they are shown, not executed.
 */
import { visibleText } from '../../../../shared/text/shown-text.ts'

/** Text of many lines: line breaks and tabs stay. */
export function safeText(text: string): string {
  return visibleText(text.replaceAll('\r\n', '\n'))
}

/** Text for one cell or one line. */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/g, ' ')).trim()
}

/** A path for one line: it stays the same path, so that a line break in it is shown and not replaced. */
export function safePath(path: string): string {
  return visibleText(path).replaceAll('\n', '␊').replaceAll('\t', '␉')
}
