/**
 * Control sequences (colours, cursor) and escapes of two or three characters (character sets, keypad). What a
 * string for the terminal itself (a title, a link) holds stays visible, since it would not be read otherwise.
 * https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
 */
const sequences = /\u001B(?:\[[0-?]*[ -/]*[@-~]|[ -/][0-~]|[0-OQ-WYZ`-~])/g

/**
 * A command's output as a terminal would leave it, for reading: colour and cursor sequences go, and a line that was
 * written over shows its last state. The record keeps what was printed.
 */
export const terminalText = (text: string): string =>
  text
    .replace(sequences, '')
    .replace(/\r\n/g, '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n')
