/** Texts fitted to columns of a terminal: East Asian and emoji characters take two, colours none. */
import stringWidth from 'string-width'

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export const textWidth: (text: string) => number = stringWidth

/** Grapheme clusters: what a reader sees as single characters. */
export const graphemesOf = (text: string): string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment)

/** The text cut to `width` columns, the last of them an ellipsis when something was cut. */
export function truncate(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  let room = width - 1
  for (const { segment } of graphemes.segment(text)) {
    room -= textWidth(segment)
    if (room < 0) break
    kept += segment
  }
  return width > 0 ? `${kept.trimEnd()}…` : ''
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text
}
