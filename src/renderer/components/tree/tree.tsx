/**
 * A tree of which only the visible rows are in the document. One tab stop; arrows or j and k move
 * inside it. Rows are memoized: moving the selection renders only the two rows concerned.
 */
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight } from 'lucide-react'
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  type Ref,
  useCallback,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { ContextMenu, type MenuEntry } from '../primitives/index.ts'
import { placesOf, rowAbove, type TreePlace, type TreeRow } from './tree-row.ts'

export interface TreeHandle {
  /** Focuses the selected row, else the first or the last one. */
  enter(from: 'first' | 'last'): void
  /** Scrolls the row into view; returns false if it is not among the rows. */
  reveal(id: string): boolean
}

interface TreeProps<Row extends TreeRow> {
  label: string
  rows: readonly Row[]
  /** The id of the row shown in the main view. */
  selected: string | null
  /**
   * Renders the row without its frame and its fold mark; must be the same function at every render.
   * `current` is the row with the tab stop, whose buttons are tab stops as well.
   */
  renderRow(row: Row, current: boolean): ReactNode
  onOpen(row: Row): void
  onFold(row: Row): void
  /** Handles a key that the tree itself does not handle; returns true if it was used. */
  onKey?(key: string, row: Row): boolean
  /** Returns the menu for a right click or the menu key on a row. */
  menuOf?(row: Row): MenuEntry[]
  className?: string
  ref?: Ref<TreeHandle>
}

/** Rows rendered beyond the edges, so that scrolling shows no empty space. */
const overscanRows = 8
/** Deeper levels are indented no further, so that a title stays readable. */
const indentLevelsMax = 5

