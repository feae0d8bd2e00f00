import { type RefObject, useEffect, useRef } from 'react'
import type { PatchLine } from '../../../components/diff/file-patch.tsx'
import type { changesOfPatch } from '../../../components/review/changes-of-patch.ts'
import { focusOnceDrawn } from './focus-once-drawn.ts'
import { scrollToTop } from './scroll-below-header.ts'

type Change = ReturnType<typeof changesOfPatch>[number]

/** Pixels of the lines above a change that stay in view. */
const barMarginPx = 40

interface ChangeSteps {
  step(by: 1 | -1): void
  /** The change that has the focus, or the last one that was gone to; null: none. */
  focused(): number | null
  /** Register each label as it is drawn. */
  onLabel(index: number, bar: HTMLElement): void
}

/** Steps from change to change of one file, and on to the next file. */
export function useChangeSteps(deps: {
  changes: readonly Change[]
  /** The patch was read. */
  isReady: boolean
  content: RefObject<HTMLElement | null>
  heading: RefObject<HTMLElement | null>
  /** Which change to go to once the file is shown; null: none. */
  arriveAt: 'first' | 'last' | null
  /** Another file has the next change. */
  onPastEnd(by: 1 | -1): void
  onGo(line: PatchLine): void
}): ChangeSteps {
  const { changes, isReady, content, heading, onPastEnd, onGo } = deps
  /** Its label is drawn again once the lines are highlighted. */
  const current = useRef<number | null>(null)
  const arriving = useRef(deps.arriveAt)
  useEffect(() => {
    // Nothing to stop at in a binary or merely renamed file.
    if (isReady && changes.length === 0) arriving.current = null
  }, [isReady, changes])

  const goTo = (index: number) => {
    current.current = index
    const change = changes[index]
    if (change) onGo(lastLineOf(change))
    const bar = content.current?.querySelector<HTMLElement>(`[data-change="${index}"]`)
    if (!bar) return
    const frame = { content: content.current, heading: heading.current }
    scrollToTop(bar, frame, barMarginPx)
    focusOnceDrawn(bar, () => {
      // By then, the user may be writing a comment.
      const isWanted = current.current === index && document.activeElement === document.body
      if (isWanted) scrollToTop(bar, frame, barMarginPx)
      return isWanted
    })
  }
  const focused = (): number | null => {
    const shown = document.activeElement?.closest<HTMLElement>('[data-change]')?.dataset.change
    return shown === undefined ? current.current : Number(shown)
  }
  return {
    focused,
    step(by) {
      if (!isReady) return
      const at = focused()
      const next = at === null ? (by === 1 ? 0 : -1) : at + by
      if (next < 0 || next >= changes.length) onPastEnd(by)
      else goTo(next)
    },
    onLabel(index, bar) {
      if (index === current.current && document.activeElement === document.body)
        bar.focus({ preventScroll: true })
      const last = changes.length - 1
      const wanted = arriving.current === 'first' ? 0 : arriving.current === 'last' ? last : null
      if (wanted !== index) return
      arriving.current = null
      goTo(index)
    },
  }
}

/** Where a comment on the change stands: below all of it. */
const lastLineOf = ({ range }: Change): PatchLine =>
  range.newLines > 0
    ? { side: 'additions', line: range.newStart + range.newLines - 1 }
    : { side: 'deletions', line: range.oldStart + range.oldLines - 1 }
