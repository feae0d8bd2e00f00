/**
 * Control sequences (colours, cursor) and escapes of two or three characters (character sets, keypad). The content of
 * strings for the terminal itself (a title, a link) stays visible.
 * https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
 */
const sequences = /\u001B(?:\[[0-?]*[ -/]*[@-~]|[ -/][0-~]|[0-OQ-WYZ`-~])/g
/** Colours, bold and the like. */
const styles = /\u001B\[[\d;:]*m/g
const isStyle = /^\u001B\[[\d;:]*m$/
/** Returns to the first column, and erasures within the line, which are kept until a line is resolved. */
const rewrites = /(\r+|\u001B\[[012]?K)/
const isErasure = /^\u001B\[[012]?K$/

/**
 * Converts a command's output to the final text in a terminal: removes colour and cursor sequences, and shows the last
 * state of overwritten lines. The record keeps the original output.
 */
export const terminalText = (text: string): string =>
  text.includes('\r') || text.includes('\u001B') ? withoutStyles(styledTerminalText(text)) : text

/** Like `terminalText`, but keeps the sequences of colours and type styles. */
export const styledTerminalText = (text: string): string =>
  text
    .replace(sequences, (found) => (isStyle.test(found) || isErasure.test(found) ? found : ''))
    .replace(/\r\n/g, '\n')
    .split('\n')
    .map((line) => (rewrites.test(line) ? lastState(line) : line))
    .join('\n')

/** Returns the sequences of colours and type styles in `text`, which apply to the text after it. */
export const stylesIn = (text: string): string => text.match(styles)?.join('') ?? ''

const withoutStyles = (text: string): string => text.replace(styles, '')

/** Styles in overwritten text still apply. */
function lastState(line: string): string {
  let shown = ''
  let atStart = false
  for (const piece of line.split(rewrites)) {
    if (piece.startsWith('\r')) atStart = true
    else if (isErasure.test(piece)) {
      const erasesToEnd = !/[12]K$/.test(piece)
      // Erasing to the end of the line has an effect only from its beginning.
      if (!erasesToEnd || atStart) shown = stylesIn(shown)
    } else if (atStart && withoutStyles(piece) !== '') {
      shown = stylesIn(shown) + piece
      atStart = false
    } else shown += piece
  }
  return shown
}
