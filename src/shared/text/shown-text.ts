/**
 * Makes hidden characters in text of unknown origin visible. Nothing is removed, because a sequence that a terminal
 * ignores can hide a command just like one that it executes (K6, V4).
 */

/** Control, format and other characters without a shape of their own. Line breaks and tabs have one. */
const hiddenSource =
  '[[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]--[\\n\\t]]'
/** In a command, also characters that look like a space or have no defined shape. */
const oddSource = '[[\\p{Zs}\\p{Co}\\p{Cn}\\u{2800}]--[\\u{20}]]'

/** Scripts whose spelling needs a joiner or a non-joiner between letters. */
const joiningScripts =
  'Arabic Syriac Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan'
const joining = joiningScripts
  .split(' ')
  .map((script) => `\\p{Script=${script}}`)
  .join('')
/** Legitimate uses of such characters: emoji sequences, joined letters, variants of ideographs. */
const legitimateSource = [
  '\\p{RGI_Emoji}',
  '[\\p{Emoji}--[0-9#*]][\\u{fe0e}\\u{fe0f}]',
  `(?<=[${joining}])[\\u{200c}\\u{200d}](?=[${joining}])`,
  '(?<=\\p{Ideographic})[\\u{fe00}-\\u{fe0f}\\u{e0100}-\\u{e01ef}]',
].join('|')

const hidden = new RegExp(hiddenSource, 'v')
/** Created on demand: the expression for all emoji sequences takes 20 ms, which would delay every command. */
let hiddenInText: RegExp | null = null
const unclearInCommand = new RegExp(`${hiddenSource}|${oddSource}`, 'gv')
/** Allows an emoji's own variation selector, as in an `echo`, but no joiners. */
const refusedInCommand = new RegExp(
  `(?<=[\\p{Emoji}--[0-9#*]])\\u{fe0f}|(?<refused>${hiddenSource})`,
  'gv',
)
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Scripts with letters that look like Latin ones. */
const lookalike = 'Cyrillic Greek Armenian Lisu Cherokee Coptic'
  .split(' ')
  .map((script) => `\\p{Script=${script}}`)
  .join('')
/** No legitimate word of a command mixes them with Latin letters. */
const mixedLetters = new RegExp(
  `\\p{Script=Latin}[${lookalike}]|[${lookalike}]\\p{Script=Latin}`,
  'u',
)
/** An address whose host has other letters than those of ASCII, with a scheme or after an `@`. */
const foreignHost = /:\/\/[^\s/"']*[^\x00-\x7f]|@[^\s/:"'@]*[^\x00-\x7f]/u
/** Full-width and mathematical letters, and signs that look like those of the shell: slashes, dots, colons, pipes. */
const lookalikeSigns =
  /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}]|[\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff5e\u2044\u2215\u2216\u29f8\u2024\ua789\u2236\u037e\u2223\u01c0\u2010-\u2015\u2212](?=[\w.\-/@$])|(?<=[\w.\-/@$])[\uff01-\uff0f\uff1a-\uff20\u2044\u2215\u2216\u29f8\u2024\ua789\u2236\u037e\u2223\u01c0]/u
/** No language has more marks on a letter; many marks cover adjacent lines. */
const stackedMarks = /\p{M}{4}/u

/** `␛` for Escape, `<U+202E>` for a right-to-left override: replaces a hidden character. */
function visibleCharacter(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0
  if (codePoint < 0x20) return String.fromCodePoint(0x2400 + codePoint)
  if (codePoint === 0x7f) return '␡'
  return `<U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}>`
}

/**
 * Converts text of many lines for reading: emoji sequences, joined letters and right-to-left words are unchanged, and
 * every other hidden character is replaced by `show`.
 */
export function visibleText(text: string, show = visibleCharacter): string {
  // Most texts have none, and the search for emoji sequences is slow.
  if (!hidden.test(text)) return text
  hiddenInText ??= new RegExp(`(?<legitimate>${legitimateSource})|${hiddenSource}`, 'gv')
  return text.replace(hiddenInText, (found, legitimate) => legitimate ?? show(found))
}

