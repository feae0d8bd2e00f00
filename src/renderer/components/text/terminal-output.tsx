/** Renders a command's output in its terminal colours, adjusted so that they are readable in the theme. */
import {
  type Color,
  type createAnsiSequenceParser,
  createColorPalette,
  type ParseToken,
} from 'ansi-sequence-parser'
import { type CSSProperties, Fragment } from 'react'
import { visibleText } from '../../../shared/text/shown-text.ts'

/**
 * `text` is from `styledTerminalText`. `parser` holds the colours in force before the text, and afterwards those at its
 * end.
 */
export function terminalPieces(parser: ReturnType<typeof createAnsiSequenceParser>, text: string) {
  return parser.parse(text).map((token, index) => {
    const value = visibleText(token.value)
    const look = lookOf(token)
    return look ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its position
      <span key={index} {...look}>
        {value}
      </span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its position
      <Fragment key={index}>{value}</Fragment>
    )
  })
}

interface Look {
  className?: string
  style?: CSSProperties
}

/** Text on a coloured background has the page's colour, which is readable on any of them. Null: plain text. */
function lookOf({ foreground, background, decorations }: ParseToken): Look | null {
  const reversed = decorations.has('reverse')
  const front = reversed ? background : foreground
  const back = reversed ? (foreground ?? inkOfTheme) : background
  const classes = [
    decorations.has('bold') && 'font-semibold',
    decorations.has('italic') && 'italic',
    decorations.has('underline') && 'underline',
    decorations.has('strikethrough') && 'line-through',
    back ? 'ansi-on' : front ? 'ansi' : decorations.has('dim') && 'text-faint',
  ].filter((name) => name !== false && name !== null)
  if (classes.length === 0) return null
  const colour = back ?? front
  return {
    className: classes.join(' '),
    ...(colour && { style: { '--ansi': colourOf(colour) } as CSSProperties }),
  }
}

const inkOfTheme: Color = { type: 'named', name: 'brightWhite' }
const palette = createColorPalette()
const firstOfCube = 16

/** Returns a theme colour, or one with the same hue and a readable lightness. */
function colourOf(color: Color): string {
  if (color.type === 'named') return named(color.name)
  if (color.type === 'table' && color.index < firstOfCube)
    return named(tableNames[color.index] ?? 'white')
  const exact = palette.value(color) ?? 'gray'
  return `light-dark(oklch(from ${exact} 0.46 min(c, 0.12) h), oklch(from ${exact} 0.79 min(c, 0.12) h))`
}

const tableNames = [
  'black',
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
  'white',
  'brightBlack',
  'brightRed',
  'brightGreen',
  'brightYellow',
  'brightBlue',
  'brightMagenta',
  'brightCyan',
  'brightWhite',
]

/** Bright colours map to the normal ones: brighter colours would be unreadable in one of the themes. */
const named = (name: string): string =>
  `var(--ansi-${name === 'brightBlack' ? 'gray' : name.replace('bright', '').toLowerCase()})`
