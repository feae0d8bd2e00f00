/**
 * What agents wrote, made safe for a terminal. A title or a command's output may hold escape sequences
 * that move the cursor, set the clipboard or turn the direction of text; none of them is printed.
 */
import { stripVTControlCharacters } from 'node:util'

const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g

/** Text of many lines: line breaks and tabs stay. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n'))
    .replace(controls, '')
    .replace(directionControls, '')
}

/** Text for one cell or one line. */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/g, ' ')).trim()
}
