/**
 * Joins small pieces of text into whole lines of at most `width` columns, so that the output of concurrent agents is
 * not mixed within a line.
 */
import { wrap } from '../terminal/wrap.ts'

export interface LineStream {
  /** Returns the lines that this piece completes. */
  add(text: string): string[]
  /** Returns the unfinished line, if there is one. */
  flush(): string[]
}

export function createLineStream(width: number): LineStream {
  let rest = ''
  return {
    add(text) {
      const pieces = (rest + text).split('\n')
      const lines: string[] = []
      for (const [index, piece] of pieces.entries()) {
        const isLast = index === pieces.length - 1
        const wrapped = wrap(piece, width)
        if (isLast) rest = wrapped.pop() ?? ''
        lines.push(...wrapped)
      }
      return lines
    },
    flush() {
      const line = rest
      rest = ''
      return line === '' ? [] : [line]
    },
  }
}
