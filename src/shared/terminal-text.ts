/**
 * A command's output as a terminal would leave it, for reading: colour and cursor sequences go, and a line that was
 * written over shows its last state. The record keeps what was printed.
 */
export const terminalText = (text: string): string =>
  text
    .replace(/\u001B\[[0-?]*[ -/]*[@-~]/g, '')
    .replace(/\r\n/g, '\n')
    .replace(/[^\n]*\r(?!\n)/g, '')
