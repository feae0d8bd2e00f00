/** Determines how much of a long text is shown at first, and after each step. Pure. */

export interface TextCut {
  head: string
  /** Not shown. */
  middle: string
  tail: string
  hiddenLines: number
  /** What the next step reveals; null if it reveals all. */
  next: { lines: number; chars: number } | null
  /** The step that reveals all, if it lays out a bounded part at most; else null. */
  allStep: number | null
}

/** The first step is a preview, the second several screens. */
const headLinesMax = [16, 400] as const
const headCharsMax = [4_000, 40_000] as const
/** Each further step shows as much more, which is laid out without a visible delay. */
const stepLines = 4_000
const stepChars = 400_000
/** The first step of that size: what it shows is opened at once. */
const boundedStep = 2

const linesThrough = (step: number): number => headLinesMax[step] ?? stepLines * (step - 1)
const charsThrough = (step: number): number => headCharsMax[step] ?? stepChars * (step - 1)
/** A longer line is cut where a step ends. Less than the first step, so that each shows something. */
const wholeLineCharsMax = 2_000
/** The end of a command's output usually has its result. */
const tailLinesMax = 8
const tailCharsMax = 2_000
/** Less hidden text is not worth a click. */
const hiddenLinesMin = 8
const hiddenCharsMin = 2_000

/** `step`: 0 shows its two ends, each further one more of its beginning. Null: all of it is shown. */
export function cutText(text: string, step: number): TextCut | null {
  const headEnd = endOfLines(text, linesThrough(step), charsThrough(step))
  const tailStart = Math.max(headEnd, startOfTail(text))
  const middle = text.slice(headEnd, tailStart)
  if (isShort(middle)) return null
  const endAt = (later: number) => endOfLines(text, linesThrough(later), charsThrough(later))
  const isAllAt = (later: number) => isShort(text.slice(endAt(later), tailStart))
  const isLast = isAllAt(step + 1)
  const next = endAt(step + 1)
  return {
    head: text.slice(0, headEnd),
    middle,
    tail: text.slice(tailStart),
    hiddenLines: linesIn(middle),
    next: isLast ? null : { lines: linesIn(text.slice(headEnd, next)), chars: next - headEnd },
    allStep: isLast ? step + 1 : step < boundedStep && isAllAt(boundedStep) ? boundedStep : null,
  }
}

const isShort = (hidden: string): boolean =>
  hidden.length < hiddenCharsMin && linesIn(hidden) < hiddenLinesMin

/** The first step that shows the beginning of `text` through the character at `position`, or all of it. */
export function stepThrough(text: string, position: number): number {
  for (let step = 0; ; step += 1) {
    const end = endOfLines(text, linesThrough(step), charsThrough(step))
    if (position < end || end === text.length) return step
  }
}

/** The fold that is open while a step is shown, or was. */
export const stepKey = (foldKey: string, step: number): string => `${foldKey}:step:${step}`

/** After whole lines, unless a line is too long. */
function endOfLines(text: string, linesMax: number, charsMax: number): number {
  let end = 0
  for (let lines = 0; lines < linesMax && end < text.length; lines += 1) {
    const at = text.indexOf('\n', end)
    const next = at < 0 ? text.length : at + 1
    if (next > charsMax)
      return next - end > wholeLineCharsMax ? betweenCharacters(text, charsMax) : end
    end = next
  }
  return end
}

/** A character outside of the basic plane takes two positions. */
const betweenCharacters = (text: string, at: number): number =>
  (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at

function startOfTail(text: string): number {
  // The line break that ends the text begins no line.
  let start = text.endsWith('\n') ? text.length - 1 : text.length
  const first = Math.max(0, text.length - tailCharsMax)
  for (let lines = 0; lines < tailLinesMax; lines += 1) {
    const at = text.lastIndexOf('\n', start - 1)
    if (at < first) return lines === 0 ? betweenCharacters(text, first) : start + 1
    start = at
  }
  return start + 1
}

const linesIn = (text: string): number =>
  text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0)
