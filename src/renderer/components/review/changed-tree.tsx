/** The changed files of a review as a tree: names, counts, and marks for viewed files and comments. */

import { useVirtualizer } from '@tanstack/react-virtual'
import { Check, Folder, GitMerge, MessageSquare, TriangleAlert } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { ChangeLetter } from '../diff/change-letter.tsx'
import { Counts } from '../diff/counts.tsx'
import { type ChangedFile, type FileTreeRow, fileTreeRows } from './file-tree.ts'

/** The status of a file in the target of an apply. */
export type Standing = 'open' | 'partly' | 'applied' | 'conflict'

const folderRowPx = 24
const fileRowPx = 28
/** Rows rendered beyond the edges, so that scrolling shows no empty space. */
const overscanRows = 12

interface TreeProps {
  files: readonly ChangedFile[]
  selected: string | null
  isViewed(file: ChangedFile): boolean
  standing(path: string): Standing
  /** Returns the number of comments on a file. */
  comments(path: string): number
  onSelect(path: string): void
}

/** Scrolls by itself; only the rows in view are in the document, because there may be thousands. */
export function ChangedTree(props: TreeProps) {
  const { files, selected } = props
  const rows = useMemo(() => fileTreeRows(files), [files])
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => keyOf(rows[index]), [rows]),
    // A new function whenever the rows change, so that the heights are read again.
    estimateSize: useCallback(
      (index: number) => (rows[index]?.kind === 'folder' ? folderRowPx : fileRowPx),
      [rows],
    ),
    overscan: overscanRows,
    paddingStart: 4,
    paddingEnd: 4,
  })
  const at = rows.findIndex((row) => row.kind === 'file' && row.file.path === selected)
  useEffect(() => {
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'auto' })
  }, [at, virtualizer])
  return (
    <div ref={scroller} className="@container min-h-0 flex-1 overflow-y-auto">
      <ul
        aria-label="Changed files"
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map(({ key, index, start, size }) => {
          const row = rows[index]
          return row ? (
            <li
              key={key}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              style={{ height: size, transform: `translateY(${start}px)` }}
              className="absolute inset-x-0 top-0"
            >
              {row.kind === 'folder' ? <FolderLine row={row} /> : <FileLine {...props} row={row} />}
            </li>
          ) : null
        })}
      </ul>
    </div>
  )
}

const keyOf = (row: FileTreeRow | undefined): string =>
  row?.kind === 'folder' ? `folder ${row.path}` : (row?.file.path ?? '')

const indentOf = (depth: number) => ({ paddingLeft: 12 + depth * 14 })

function FolderLine({ row }: { row: Extract<FileTreeRow, { kind: 'folder' }> }) {
  return (
    <div
      style={indentOf(row.depth)}
      className="flex h-full items-center gap-1.5 pr-2 text-small text-muted"
    >
      <Folder aria-hidden className="size-3.5 shrink-0" />
      <span className="untrusted truncate" title={visibleText(row.path)}>
        {visibleText(row.name)}
      </span>
    </div>
  )
}

function FileLine(props: TreeProps & { row: Extract<FileTreeRow, { kind: 'file' }> }) {
  const { row, selected, isViewed, standing, comments, onSelect } = props
  const { file, name, depth } = row
  const count = comments(file.path)
  const viewed = isViewed(file)
  const isMarked = count > 0 || standing(file.path) !== 'open'
  return (
    <button
      type="button"
      aria-current={file.path === selected || undefined}
      data-selected={file.path === selected}
      title={visibleText(file.path)}
      style={indentOf(depth)}
      onClick={() => onSelect(file.path)}
      className="focus-inset flex h-full w-full items-center gap-1.5 pr-2 text-left hover:bg-hover data-[selected=true]:bg-accent-tint"
    >
      <ChangeLetter change={file.change} />
      <span className={`untrusted min-w-0 flex-1 truncate ${viewed ? 'text-muted' : ''}`}>
        {visibleText(name)}
      </span>
      {count > 0 ? (
        <span className="flex items-center gap-0.5 text-small text-muted">
          <MessageSquare aria-hidden className="size-3" />
          {count}
          <span className="sr-only"> {count === 1 ? 'comment' : 'comments'}</span>
        </span>
      ) : null}
      <StandingMark standing={standing(file.path)} />
      {viewed ? (
        <Check aria-label="Viewed" className="size-3.5 shrink-0 text-green" />
      ) : file.additions !== null && file.deletions !== null ? (
        // In a narrow tree the marks and the name are worth more.
        <span className={isMarked ? '@max-[14rem]:hidden' : undefined}>
          <Counts additions={file.additions} deletions={file.deletions} />
        </span>
      ) : null}
    </button>
  )
}

function StandingMark({ standing }: { standing: Standing }) {
  switch (standing) {
    case 'open':
      return null
    case 'conflict':
      return <TriangleAlert aria-label="Conflict" className="size-3.5 shrink-0 text-amber" />
    case 'applied':
      return <GitMerge aria-label="Applied" className="size-3.5 shrink-0 text-green" />
    case 'partly':
      return <GitMerge aria-label="Partly applied" className="size-3.5 shrink-0 text-muted" />
  }
}
