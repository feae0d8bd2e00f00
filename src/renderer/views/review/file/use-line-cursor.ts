import { type RefObject, useEffect, useState } from 'react'
import type { PatchLine } from '../../../components/diff/file-patch.tsx'
import type { linesOfPatch } from './patch-lines.ts'
import { scrollToNearest } from './scroll-below-header.ts'

type Line = ReturnType<typeof linesOfPatch>[number]

interface LineCursor {
  /** The line that keys act on; null if there is none or it is hidden. */
  line: Line | null
  /** Moves the cursor without scrolling. */
  put(line: PatchLine): void
  move(by: 1 | -1): void
  /** Hides the cursor until it moves; called when the pointer moves. */
  hide(): void
}

/** The space around the line that stays in view. */
const marginPx = 40

/** A cursor in the lines of a patch, so that each line can be reached by keyboard. */
export function useLineCursor(
  lines: readonly Line[],
  frame: { content: RefObject<HTMLElement | null>; heading: RefObject<HTMLElement | null> },
): LineCursor {
  const [{ at, scrolls, shown }, setAt] = useState<{
    at: PatchLine | null
    scrolls: boolean
    shown: boolean
  }>({ at: null, scrolls: false, shown: false })
  const index = at ? lines.findIndex(({ side, line }) => side === at.side && line === at.line) : -1
  useEffect(() => {
    const [content, heading] = [frame.content.current, frame.heading.current]
    if (!scrolls || !at) return
    // The diff renderer marks the line after this render.
    const request = requestAnimationFrame(() => {
      const diff = content?.querySelector('.diff')
      const marked = diff?.shadowRoot?.querySelector('[data-selected-line]')
      if (marked) scrollToNearest(marked, { content, heading }, marginPx)
    })
    return () => cancelAnimationFrame(request)
  }, [at, scrolls, frame.content, frame.heading])
  return {
    line: shown ? (lines[index] ?? null) : null,
    put: (line) => setAt({ at: line, scrolls: false, shown: true }),
    move(by) {
      const next = index < 0 ? (by === 1 ? 0 : lines.length - 1) : index + by
      const line = lines[next]
      if (line) setAt({ at: line, scrolls: true, shown: true })
    },
    hide: () => setAt((now) => (now.shown ? { ...now, shown: false } : now)),
  }
}
