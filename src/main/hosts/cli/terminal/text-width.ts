/** How many columns of a terminal a text takes: two for East Asian and emoji characters. */
import { stripVTControlCharacters } from 'node:util'

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u
const zeroWidth = /^[\p{Mark}\p{Cf}]+$/u

/** Colour sequences take no room. */
export function textWidth(text: string): number {
  let width = 0
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text))) {
    width += graphemeWidth(segment)
  }
  return width
}

/** The text cut to `width` columns, the last of them an ellipsis when something was cut. */
export function truncate(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  let room = width - 1
  for (const { segment } of graphemes.segment(text)) {
    room -= graphemeWidth(segment)
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

function graphemeWidth(grapheme: string): number {
  if (zeroWidth.test(grapheme)) return 0
  return wide.test(grapheme) ? 2 : 1
}