export function Tree<Row extends TreeRow>(props: TreeProps<Row>) {
  const { label, rows, selected, renderRow, menuOf, className = '', ref } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState<string | null>(null)
  const [menuRow, setMenuRow] = useState<Row | null>(null)
  /** The row to focus once it is in the document. */
  const wanted = useRef<string | null>(null)
  const indexes = useMemo(() => new Map(rows.map(({ id }, index) => [id, index])), [rows])
  const places = useMemo(() => placesOf(rows), [rows])
  const stop = [current, selected].find((id) => id !== null && indexes.has(id)) ?? rows[0]?.id
  const stopIndex = stop === undefined ? undefined : indexes.get(stop)

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    // A new function whenever the rows change, so that the heights are read again.
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    estimateSize: (index) => rows[index]?.height ?? 0,
    overscan: overscanRows,
    paddingEnd: 8,
    // A row that is scrolled away keeps the focus and the tab stop.
    rangeExtractor: (range: Range) =>
      stopIndex === undefined
        ? defaultRangeExtractor(range)
        : [...new Set([...defaultRangeExtractor(range), stopIndex])].sort((a, b) => a - b),
  })

  useLayoutEffect(() => {
    if (wanted.current === null) return
    const row = elementOf(scroller.current, wanted.current)
    if (!row) return
    wanted.current = null
    row.focus({ preventScroll: true })
  })

  const focusRow = (row: Row | undefined) => {
    if (!row) return
    virtualizer.scrollToIndex(indexes.get(row.id) ?? 0, { align: 'auto' })
    if (row.id === current) {
      elementOf(scroller.current, row.id)?.focus({ preventScroll: true })
      return
    }
    wanted.current = row.id
    setCurrent(row.id)
  }
  useImperativeHandle(ref, () => ({
    enter: (from) =>
      focusRow(rows[indexes.get(selected ?? '') ?? -1] ?? rows.at(from === 'first' ? 0 : -1)),
    reveal(id) {
      const index = indexes.get(id)
      if (index !== undefined) virtualizer.scrollToIndex(index, { align: 'auto' })
      return index !== undefined
    },
  }))

  const rowAt = (target: EventTarget): Row | undefined => {
    const id = (target as Element).closest<HTMLElement>('[data-row]')?.dataset.row
    return rows[indexes.get(id ?? '') ?? -1]
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const row = rowAt(event.target)
    if (!row) return
    // A button in a row handles its own keys.
    const isButton = (event.target as Element).closest('button') !== null
    if (isButton && (event.key === 'Enter' || event.key === ' ')) return
    if (!press(event.key, row)) return
    event.preventDefault()
    event.stopPropagation()
  }
  /** Returns false if the key has no function here. */
  const press = (key: string, row: Row): boolean => {
    const index = indexes.get(row.id) ?? 0
    switch (key) {
      case 'ArrowDown':
      case 'j':
        focusRow(rows[index + 1])
        return true
      case 'ArrowUp':
      case 'k':
        focusRow(rows[index - 1])
        return true
      case 'Home':
        focusRow(rows[0])
        return true
      case 'End':
        focusRow(rows.at(-1))
        return true
      case 'ArrowRight':
        if (row.folded && row.hasChildren) props.onFold(row)
        else if (row.hasChildren) focusRow(rows[index + 1])
        return true
      case 'ArrowLeft':
        if (!row.folded && row.hasChildren) props.onFold(row)
        else focusRow(rowAbove(rows, index))
        return true
      case ' ':
        if (row.hasChildren) props.onFold(row)
        return true
      case 'Enter':
        props.onOpen(row)
        return true
      default:
        return props.onKey?.(key, row) ?? false
    }
  }

  const tree = (
    <div
      ref={scroller}
      role="tree"
      aria-label={label}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        const target = event.target as Element
        if (target.closest('button, a')) return
        const row = rowAt(target)
        if (!row) return
        if (row.hasChildren && target.closest('[data-fold]')) props.onFold(row)
        else props.onOpen(row)
      }}
      onFocus={(event) => setCurrent(rowAt(event.target)?.id ?? null)}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setCurrent(null)
      }}
      onContextMenu={(event) => setMenuRow(rowAt(event.target) ?? null)}
      className={`overflow-y-auto ${className}`}
    >
      <div role="none" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          const place = places[index]
          return row && place ? (
            <RowFrame
              key={row.id}
              row={row}
              top={start}
              position={place.position}
              size={place.size}
              selected={row.id === selected}
              current={row.id === stop}
              renderRow={renderRow as (row: TreeRow, current: boolean) => ReactNode}
            />
          ) : null
        })}
      </div>
    </div>
  )
  if (!menuOf) return tree
  return <ContextMenu entries={menuRow ? menuOf(menuRow) : []}>{tree}</ContextMenu>
}

const elementOf = (tree: HTMLElement | null, id: string): HTMLElement | null =>
  tree?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`) ?? null

const RowFrame = memo(function RowFrame(
  props: TreePlace & {
    row: TreeRow
    top: number
    selected: boolean
    current: boolean
    renderRow(row: TreeRow, current: boolean): ReactNode
  },
) {
  const { row, top, position, size, selected, current, renderRow } = props
  const { id, level, height, hasChildren, folded } = row
  return (
    <div
      role="treeitem"
      data-row={id}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={size}
      aria-selected={selected}
      aria-expanded={hasChildren ? !folded : undefined}
      tabIndex={current ? 0 : -1}
      style={{ height, top, paddingLeft: 4 + Math.min(level - 1, indentLevelsMax) * 14 }}
      className={`group/row focus-inset absolute inset-x-0 flex items-center gap-1.5 pr-3 select-none ${selected ? 'bg-accent-tint' : 'hover:bg-hover'}`}
    >
      <span
        aria-hidden
        data-fold
        className="flex size-5 shrink-0 items-center justify-center rounded-sm text-faint hover:text-ink"
      >
        {hasChildren ? (
          <ChevronRight className={`size-3.5 transition-transform ${folded ? '' : 'rotate-90'}`} />
        ) : null}
      </span>
      {renderRow(row, current)}
    </div>
  )
})
