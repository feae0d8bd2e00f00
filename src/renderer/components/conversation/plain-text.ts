import { visibleText } from '../../../shared/shown-text.ts'

/**
 * Terminal output as text: colour and cursor sequences go, a line that was written over shows its last
 * state, and every other hidden character shows as what it is: what reads as `exe.png` must not be
 * `gnp.exe`, and a title that was set for a terminal is text as well.
 */
export function plainText(text: string): string {
  return visibleText(
    text
      .replace(/\u001B\[[0-?]*[ -/]*[@-~]/g, '')
      .replace(/\r\n/g, '\n')
      .replace(/[^\n]*\r(?!\n)/g, ''),
  )
}
