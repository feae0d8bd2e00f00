import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight, CornerDownRight, FileText, Pin } from 'lucide-react'
import {
  type KeyboardEvent,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
} from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { counted, exactCount } from '../../components/primitives/format.ts'
import {
  Bytes,
  Cost,
  classNames,
  RelativeTime,
  StatusIcon,
  TitleText,
} from '../../components/primitives/index.ts'
import { useKeys } from '../shell/use-keys.ts'
import { whenOf } from './archive-index.ts'
import type { ArchiveRow } from './archive-rows.ts'

const projectRowPx = 32
const taskRowPx = 44
const overscanRows = 10
/** Deeper levels are indented no further, so that a title stays readable. */
const indentLevelsMax = 4

type TaskRow = Extract<ArchiveRow, { kind: 'task' }>

export interface ArchiveListHandle {
  /** Focuses the list, and selects the first row unless one is selected. */
  enter(): void
}

/** The list keeps its place and its selection while the archive grows. */
export function ArchiveList(props: {
  rows: ArchiveRow[]
  selected: TaskId | null
  onSelect(id: TaskId): void
  /** Archived roots that are selected for an action on several. */
  picked: ReadonlySet<TaskId>
  onPick(id: TaskId): void
  /** Called for Enter: opens the selected row in the reader. */
  onRead(): void
  /** Folds or unfolds a project, by its key, or a tree. */
  onToggle(key: string): void
  ref?: Ref<ArchiveListHandle>
}) {
  const { rows, selected, picked, onSelect, onPick, onRead, onToggle, ref } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    // New functions at each render would measure all rows again.
    estimateSize: useCallback(
      (index: number) => (rows[index]?.kind === 'project' ? projectRowPx : taskRowPx),
      [rows],
    ),
    overscan: overscanRows,
  })
  const at = rows.findIndex((row) => row.key === selected)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the selected row scrolls into view once, not at every change of the list
  useEffect(() => {
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'auto' })
  }, [selected])

  // The list takes the focus when the screen opens.
  const nothingChosen = selected === null
  useEffect(() => {
    const { activeElement } = document
    if (nothingChosen && !(activeElement instanceof HTMLInputElement)) scroller.current?.focus()
  }, [nothingChosen])

  const move = (step: 1 | -1) => {
    let index = at < 0 && step < 0 ? rows.length : at
    do index += step
    while (rows[index]?.kind === 'project')
    const row = rows[index]
    if (row?.kind === 'task') onSelect(row.key)
  }
  useImperativeHandle(ref, () => ({
    enter() {
      scroller.current?.focus()
      if (at < 0) move(1)
    },
  }))
  const row = rows[at]
  const tree = row?.kind === 'task' && row.below > 0 ? row : null
  /** Moves to the parent of a row that has nothing to fold. */
  const outward = () => {
    if (row?.kind !== 'task') return
    const parent = rows
      .slice(0, at)
      .findLast((above) => above.kind === 'task' && above.level < row.level)
    if (parent?.kind === 'task') onSelect(parent.key)
  }
  const pick = () => {
    if (row?.kind === 'task' && canBePicked(row)) onPick(row.key)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowDown' || event.key === 'j') move(1)
    else if (event.key === 'ArrowUp' || event.key === 'k') move(-1)
    else if (event.key === 'ArrowRight' && tree?.folded) onToggle(tree.key)
    else if (event.key === 'ArrowLeft')
      if (tree && !tree.folded) onToggle(tree.key)
      else outward()
    else if (event.key === ' ' && tree) onToggle(tree.key)
    else if (event.key === 'x') pick()
    else if (event.key === 'Enter') onRead()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  useKeys([
    { keys: 'j', also: 'ArrowDown', label: 'Next', group: 'Lists', run: () => move(1) },
    { keys: 'k', also: 'ArrowUp', label: 'Previous', group: 'Lists', run: () => move(-1) },
    { keys: 'Enter', label: 'Open', group: 'Lists' },
    { keys: 'Space', label: 'Fold or unfold', group: 'Lists' },
    { keys: 'x', label: 'Mark for deletion', group: 'Lists', run: pick },
  ])

  const items = virtualizer.getVirtualItems()
  // A row out of view may not be rendered, and must not be referred to then.
  const active = items.some(({ index }) => index === at) ? selected : null
  return (
    <div
      ref={scroller}
      role="tree"
      data-stays
      aria-label="Transcripts"
      aria-activedescendant={active ? optionId(active) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      // The selected row shows the ring.
      className={classNames(
        'group/list min-h-0 flex-1 overflow-y-auto',
        at < 0 ? 'focus-pane' : 'outline-none',
      )}
    >
      <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ key, index, start, size }) => {
          const row = rows[index]
          if (!row) return null
          const style = { height: size, transform: `translateY(${start}px)` }
          return row.kind === 'project' ? (
            // biome-ignore lint/a11y/noStaticElementInteractions: the trees in it fold by keys
            <div
              key={key}
              role="presentation"
              title={row.dir}
              style={style}
              onClick={() => onToggle(row.key)}
              className="absolute top-0 left-0 flex w-full items-center gap-1.5 truncate px-2 pt-1 text-small font-semibold text-muted"
            >
              <Chevron folded={row.folded} />
              <span className="untrusted truncate">{row.name}</span>
              <span className="tabular font-normal text-faint">{row.count}</span>
              <Bytes count={row.bytes} className="ml-auto shrink-0 pr-1 font-normal text-faint" />
            </div>
          ) : (
            <Option
              key={key}
              row={row}
              style={style}
              selected={row.key === selected}
              picked={picked.has(row.key)}
              picking={picked.size > 0}
              onPick={() => onPick(row.key)}
              onSelect={() => onSelect(row.key)}
              onToggle={() => onToggle(row.key)}
            />
          )
        })}
      </div>
    </div>
  )
}

