/** Determines how much of a long text is shown at first, and after each step. Pure. */

/** 0: its two ends; 1: more of its beginning; 2: all of it. */
export type TextStep = 0 | 1 | 2

interface TextCut {
  head: string
  /** Not shown. */
  middle: string
  tail: string
  hiddenLines: number
  /** The number of lines that the next step reveals; null if it reveals all. */
  nextLines: number | null
}

/** The first step is a preview, the second several screens. */
const headLinesMax = [16, 400] as const
const headCharsMax = [4_000, 40_000] as const
/** The end of a command's output usually has its result. */
const tailLinesMax = 8
const tailCharsMax = 2_000
/** Less hidden text is not worth a click. */
const hiddenLinesMin = 8
const hiddenCharsMin = 2_000

/** Null: all of it is shown. */
export function cutText(text: string, step: TextStep): TextCut | null {
  if (step === 2) return null
  const headEnd = endOfLines(text, headLinesMax[step], headCharsMax[step])
  const tailStart = Math.max(headEnd, startOfTail(text))
  const middle = text.slice(headEnd, tailStart)
  const hiddenLines = linesIn(middle)
  if (hiddenLines < hiddenLinesMin && middle.length < hiddenCharsMin) return null
  const next = step === 0 ? endOfLines(text, headLinesMax[1], headCharsMax[1]) : null
  return {
    head: text.slice(0, headEnd),
    middle,
    tail: text.slice(tailStart),
    hiddenLines,
    nextLines:
      next === null || next + hiddenCharsMin >= tailStart
        ? null
        : linesIn(text.slice(headEnd, next)),
  }
}

/** The first step that shows the beginning of `text` through the character at `position`. */
export function stepThrough(text: string, position: number): TextStep {
  if (position < endOfLines(text, headLinesMax[0], headCharsMax[0])) return 0
  return position < endOfLines(text, headLinesMax[1], headCharsMax[1]) ? 1 : 2
}

/** After whole lines, unless a line is too long. */
function endOfLines(text: string, linesMax: number, charsMax: number): number {
  let end = 0
  for (let lines = 0; lines < linesMax; lines += 1) {
    const at = text.indexOf('\n', end)
    if (at < 0) return text.length > charsMax ? Math.max(end, charsMax) : text.length
    if (at + 1 > charsMax) return Math.max(end, charsMax)
    end = at + 1
  }
  return end
}

function startOfTail(text: string): number {
  // The line break that ends the text begins no line.
  let start = text.endsWith('\n') ? text.length - 1 : text.length
  const first = Math.max(0, text.length - tailCharsMax)
  for (let lines = 0; lines < tailLinesMax; lines += 1) {
    const at = text.lastIndexOf('\n', start - 1)
    if (at < first) return lines === 0 ? first : start
    start = at
  }
  return start + 1
}

const linesIn = (text: string): number =>
  text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0)
