import { type RefObject, useEffect, useRef } from 'react'
import type { PatchLine } from '../../../components/diff/file-patch.tsx'
import type { changesOfPatch } from '../../../components/review/changes-of-patch.ts'
import { focusOnceDrawn } from './focus-once-drawn.ts'
import { scrollToTop } from './scroll-below-header.ts'

type Change = ReturnType<typeof changesOfPatch>[number]

/** The space above a change that stays in view. */
const barMarginPx = 40

interface ChangeSteps {
  step(by: 1 | -1): void
  /** The index of the change that has the focus, else of the last one stepped to; null for none. */
  focused(): number | null
  /** Call it for each label when it is drawn. */
  onLabel(index: number, bar: HTMLElement): void
}

/** Steps through the changes of one file, and on to the next file. */
export function useChangeSteps(deps: {
  changes: readonly Change[]
  /** Whether the patch was loaded. */
  isReady: boolean
  content: RefObject<HTMLElement | null>
  heading: RefObject<HTMLElement | null>
  /** The change to go to once the file is shown; null for none. */
  arriveAt: 'first' | 'last' | null
  /** Called at the last or first change, to step into another file. */
  onPastEnd(by: 1 | -1): void
  onGo(line: PatchLine): void
}): ChangeSteps {
  const { changes, isReady, content, heading, onPastEnd, onGo } = deps
  /** Kept because the label is drawn again after the lines are highlighted, and then loses the focus. */
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
      // The user may be writing a comment by now.
      const isWanted = current.current === index && !document.activeElement?.closest('textarea')
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

/** The line below which a comment on the change is shown. */
const lastLineOf = ({ range }: Change): PatchLine =>
  range.newLines > 0
    ? { side: 'additions', line: range.newStart + range.newLines - 1 }
    : { side: 'deletions', line: range.oldStart + range.oldLines - 1 }
