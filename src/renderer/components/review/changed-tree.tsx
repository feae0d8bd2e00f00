/** The changed files of a review as a tree: names, counts, and marks for viewed files and comments. */
import { Check, Folder, GitMerge, MessageSquare, TriangleAlert } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { ChangeLetter } from '../diff/change-letter.tsx'
import { Counts } from '../diff/counts.tsx'
import { type ChangedFile, fileTreeRows } from './file-tree.ts'

/** How a file stands where the changes would be applied. */
export type Standing = 'open' | 'partly' | 'applied' | 'conflict'

export function ChangedTree(props: {
  files: readonly ChangedFile[]
  selected: string | null
  isViewed(file: ChangedFile): boolean
  standing(path: string): Standing
  /** Comments on a file. */
  comments(path: string): number
  onSelect(path: string): void
}) {
  const { files, selected, isViewed, standing, comments, onSelect } = props
  const rows = useMemo(() => fileTreeRows(files), [files])
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    if (selected !== null)
      list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  return (
    <ul ref={list} aria-label="Changed files" className="py-1">
      {rows.map((row) => {
        const style = { paddingLeft: 12 + row.depth * 14 }
        if (row.kind === 'folder')
          return (
            <li
              key={`folder ${row.path}`}
              style={style}
              className="flex min-h-6 items-center gap-1.5 pr-2 text-small text-muted"
            >
              <Folder aria-hidden className="size-3.5 shrink-0" />
              <span className="untrusted truncate" title={row.path}>
                {row.name}
              </span>
            </li>
          )
        const { file, name } = row
        const count = comments(file.path)
        const viewed = isViewed(file)
        return (
          <li key={file.path}>
            <button
              type="button"
              aria-current={file.path === selected || undefined}
              data-selected={file.path === selected}
              title={file.path}
              style={style}
              onClick={() => onSelect(file.path)}
              className="focus-inset flex min-h-7 w-full items-center gap-1.5 pr-2 text-left hover:bg-hover data-[selected=true]:bg-accent-tint"
            >
              <ChangeLetter change={file.change} />
              <span className={`untrusted min-w-0 flex-1 truncate ${viewed ? 'text-muted' : ''}`}>
                {name}
              </span>
              {count > 0 ? (
                <span className="flex items-center gap-0.5 text-small text-muted">
                  <MessageSquare aria-hidden className="size-3" />
                  {count}
                  <span className="sr-only"> comments</span>
                </span>
              ) : null}
              <StandingMark standing={standing(file.path)} />
              {viewed ? (
                <Check aria-label="Viewed" className="size-3.5 shrink-0 text-green" />
              ) : file.additions !== null && file.deletions !== null ? (
                <Counts additions={file.additions} deletions={file.deletions} />
              ) : null}
            </button>
          </li>
        )
      })}
    </ul>
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
