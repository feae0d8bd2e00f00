import { visibleText } from './shown-text.ts'
import { terminalText } from './terminal-text.ts'

/**
 * Terminal output as text. What is hidden in it shows as what it is: what reads as `exe.png` must not be
 * `gnp.exe`, and a title that was set for a terminal is text as well.
 */
export const plainText = (text: string): string => visibleText(terminalText(text))
