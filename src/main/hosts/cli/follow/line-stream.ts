/**
 * Text that arrives in small pieces, given out as whole lines of at most `width` columns: so that what
 * several agents say at once does not run into each other.
 */
import { wrap } from '../terminal/wrap.ts'

export interface LineStream {
  /** The lines that this piece completes. */
  add(text: string): string[]
  /** What is left of an unfinished line. */
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