function Chevron({ folded }: { folded: boolean }) {
  return (
    <ChevronRight
      aria-hidden
      className={`size-3.5 shrink-0 text-faint transition-transform ${folded ? '' : 'rotate-90'}`}
    />
  )
}

/** A sub-agent is deleted with its root, and a live root has to be archived first. */
const canBePicked = ({ summary }: TaskRow): boolean => summary.parentId === null && summary.archived

const optionId = (id: TaskId): string => `archive-${id}`

function Option(props: {
  row: TaskRow
  style: React.CSSProperties
  selected: boolean
  picked: boolean
  /** Some row is selected, so every box is shown. */
  picking: boolean
  onPick(): void
  onSelect(): void
  onToggle(): void
}) {
  const { row, style, selected, picked, picking, onPick, onSelect, onToggle } = props
  const { summary, level, project, continues, matches, below, folded } = row
  const when = whenOf(summary)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and refers to the selected row
    <div
      id={optionId(row.key)}
      role="treeitem"
      aria-level={level + 1}
      aria-selected={selected}
      aria-expanded={below > 0 ? !folded : undefined}
      style={{ ...style, paddingLeft: 8 + Math.min(level, indentLevelsMax) * 16 }}
      onClick={onSelect}
      className={`group/option absolute top-0 left-0 flex w-full items-center gap-2 pr-3 ${selected ? 'bg-accent-tint -outline-offset-2 outline-focus group-focus-visible/list:outline-2' : 'hover:bg-hover'}`}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the list folds by keys */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list folds by keys */}
      <span
        className="-mr-1 flex h-full w-5 shrink-0 items-center"
        onClick={
          below > 0
            ? (event) => {
                event.stopPropagation()
                onToggle()
              }
            : undefined
        }
      >
        {below > 0 ? <Chevron folded={folded} /> : null}
      </span>
      {canBePicked(row) ? (
        <span className="relative flex size-4 shrink-0 items-center justify-center">
          <StatusIcon
            status={summary.status}
            className={picking ? 'invisible' : 'group-hover/option:invisible'}
          />
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Mark ${summary.title}`}
            checked={picked}
            onChange={onPick}
            onClick={(event) => event.stopPropagation()}
            className={`absolute size-4 accent-(--accent-fill) ${picking ? '' : 'opacity-0 group-hover/option:opacity-100'}`}
          />
        </span>
      ) : (
        <StatusIcon status={summary.status} />
      )}
      <div className="min-w-0 flex-1">
        <TitleText title={summary.title} className={matches ? '' : 'text-muted italic'} />
        {/* Facts without room wrap to a second line, which is hidden, so that none is cut. */}
        <p className="flex h-4 flex-wrap gap-x-1.5 overflow-hidden text-small text-muted">
          {folded ? <span className="shrink-0">{counted(below, 'sub-agent')}</span> : null}
          {project ? <span className="untrusted max-w-24 shrink-0 truncate">{project}</span> : null}
          {matches || summary.archived ? null : <span className="shrink-0">not archived</span>}
          <span className="untrusted max-w-full truncate">{summary.agent}</span>
          {when ? <RelativeTime at={when} className="shrink-0" /> : null}
          {summary.transcriptExpired ? (
            <span className="shrink-0">
              {summary.transcriptExpired.byPerson ? 'transcript deleted' : 'transcript expired'}
            </span>
          ) : (
            <>
              {summary.runs > 1 ? (
                <span className="tabular shrink-0">{summary.runs} runs</span>
              ) : null}
              <span
                className="tabular shrink-0"
                title={`${exactCount(summary.entries)} entries in its transcript`}
              >
                {counted(summary.entries, 'entry', 'entries')}
              </span>
              <Bytes count={summary.bytes} className="shrink-0" />
            </>
          )}
          <Cost usage={summary.usage} className="shrink-0" />
          {summary.model ? (
            <span className="untrusted max-w-full truncate">{summary.model}</span>
          ) : null}
        </p>
      </div>
      {continues ? (
        <span title={`Continues ${continues}`} className="shrink-0">
          <CornerDownRight
            role="img"
            aria-label={`Continues ${continues}`}
            className="size-3.5 text-faint"
          />
        </span>
      ) : null}
      {summary.pinned ? (
        <Pin aria-label="Pinned" className="size-3.5 shrink-0 text-accent" />
      ) : null}
      {summary.hasReport ? (
        <FileText aria-label="Has report" className="size-3.5 shrink-0 text-faint" />
      ) : null}
    </div>
  )
}
