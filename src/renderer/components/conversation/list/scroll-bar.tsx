/**
 * A scroll bar over a whole transcript, of which the list lays out only a window: it replaces the
 * browser's, which knows only that window.
 */

import {
  type PointerEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { classNames } from '../../primitives/index.ts'
import type { Row } from '../rows/row.ts'
import { ScrollMarks, useScrollMarks } from './scroll-marks.tsx'
import { type Extent, positionText, risingSeqs, startOfSeq } from './scroll-position.ts'
import { clamped, isLoadedAt, offsetAt, type Scale, thumbAt } from './scroll-scale.ts'
import { createTranscriptHeights } from './transcript-heights.ts'
import { useScrolls } from './use-scrolls.ts'

/** What the scroll bar needs of the virtual list. */
interface LaidOut {
  scrollOffset: number | null
  scrollRect: { height: number } | null
  measurementsCache: { start: number }[]
  getTotalSize(): number
  getVirtualItemForOffset(
    offset: number,
  ): { index: number; start: number; size: number } | undefined
}

/** Positions this near to the end count as the end. */
const endPx = 48
/** A shorter transcript needs no label, because the bar itself shows the position well enough. */
const labelScreensMin = 4
/** The position is shown this long after the last scroll. */
const labelMs = 800

interface Place {
  topPx: number
  thumbPx: number
  seq: number
  label: string
  isLong: boolean
  atEnd: boolean
  railPx: number
  pxPerRailPx: number
}

export function ScrollBar(props: {
  scroller: RefObject<HTMLElement | null>
  controls: string
  rows: Row[]
  list: LaidOut
  extent: Extent
  /** Shows an entry that is not loaded. */
  onGoTo(seq: number): void
  /** Called when the user scrolls with the bar. */
  onGrab(): void
  /** The entry at the top of the view, or whether the end is in view, has changed. */
  onPosition?(seq: number, atEnd: boolean): void
}) {
  const { scroller, controls, rows, list, extent, onGoTo, onGrab, onPosition } = props
  const track = useRef<HTMLDivElement>(null)
  const [heights] = useState(createTranscriptHeights)
  const [place, setPlace] = useState<Place | null>(null)
  /** Another object at each scroll, null when the position is not shown. */
  const [shown, setShown] = useState<object | null>(null)
  /** While the thumb is dragged it is at the pointer, and the scale does not change. */
  const drag = useRef<{ grabPx: number; topPx: number; scale: Scale; extent: Extent } | null>(null)
  const scrolledByUser = useRef(false)
  const seqs = useMemo(() => risingSeqs(rows), [rows])
  const { firstSeq, lastSeq, total } = extent
  const loadedPx = list.getTotalSize()

  /** As high as the list. Asking the browser after each rendering would make it lay out all rows at once. */
  const viewPx = () => list.scrollRect?.height ?? 0

  const scaleNow = (): Scale => ({
    headPx: heights.between(1, firstSeq - 1),
    loadedPx,
    tailPx: heights.between(lastSeq + 1, total),
    viewPx: viewPx(),
  })

  const update = () => {
    const railPx = viewPx()
    const offset = list.scrollOffset ?? 0
    const thumb = thumbAt(drag.current?.scale ?? scaleNow(), offset, railPx)
    if (!thumb) return setPlace(null)
    const { thumbPx, pxPerRailPx, screens } = thumb
    const topPx = drag.current?.topPx ?? thumb.topPx
    const top = list.getVirtualItemForOffset(offset)
    const seq = seqs[top?.index ?? 0] ?? 1
    const label = positionText(rows, top?.index ?? 0, extent)
    const isLong = screens > labelScreensMin
    const atEnd = lastSeq >= total && loadedPx - offset - viewPx() < endPx
    setPlace((before) => {
      const next: Place = { topPx, thumbPx, seq, label, isLong, atEnd, railPx, pxPerRailPx }
      const same =
        before && (Object.keys(next) as (keyof Place)[]).every((key) => before[key] === next[key])
      return same ? before : next
    })
  }

  // Runs after each layout of the list.
  useLayoutEffect(() => {
    const startOf = (seq: number) => startOfSeq(seq, seqs, list)
    if (rows.length > 0 && !drag.current) heights.remember(firstSeq, lastSeq, startOf)
    update()
  })
  const marks = useScrollMarks({
    heights,
    seqs,
    firstSeq,
    lastSeq,
    loadedPx,
    startOf: (seq) => startOfSeq(seq, seqs, list),
    railPx: place?.railPx ?? 0,
    pxPerRailPx: place?.pxPerRailPx ?? 0,
  })
  const { seq, atEnd } = place ?? {}
  // biome-ignore lint/correctness/useExhaustiveDependencies: when one of them changes
  useEffect(() => {
    if (seq !== undefined && atEnd !== undefined) onPosition?.(seq, atEnd)
  }, [seq, atEnd])
  useScrolls(scroller, {
    onChange: update,
    onInput() {
      scrolledByUser.current = true
    },
    onScroll() {
      if (scrolledByUser.current) setShown({})
    },
  })
  useEffect(() => {
    if (!shown || drag.current) return
    const timer = setTimeout(() => {
      scrolledByUser.current = false
      setShown(null)
    }, labelMs)
    return () => clearTimeout(timer)
  }, [shown])

  const dragTo = (y: number) => {
    const box = scroller.current
    const rail = track.current
    const held = drag.current
    if (!box || !rail || !held || !place) return
    const roomPx = rail.clientHeight - place.thumbPx
    held.topPx = clamped(y - rail.getBoundingClientRect().top - held.grabPx, 0, roomPx)
    const fraction = roomPx > 0 ? held.topPx / roomPx : 0
    const { headPx } = held.scale
    const px = offsetAt(held.scale, fraction)
    const same = held.extent.firstSeq === firstSeq && held.extent.lastSeq === lastSeq
    if (fraction === 0) onGoTo(1)
    else if (fraction === 1) onGoTo(total)
    else if (same && isLoadedAt(held.scale, px)) box.scrollTop = px - headPx
    else if (px < headPx) onGoTo(heights.seqAt(px, 1, held.extent.firstSeq))
    else onGoTo(heights.seqAt(px - headPx, held.extent.firstSeq, total))
    setShown({})
    update()
  }
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const box = scroller.current
    const rail = track.current
    if (!box || !rail || !place || event.button !== 0) return
    // Keeps the focus where it is.
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    onGrab()
    const y = event.clientY - rail.getBoundingClientRect().top
    const isOnThumb = y >= place.topPx && y <= place.topPx + place.thumbPx
    const grabPx = isOnThumb ? y - place.topPx : place.thumbPx / 2
    drag.current = { grabPx, topPx: place.topPx, scale: scaleNow(), extent }
    if (!isOnThumb) dragTo(event.clientY)
  }
  const onPointerUp = () => {
    if (!drag.current) return
    drag.current = null
    setShown({})
    update()
  }

  return (
    <>
      <div
        className={classNames('absolute inset-y-0 right-0 w-3', place === null && 'invisible')}
        data-scroll-bar
      >
        <div
          ref={track}
          role="scrollbar"
          aria-label="Position"
          aria-controls={controls}
          aria-orientation="vertical"
          aria-valuemin={1}
          aria-valuemax={Math.max(total, 1)}
          aria-valuenow={place?.seq ?? 1}
          aria-valuetext={place?.label}
          // Keys scroll the list itself.
          tabIndex={-1}
          className="group/bar absolute inset-0 touch-none outline-none"
          onPointerDown={onPointerDown}
          onPointerMove={(event) => drag.current && dragTo(event.clientY)}
          onPointerUp={onPointerUp}
          onPointerCancel={onPointerUp}
          onWheel={({ deltaY }) => scroller.current?.scrollBy({ top: deltaY })}
        >
          <ScrollMarks {...marks} />
          {place ? (
            <div
              className="absolute inset-x-[3px] rounded-full bg-line-strong group-hover/bar:inset-x-0.5 group-hover/bar:bg-faint forced-colors:bg-[ButtonText]"
              style={{ height: place.thumbPx, transform: `translateY(${place.topPx}px)` }}
            />
          ) : null}
        </div>
      </div>
      {place && shown && (place.isLong || drag.current) ? (
        <PositionLabel place={place} isDragged={drag.current !== null} />
      ) : null}
    </>
  )
}

function PositionLabel({ place, isDragged }: { place: Place; isDragged: boolean }) {
  return (
    <div
      aria-hidden
      className={classNames(
        'tabular pointer-events-none absolute z-20 rounded-md border bg-raised px-2 py-0.5 text-small whitespace-nowrap text-muted shadow-popup',
        // Beside the thumb it would cover the buttons of rows, which are wanted unless the bar itself is dragged.
        isDragged ? 'right-4 -translate-y-1/2' : 'top-2 left-1/2 -translate-x-1/2',
      )}
      style={isDragged ? { top: place.topPx + place.thumbPx / 2 } : undefined}
    >
      {place.label}
    </div>
  )
}
