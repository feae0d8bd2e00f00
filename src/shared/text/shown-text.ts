/**
 * Text of unknown origin, with what can't be seen made visible. Nothing is ever removed: a sequence that a
 * terminal would swallow hides what runs just as well as one that it obeys (K6, V4).
 */

/** Control, format and other characters without a shape of their own. Line breaks and tabs have one. */
const hiddenSource =
  '[[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]--[\\n\\t]]'
/** In a command also what only looks like a space or has no agreed shape. */
const oddSource = '[[\\p{Zs}\\p{Co}\\p{Cn}\\u{2800}]--[\\u{20}]]'

/** Scripts whose spelling needs a joiner or a non-joiner between letters. */
const joiningScripts =
  'Arabic Syriac Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan'
const joining = joiningScripts
  .split(' ')
  .map((script) => `\\p{Script=${script}}`)
  .join('')
/** Where such a character belongs to what people write: emoji sequences, joined letters, variants of ideographs. */
const legitimateSource = [
  '\\p{RGI_Emoji}',
  '[\\p{Emoji}--[0-9#*]][\\u{fe0e}\\u{fe0f}]',
  `(?<=[${joining}])[\\u{200c}\\u{200d}](?=[${joining}])`,
  '(?<=\\p{Ideographic})[\\u{fe00}-\\u{fe0f}\\u{e0100}-\\u{e01ef}]',
].join('|')

const hidden = new RegExp(hiddenSource, 'v')
/** Made when it is first needed: for all emoji sequences that takes 20 ms, which every command would wait for. */
let hiddenInText: RegExp | null = null
const unclearInCommand = new RegExp(`${hiddenSource}|${oddSource}`, 'gv')
/** An emoji's own variation selector is honest in an `echo`; a joiner is not needed there. */
const refusedInCommand = new RegExp(
  `(?<=[\\p{Emoji}--[0-9#*]])\\u{fe0f}|(?<refused>${hiddenSource})`,
  'gv',
)
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Cyrillic and Greek have letters that look like Latin ones; no honest word of a command mixes them. */
const mixedLetters =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u
/** No language puts more on a letter; many of them cover the lines around. */
const stackedMarks = /\p{M}{4}/u

/** `␛` for Escape, `<U+202E>` for a right-to-left override: what stands in place of a hidden character. */
function visibleCharacter(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0
  if (codePoint < 0x20) return String.fromCodePoint(0x2400 + codePoint)
  if (codePoint === 0x7f) return '␡'
  return `<U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}>`
}

/**
 * Text for reading, of many lines: emoji sequences, joined letters and right-to-left words stay as they are,
 * every other hidden character is shown by `show`.
 */
export function visibleText(text: string, show = visibleCharacter): string {
  // Most texts have none, and the search for emoji sequences is slow.
  if (!hidden.test(text)) return text
  hiddenInText ??= new RegExp(`(?<legitimate>${legitimateSource})|${hiddenSource}`, 'gv')
  return text.replace(hiddenInText, (found, legitimate) => legitimate ?? show(found))
}

/** What a person or an agent wrote, of many lines, whatever ends them. */
export const readableText = (text: string): string => visibleText(text.replaceAll(/\r\n?/g, '\n'))

/** Within JSON a hidden character can be an escape, so that the document means the same. */
export function visibleJson(json: string): string {
  return visibleText(json, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

interface ShownCommand {
  /** Line by line, every character of it in order; `hidden` pieces stand for one that can't be seen. */
  lines: { text: string; hidden: boolean }[][]
  /** What makes it hard to read, one sentence each, to be shown with it. */
  notes: string[]
}

/** More than fits beside a question. */
const linesMax = 12
const lineCharsMax = 400
/** An indentation is shorter, and so is an alignment. */
const blanksMax = 40
const blankLinesMax = 3

/** A command as the person who is asked to allow it must see it: whole, in order, with nothing hidden (K6, P2). */
export function shownCommand(command: string): ShownCommand {
  const texts = command.split('\n')
  // The line break that ends the last line begins no further one.
  if (texts.length > 1 && texts.at(-1) === '') texts.pop()
  const lines = texts.map(piecesOf)
  const hiddenCount = lines.flat().filter((piece) => piece.hidden).length
  const blankLines = longest(texts.map((text) => text.trim() === ''))
  const blanks = Math.max(
    ...texts.map((text) => longest([...text].map((one) => one.trim() === ''))),
  )
  const longestLine = Math.max(...texts.map((text) => text.length))
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
 * The first character that no honest command of a repository holds (control, direction, zero-width), as
 * `U+202E on line 3`; null when there is none.
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
