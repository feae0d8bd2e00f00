/** AA contrast of every pair of colours that the interface uses, read from the theme itself. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const theme = readFileSync(new URL('../../src/renderer/styles/theme.css', import.meta.url), 'utf8')

type Oklch = [lightness: number, chroma: number, hue: number]
type Side = 'light' | 'dark'

const number = '([\\d.]+)'
const colour = `oklch\\(${number} ${number} ${number}\\)`
const pairs = new Map(
  [...theme.matchAll(new RegExp(`--([\\w-]+): light-dark\\(${colour}, ${colour}\\)`, 'g'))].map(
    ([, name, ...values]) => {
      const [a, b, c, d, e, f] = values.map(Number) as [
        number,
        number,
        number,
        number,
        number,
        number,
      ]
      return [name as string, { light: [a, b, c] as Oklch, dark: [d, e, f] as Oklch }]
    },
  ),
)

const textAA = 4.5
/** Icons, borders of fields, focus rings. */
const shapeAA = 3

const surfaces = ['canvas', 'panel', 'raised', 'sunken', 'hover']
const onTint = ['green', 'amber', 'red', 'accent'].map((name) => [name, `${name}-tint`] as const)
const text = [
  ...['ink', 'muted', 'faint', 'accent', 'green', 'amber', 'red'].flatMap((name) =>
    surfaces.map((surface) => [name, surface] as const),
  ),
  ...onTint,
  ...['accent-tint', 'amber-tint', 'red-tint', 'green-tint'].flatMap(
    (tint) =>
      [
        ['ink', tint],
        ['muted', tint],
      ] as const,
  ),
  ...['accent-fill', 'accent-fill-hover', 'red-fill', 'red-fill-hover'].map(
    (fill) => ['on-fill', fill] as const,
  ),
  // A terminal's background lies under text of the colour of `sunken`: the same pairs.
  ...['black', 'gray', 'white', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'].map(
    (name) => [`ansi-${name}`, 'sunken'] as const,
  ),
  ['ink', 'match'] as const,
  ['match-current-ink', 'match-current'] as const,
  ...['comment', 'keyword', 'string', 'constant', 'function'].flatMap((token) =>
    ['sunken', 'canvas', 'green-tint', 'red-tint'].map(
      (surface) => [`code-token-${token}`, surface] as const,
    ),
  ),
]
const shapes = [
  ...['line-field', 'focus'].flatMap((name) =>
    ['canvas', 'panel', 'raised'].map((surface) => [name, surface] as const),
  ),
]

describe.each<Side>(['light', 'dark'])('the %s theme', (side) => {
  it.each(text)('text %s on %s is AA', (front, back) => {
    expect(contrast(front, back, side)).toBeGreaterThanOrEqual(textAA)
  })
  it.each(shapes)('shape %s on %s is AA', (front, back) => {
    expect(contrast(front, back, side)).toBeGreaterThanOrEqual(shapeAA)
  })
})

function contrast(front: string, back: string, side: Side): number {
  const [a, b] = [front, back].map((name) => {
    const pair = pairs.get(name)
    if (!pair) throw new Error(`theme.css has no light-dark pair --${name}`)
    return luminance(pair[side])
  }) as [number, number]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** WCAG's relative luminance, by way of linear sRGB. */
function luminance([lightness, chroma, hue]: Oklch): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clamp = (value: number) => Math.min(1, Math.max(0, value))
  const red = clamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)
  const green = clamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)
  const blue = clamp(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
