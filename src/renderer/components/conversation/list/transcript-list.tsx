/**
 * A conversation or transcript as a virtual list. While it is live, readers at the tail follow it,
 * and the view does not move for readers elsewhere: a pill appears instead.
 */
import { type Range, useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type UIEvent,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { Damage } from '../../../../shared/contract/workspace.ts'
import type { TranscriptItem } from '../../../../shared/projections/transcript/transcript-items.ts'
import { classNames } from '../../primitives/index.ts'
import { createFolds, FoldContext } from '../fold-state.ts'
import {
  entrySeqOf,
  type Row,
  rowIndexOfSeq,
  startsTurn,
  transcriptRows,
  turnAt,
} from '../rows/rows.ts'
import { estimatedHeight, estimatedStart } from './estimated-heights.ts'
import {
  useFocusKept,
  useOffsetOfTarget,
  useOpenedAt,
  usePaging,
  useRowFocus,
  useShownRow,
  useTailKept,
  useTailOverSizes,
} from './list-place.ts'
import { type Paging, PagingNote } from './paging-note.tsx'
import { isTyping, press } from './row-buttons.ts'
import { type Extent, ScrollBar } from './scroll-bar.tsx'
import { TranscriptRow } from './transcript-row.tsx'
import { TurnAnnouncer } from './turn-announcer.tsx'

export interface TranscriptListHandle {
  scrollToEnd(): void
  focus(): void
  /** Opens folds inside rows, such as a call by its id or reasoning by the key of its row. */
  unfold(keys: readonly string[]): void
}

/** Rendered beyond each edge: what a wheel turns at once. Half a dozen short rows, or one long one. */
const overscanPx = 400
/** About what headers and the composer leave to the list; once it is laid out, its own height counts. */
const shareOfWindow = 0.75
const paddingPx = { start: 16, end: 24 }
/** Positions this near to the end count as the tail. */
const endThresholdPx = 48
/** How long a row is highlighted after a jump to it. */
const pointedOutMs = 1600

/** See `goTo` of the transcript store. */
interface Target {
  seq: number
  rowKey?: string | undefined
  focus: boolean
  pointOut: boolean
}

interface TranscriptListProps {
  items: TranscriptItem[]
  /** The accessible name: "Conversation of Fix the parser". */
  label: string
  /** Whether more entries may follow. */
  live?: boolean
  damage?: Damage[]
  hasOlder?: boolean
  hasNewer?: boolean
  /** The whole transcript; without it, `items` are all of it. */
  extent?: Extent
  /** The direction of a page that is being loaded. */
  paging?: Paging
  /** An entry to show, which is among `items`; the list calls `onArrive` when it is shown. */
  target?: Target | null
  onArrive?(target: Target): void
  onReachStart?(): void
  onReachEnd?(): void
  /** Loads entry `seq`, which then comes as `target`. */
  onGoTo?(seq: number): void
  /** The entry at the top of the view, or whether the end is in view, has changed. */
  onPosition?(seq: number, atEnd: boolean): void
  /** Loads the newest entries if they are not loaded; without it the list only scrolls. */
  onJumpToLatest?(): void
  /** Where the list opens. */
  startAt?: 'start' | 'end'
  /** Shown if there are no rows. */
  empty?: ReactNode
  ref?: Ref<TranscriptListHandle>
  className?: string
}

export function TranscriptList(props: TranscriptListProps) {
  const { items, label, live = false, damage, hasOlder = false, hasNewer = false } = props
  const { paging = null, onReachStart, onReachEnd, onJumpToLatest, startAt = 'end' } = props
  const { target = null, onArrive, onGoTo, onPosition, extent } = props
  const { empty, ref, className } = props
  const rows = useMemo(() => transcriptRows(items, { damage, hasOlder }), [items, damage, hasOlder])
  const scroller = useRef<HTMLDivElement>(null)
  const itemsNow = useRef(items)
  useLayoutEffect(() => {
    itemsNow.current = items
  }, [items])
  // The same function for as long as the list is there: another one would render all rows.
  const itemOf = useCallback(
    (row: Row) => itemsNow.current.find(({ key }) => row.key.startsWith(key)),
    [],
  )
  const id = useId()
  const [atEnd, setAtEnd] = useState(true)
  const [pinned, setPinned] = useState(startAt === 'end')
  /**
   * Whether the user scrolled up from the tail, or started elsewhere. Growth and measuring do not
   * count.
   */
  const [left, setLeft] = useState(startAt === 'start')
  const before = useRef({ offset: 0, size: 0 })
  /** Whether the list shows an entry that was asked for, and the user has not scrolled since. */
  const isHeld = useRef(false)
  const [folds] = useState(() => createFolds(() => setPinned(false)))
  const [pointedOut, setPointedOut] = useState<string | null>(null)

  const laidOut = useRef<{ measurementsCache: { size: number }[] } | null>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    initialOffset: () => firstOffset(rows, target, startAt),
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    estimateSize: (index) => estimatedHeight(rows[index]),
    rangeExtractor: (range) => rangeWithin(range, laidOut.current?.measurementsCache ?? []),
    anchorTo: 'end',
    followOnAppend: live,
    // -1 disables end detection, so growth at the tail does not scroll.
    scrollEndThreshold: pinned && !hasNewer ? endThresholdPx : -1,
    paddingStart: paddingPx.start,
    paddingEnd: paddingPx.end,
    // Its own `isAtEnd` makes the browser lay out what was rendered a moment ago.
    onChange: ({ getTotalSize, scrollOffset, scrollRect }) =>
      setAtEnd(getTotalSize() - (scrollOffset ?? 0) - (scrollRect?.height ?? 0) <= endThresholdPx),
  })
  laidOut.current = virtualizer
  useOffsetOfTarget(target, target && targetIndex(rows, target), virtualizer)
  // Not in onChange, which reports a short scroll only with the next change of the rows.
  const onScroll = ({ currentTarget }: UIEvent<HTMLElement>) => {
    const { scrollTop: offset } = currentTarget
    // Of the browser it would lay out what the virtualizer has just rendered.
    const size = virtualizer.getTotalSize()
    const clientHeight = virtualizer.scrollRect?.height ?? currentTarget.clientHeight
    const shrunkPx = Math.max(0, before.current.size - size)
    const upPx = before.current.offset - offset
    before.current = { offset, size }
    // Until its rows are measured, an entry that was asked for may seem to be at the end.
    if (isHeld.current) return
    // The end of the loaded rows is not the tail while there are more.
    if (size - clientHeight - offset <= endThresholdPx && !hasNewer) {
      setLeft(false)
      // A user who scrolls back to the tail follows it again.
      if (live) setPinned(true)
    }
    // Rows that measure smaller than estimated move everything up by the difference.
    else if (upPx > shrunkPx + 1) setLeft(true)
  }
  // Also while scrolling up, where the virtualizer would otherwise move the rows being read.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = ({ key, start, end }) => {
    const top = virtualizer.scrollOffset ?? 0
    return virtualizer.itemSizeCache.has(key) ? end <= top : start < top
  }
  const settled = useOpenedAt(startAt, rows.length > 0, virtualizer)
  const follows = pinned && !left
  useTailOverSizes(scroller, rows.length > 0, atEnd && !left, virtualizer)
  useTailKept(
    settled && follows && !hasNewer,
    virtualizer.getTotalSize(),
    virtualizer.isScrolling,
    virtualizer,
  )
  const firstKey = rows[0]?.key
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when a page was prepended
  useLayoutEffect(() => {
    // Rows added above are not a scroll by the user.
    before.current = { offset: virtualizer.scrollOffset ?? 0, size: virtualizer.getTotalSize() }
  }, [firstKey])
  const shownRow = useShownRow(rows, virtualizer)
  const focusKept = useFocusKept(scroller)
  const rowFocus = useRowFocus(scroller, rows)
  const shown = virtualizer.getVirtualItems()
  const inView = virtualizer.range ?? { startIndex: 0, endIndex: rows.length - 1 }

  const canPage = settled && paging === null
  const rowsAfter = rows.length - 1 - inView.endIndex
  usePaging(canPage && hasOlder, inView.startIndex, isHeld, onReachStart)
  usePaging(canPage && hasNewer, rowsAfter, isHeld, onReachEnd)

  useEffect(() => {
    if (pointedOut === null) return
    const timer = setTimeout(() => setPointedOut(null), pointedOutMs)
    return () => clearTimeout(timer)
  }, [pointedOut])

  const goElsewhere = () => {
    isHeld.current = false
    shownRow.forget()
    rowFocus.forget()
  }
  const scrollToEnd = () => {
    goElsewhere()
    setPinned(true)
    setLeft(false)
    virtualizer.scrollToEnd()
  }
  /** Whether the newest entries were requested and have not arrived. */
  const awaitsLatest = useRef(false)
  const jumpToLatest = () => {
    // The button disappears, and keys would have no target.
    scroller.current?.focus({ preventScroll: true })
    if (!hasNewer || !onJumpToLatest) return scrollToEnd()
    awaitsLatest.current = true
    onJumpToLatest()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: when rows have come
  useLayoutEffect(() => {
    if (!awaitsLatest.current || hasNewer) return
    awaitsLatest.current = false
    scrollToEnd()
  }, [rows, hasNewer])

  const focusRow = (index: number) => {
    const place = virtualizer.measurementsCache[index]
    const row = rows[index]
    if (!place || !row) return
    const { scrollOffset, scrollRect } = virtualizer
    const top = scrollOffset ?? 0
    const height = scrollRect?.height ?? 0
    if (place.start < top || place.size > height) shownRow.show(index, 'start')
    else if (place.end > top + height) shownRow.show(index, 'end')
    rowFocus.move(row.key)
  }
  useImperativeHandle(ref, () => ({
    scrollToEnd,
    focus: () => scroller.current?.focus(),
    unfold: folds.unfold,
  }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each target; its rows came with it
  useLayoutEffect(() => {
    if (!target) return
    const index = targetIndex(rows, target)
    const row = rows[index]
    if (row) {
      goElsewhere()
      setPinned(false)
      setLeft(true)
      isHeld.current = true
      shownRow.show(index, 'start')
      if (index === 0 && !hasOlder) scroller.current?.scrollTo({ top: 0 })
      if (target.pointOut) setPointedOut(row.key)
      if (target.focus) {
        // The row may not be rendered yet, and it takes the focus only from the list.
        scroller.current?.focus({ preventScroll: true })
        rowFocus.move(row.key)
      }
    }
    onArrive?.(target)
  }, [target])

  const goToTop = () => {
    // The scroll event may come together with the one of the list's own opening.
    setLeft(true)
    if (hasOlder && onGoTo) onGoTo(1)
    else scroller.current?.scrollTo({ top: 0 })
  }
  const grab = () => {
    goElsewhere()
    setPinned(false)
    setLeft(true)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const target = event.target as HTMLElement
    const row = target.closest<HTMLElement>('[data-index]')
    const index = rowFocus.pendingIndex() ?? (row ? Number(row.dataset.index) : null)
    goElsewhere()
    if (event.key === 'j')
      focusRow(index === null ? inView.startIndex : Math.min(index + 1, rows.length - 1))
    else if (event.key === 'k') focusRow(index === null ? inView.endIndex : Math.max(index - 1, 0))
    else if (event.key === 'End') jumpToLatest()
    else if (event.key === 'Home') goToTop()
    else if (event.key === 't' && press(target, row, 'transcript')) return event.preventDefault()
    else if (event.key === 'r' && press(target, row, 'resume')) return event.preventDefault()
    else if (event.key === 's' && press(target, row, 'show')) return event.preventDefault()
    else if (event.key === 'm' && press(target, row, 'menu')) return event.preventDefault()
    else if ((event.key === 'Enter' || event.key === ' ') && target === row)
      row.querySelector<HTMLElement>('[aria-expanded]')?.click()
    else return
    event.preventDefault()
  }

  if (rows.length === 0 && empty)
    return <div className={classNames('flex min-h-0', className)}>{empty}</div>
  const canJump = hasNewer || (live && !atEnd && !follows)
  return (
    <FoldContext value={folds}>
      <div
        className={classNames(
          '@container relative flex min-h-0 min-w-0 flex-1 flex-col',
          className,
        )}
      >
        <section
          ref={scroller}
          id={id}
          aria-label={label}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          onKeyDown={onKeyDown}
          onScroll={onScroll}
          onWheel={goElsewhere}
          onPointerDown={goElsewhere}
          {...focusKept}
          className="focus-pane min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none] [scrollbar-width:none]"
        >
          <div
            role="feed"
            aria-busy={paging !== null}
            className="relative w-full"
            style={{ height: virtualizer.getTotalSize() }}
          >
            {shown.map(({ key, index, start }) => {
              const row = rows[index]
              return row ? (
                <TranscriptRow
                  key={key}
                  ref={virtualizer.measureElement}
                  row={row}
                  index={index}
                  topPx={start}
                  setSize={hasOlder || hasNewer ? -1 : rows.length}
                  pointedOut={row.key === pointedOut}
                  startsTurn={startsTurn(rows, index)}
                  itemOf={itemOf}
                />
              ) : null
            })}
          </div>
        </section>
        <ScrollBar
          scroller={scroller}
          controls={id}
          rows={rows}
          list={virtualizer}
          extent={extent ?? extentOf(rows)}
          onGoTo={(seq) => onGoTo?.(seq)}
          onGrab={grab}
          onPosition={onPosition}
        />
        <PagingNote paging={paging} />
        {canJump ? (
          <button
            type="button"
            onClick={jumpToLatest}
            className="absolute bottom-3 left-1/2 flex h-7 -translate-x-1/2 items-center gap-1.5 rounded-md bg-raised px-3 text-ui text-ink shadow-popup hover:bg-hover"
          >
            <ArrowDown aria-hidden className="size-3.5 text-accent" />
            Jump to latest
          </button>
        ) : null}
        {live ? <TurnAnnouncer items={items} /> : null}
      </div>
    </FoldContext>
  )
}

/** Entries before the first row are shown with it. */
function targetIndex(rows: Row[], { seq, rowKey }: Target): number {
  const named = rows.findIndex(({ key }) => key === rowKey)
  return named >= 0 ? named : Math.max(0, rowIndexOfSeq(rows, seq))
}

/**
 * Where the list opens, by the estimated heights of its rows. From 0 the first rows would be rendered, only to be thrown
 * away when the list is scrolled to its place.
 */
function firstOffset(rows: Row[], target: Target | null, startAt: 'start' | 'end'): number {
  if (target) return paddingPx.start + estimatedStart(rows, targetIndex(rows, target))
  if (startAt === 'start') return 0
  const heightPx = paddingPx.start + estimatedStart(rows, rows.length) + paddingPx.end
  return Math.max(0, heightPx - globalThis.innerHeight * shareOfWindow)
}

/** Rows of up to `overscanPx` beyond each edge. Counted in rows it would be thousands of pixels of long ones. */
function rangeWithin({ startIndex, endIndex, count }: Range, sizes: { size: number }[]): number[] {
  let [first, last] = [startIndex, endIndex]
  const sizeOf = (index: number) => sizes[index]?.size ?? overscanPx
  for (let px = 0; first > 0 && px < overscanPx; px += sizeOf(first)) first -= 1
  for (let px = 0; last < count - 1 && px < overscanPx; px += sizeOf(last)) last += 1
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** Of a transcript that is loaded as a whole. */
function extentOf(rows: Row[]): Extent {
  const last = rows.at(-1)
  const total = last ? entrySeqOf(last) : 1
  return { firstSeq: 1, lastSeq: total, total, turns: turnAt(rows, rows.length - 1) }
}
