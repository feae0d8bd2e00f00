import { visibleText } from './shown-text.ts'
import { terminalText } from './terminal-text.ts'

/**
 * Converts terminal output to text with hidden characters made visible: text that looks like `exe.png` must not be
 * `gnp.exe`, and a window title in a control sequence is shown as text.
 */
export const plainText = (text: string): string => visibleText(terminalText(text))
