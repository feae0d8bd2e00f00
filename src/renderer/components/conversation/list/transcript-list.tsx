/**
 * A conversation or transcript as a virtual list. While it is live, readers at the tail follow it,
 * and the view does not move for readers elsewhere: a pill appears instead.
 */
import { ArrowDown } from 'lucide-react'
import {
  type ReactNode,
  type Ref,
  useCallback,
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
import { entrySeqOf, type Row } from '../rows/row.ts'
import { startsTurn, turnAt } from '../rows/row-positions.ts'
import { transcriptRows } from '../rows/transcript-rows.ts'
import { listKeys, type Target, useListMoves } from './list-moves.ts'
import { useHighlight, useOpenedAt, usePaging } from './list-place.ts'
import { type Paging, PagingNote } from './paging-note.tsx'
import { useFocusKept } from './row-focus.ts'
import { useRowVirtualizer } from './row-virtualizer.ts'
import { ScrollBar } from './scroll-bar.tsx'
import type { Extent } from './scroll-position.ts'
import { useFollowedTail, useTail } from './tail.ts'
import { TranscriptRow } from './transcript-row.tsx'
import { TurnAnnouncer } from './turn-announcer.tsx'

export interface TranscriptListHandle {
  scrollToEnd(): void
  focus(): void
  /** Opens folds inside rows, such as a call by its id or reasoning by the key of its row. */
  unfold(keys: readonly string[]): void
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
  // The function stays the same while the list is mounted, because a new one would render all rows again.
  const itemOf = useCallback(
    (row: Row) => itemsNow.current.find(({ key }) => row.key.startsWith(key)),
    [],
  )
  const id = useId()
  const tail = useTail(startAt)
  const onFold = useRef(tail.unpin)
  onFold.current = () => {
    // What opens in the last row is below it, so the list follows on to show it.
    if (!live || rowIndexOf(document.activeElement) !== rows.length - 1) tail.unpin()
  }
  const [folds] = useState(() => createFolds(() => onFold.current()))
  const [highlighted, highlight] = useHighlight()
  const virtualizer = useRowVirtualizer({
    rows,
    scroller,
    target,
    startAt,
    live,
    followsGrowth: tail.pinned && !hasNewer,
    onEndInView: tail.setAtEnd,
  })
  const settled = useOpenedAt(startAt, rows.length > 0, virtualizer)
  const onScroll = useFollowedTail(tail, { scroller, rows, live, hasNewer, settled }, virtualizer)
  const focusKept = useFocusKept(scroller)
  const shown = virtualizer.getVirtualItems()
  const inView = virtualizer.range ?? { startIndex: 0, endIndex: rows.length - 1 }

  const canPage = settled && paging === null
  const rowsAfter = rows.length - 1 - inView.endIndex
  usePaging(canPage && hasOlder, inView.startIndex, tail.showsTarget, onReachStart)
  usePaging(canPage && hasNewer, rowsAfter, tail.showsTarget, onReachEnd)

  const moves = useListMoves({
    rows,
    scroller,
    virtualizer,
    tail,
    hasOlder,
    hasNewer,
    onGoTo,
    onJumpToLatest,
  })
  const onKeyDown = listKeys(moves, inView, rows.length)
  useImperativeHandle(ref, () => ({
    scrollToEnd: moves.scrollToEnd,
    focus: () => scroller.current?.focus(),
    unfold: folds.unfold,
  }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each target; its rows came with it
  useLayoutEffect(() => {
    if (!target) return
    const row = moves.showTarget({
      ...target,
      focus: target.focus || takesFocus(scroller.current, target),
    })
    if (row && target.pointOut) highlight(row.key)
    onArrive?.(target)
  }, [target])

  if (rows.length === 0 && empty)
    return <div className={classNames('flex min-h-0', className)}>{empty}</div>
  // A transcript that has ended has nothing newer to come, and its end is one key away.
  const canJump = live && (hasNewer || (!tail.atEnd && !tail.follows))
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
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
          tabIndex={0}
          onKeyDown={onKeyDown}
          onScroll={onScroll}
          onWheel={moves.forgetPlace}
          onPointerDown={moves.forgetPlace}
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
                  pointedOut={
                    row.key !== highlighted?.key ? null : highlighted.isNew ? 'new' : 'last'
                  }
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
          onGrab={moves.grab}
          onPosition={onPosition}
        />
        <PagingNote paging={paging} />
        {canJump ? (
          <button
            type="button"
            onClick={moves.jumpToLatest}
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

const rowIndexOf = (element: Element | null): number =>
  Number(element?.closest<HTMLElement>('[data-index]')?.dataset.index ?? -1)

/** A linked entry takes the focus from the list, and if nothing has it, as in a page that was just opened. */
function takesFocus(list: HTMLElement | null, { pointOut }: Target): boolean {
  const { activeElement, body } = document
  return pointOut && (activeElement === body || activeElement === list)
}

/** The extent of a transcript that is loaded as a whole. */
function extentOf(rows: Row[]): Extent {
  const last = rows.at(-1)
  const total = last ? entrySeqOf(last) : 1
  return { firstSeq: 1, lastSeq: total, total, turns: turnAt(rows, rows.length - 1) }
}