/** Like `visibleText`, with any line endings converted to `\n`. */
export const readableText = (text: string): string => visibleText(text.replaceAll(/\r\n?/g, '\n'))

/** Escapes hidden characters in JSON, so that its meaning is unchanged. */
export function visibleJson(json: string): string {
  return visibleText(json, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

export interface ShownCommand {
  /** All characters by line, in order; a `hidden` piece replaces a hidden character. */
  lines: { text: string; hidden: boolean }[][]
  /** Warnings about what makes it hard to read, one sentence each. */
  notes: string[]
}

/** More than fits into a question. */
const linesMax = 12
const lineCharsMax = 400
/** Longer than any indentation or alignment. */
const blanksMax = 40
const blankLinesMax = 3

/** Returns a command as the user must see it before allowing it: complete, in order, with nothing hidden (K6, P2). */
export function shownCommand(command: string): ShownCommand {
  const texts = command.split('\n')
  // A final line break does not start another line.
  if (texts.length > 1 && texts.at(-1) === '') texts.pop()
  const lines = texts.map(piecesOf)
  const hiddenCount = lines.flat().filter((piece) => piece.hidden).length
  const blankLines = longest(texts.map((text) => text.trim() === ''))
  const blanks = largest(texts.map((text) => longest([...text].map((one) => one.trim() === ''))))
  const longestLine = largest(texts.map((text) => text.length))
  const notes = [
    hiddenCount === 0
      ? ''
      : hiddenCount === 1
        ? 'One character in it can’t be seen; its code is shown in its place.'
        : `${hiddenCount} characters in it can’t be seen; their codes are shown in their place.`,
    texts.length > linesMax ? `It is ${texts.length} lines long: read it to its end.` : '',
    blankLines > blankLinesMax ? `It has ${blankLines} blank lines in a row.` : '',
    blanks > blanksMax ? `It has ${blanks} spaces in a row.` : '',
    longestLine > lineCharsMax ? `One of its lines has ${longestLine} characters.` : '',
    mixedLetters.test(command)
      ? 'A word in it mixes letters of several alphabets that look alike.'
      : '',
    foreignHost.test(command)
      ? 'An address in it has letters that are not of the Latin alphabet, which may look like others.'
      : '',
    lookalikeSigns.test(command)
      ? 'It has characters that look like common ones, such as a slash or a dash, but are others.'
      : '',
    stackedMarks.test(command) ? 'It has many accents on one letter, which may cover others.' : '',
    rightToLeft.test(command)
      ? 'It has right-to-left letters: their order on the screen may not be the order in which it runs.'
      : '',
  ]
  return { lines, notes: notes.filter((note) => note !== '') }
}

function piecesOf(text: string): ShownCommand['lines'][number] {
  const pieces: ShownCommand['lines'][number] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(unclearInCommand)) {
    if (index > from) pieces.push({ text: text.slice(from, index), hidden: false })
    pieces.push({ text: visibleCharacter(found), hidden: true })
    from = index + found.length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false })
  return pieces
}

/** `Math.max(...numbers)` fails for 125,000 lines, each of which is an argument. */
const largest = (numbers: number[]): number =>
  numbers.reduce((max, number) => Math.max(max, number), 0)

/** The longest run of `true`. */
function longest(flags: boolean[]): number {
  let [run, max] = [0, 0]
  for (const flag of flags) {
    run = flag ? run + 1 : 0
    max = Math.max(max, run)
  }
  return max
}

/**
 * Returns the first control, direction or zero-width character, as `U+202E on line 3`; null if there is none. No
 * legitimate command of a repository contains one.
 */
export function hiddenCharacterIn(command: string): string | null {
  for (const { index, groups } of command.matchAll(refusedInCommand)) {
    const refused = groups?.refused
    if (refused === undefined) continue
    const code = (refused.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `U+${code} on line ${command.slice(0, index).split('\n').length}`
  }
  return null
}
