import { useVirtualizer } from '@tanstack/react-virtual'
import { CornerDownRight, FileText, Folder, Pin } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { TaskId } from '../../../shared/ids.ts'
import { counted, exactCount } from '../../components/primitives/format.ts'
import { Bytes, RelativeTime, StatusIcon } from '../../components/primitives/index.ts'
import { useKeys } from '../shell/use-keys.ts'
import { type ArchiveRow, whenOf } from './archive-rows.ts'

const projectRowPx = 32
const taskRowPx = 44
const overscanRows = 10
/** Deeper levels are indented no further, so that a title stays readable. */
const indentLevelsMax = 4

type TaskRow = Extract<ArchiveRow, { kind: 'task' }>

/** The list keeps its place and its selection while the archive grows. */
export function ArchiveList(props: {
  rows: ArchiveRow[]
  selected: TaskId | null
  onSelect(id: TaskId): void
  /** Enter: on to what is read. */
  onRead(): void
}) {
  const { rows, selected, onSelect, onRead } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => (rows[index]?.kind === 'project' ? projectRowPx : taskRowPx),
    overscan: overscanRows,
  })
  const at = rows.findIndex((row) => row.key === selected)

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was chosen comes into view once, not at every change of the list
  useEffect(() => {
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'auto' })
  }, [selected])

  // Opened, by whatever way, it is the list that the keys go through.
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
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowDown' || event.key === 'j') move(1)
    else if (event.key === 'ArrowUp' || event.key === 'k') move(-1)
    else if (event.key === 'Enter') onRead()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  useKeys([
    { keys: 'j', label: 'Next', group: 'Lists', run: () => move(1) },
    { keys: 'k', label: 'Previous', group: 'Lists', run: () => move(-1) },
    { keys: 'Enter', label: 'Read it', group: 'Lists' },
  ])

  if (rows.length === 0)
    return <p className="p-4 text-center text-muted">Nothing here is called that.</p>
  return (
    <div
      ref={scroller}
      role="listbox"
      data-stays
      aria-label="Kept transcripts"
      aria-activedescendant={selected ? optionId(selected) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="focus-inset min-h-0 flex-1 overflow-y-auto"
    >
      <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ key, index, start, size }) => {
          const row = rows[index]
          if (!row) return null
          const style = { height: size, transform: `translateY(${start}px)` }
          return row.kind === 'project' ? (
            <div
              key={key}
              role="presentation"
              title={row.dir}
              style={style}
              className="absolute top-0 left-0 flex w-full items-end gap-1.5 truncate px-3 pb-1 text-small font-semibold text-muted"
            >
              <Folder aria-hidden className="size-3.5 shrink-0" />
              <span className="untrusted truncate">{row.name}</span>
            </div>
          ) : (
            <Option
              key={key}
              row={row}
              style={style}
              selected={row.key === selected}
              onSelect={() => onSelect(row.key)}
            />
          )
        })}
      </div>
    </div>
  )
}

const optionId = (id: TaskId): string => `archive-${id}`

function Option(props: {
  row: TaskRow
  style: React.CSSProperties
  selected: boolean
  onSelect(): void
}) {
  const { row, style, selected, onSelect } = props
  const { summary, level, project, continues, matches } = row
  const when = whenOf(summary)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the chosen one
    <div
      id={optionId(row.key)}
      role="option"
      aria-selected={selected}
      style={{ ...style, paddingLeft: 12 + Math.min(level, indentLevelsMax) * 16 }}
      onClick={onSelect}
      className={`absolute top-0 left-0 flex w-full items-center gap-2 pr-3 ${selected ? 'bg-accent-tint' : 'hover:bg-hover'} ${matches ? '' : 'opacity-60'}`}
    >
      <StatusIcon status={summary.status} />
      <div className="min-w-0 flex-1">
        <p className="untrusted truncate" title={summary.title}>
          {summary.title}
        </p>
        <p className="flex gap-1.5 truncate text-small text-muted">
          {project ? <span className="untrusted max-w-24 shrink-0 truncate">{project}</span> : null}
          <span className="untrusted truncate">{summary.agent}</span>
          {when ? <RelativeTime at={when} className="shrink-0" /> : null}
          {summary.transcriptExpired ? (
            <span className="truncate">transcript expired</span>
          ) : (
            <>
              <Bytes count={summary.bytes} className="shrink-0" />
              {summary.runs > 1 ? (
                <span className="tabular shrink-0">{summary.runs} runs</span>
              ) : null}
              <span
                className="tabular truncate"
                title={`${exactCount(summary.entries)} entries in its transcript`}
              >
                {counted(summary.entries, 'entry', 'entries')}
              </span>
            </>
          )}
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
        <FileText aria-label="With a report" className="size-3.5 shrink-0 text-faint" />
      ) : null}
    </div>
  )
}
