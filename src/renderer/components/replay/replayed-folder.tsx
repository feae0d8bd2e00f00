import { ChevronRight, File, FolderGit2, Link2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { MissingFiles, TurnFolder } from '../../../shared/contract/transcripts/turn-files.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { bytes, counted } from '../primitives/format.ts'
import { EmptyState, Skeleton } from '../primitives/index.ts'

/** A folder as of the moment; its folders expand in place. `folderAt` returns null while a folder is being read. */
export function ReplayedFolder(props: {
  path: string
  depth?: number
  folderAt(path: string): TurnFolder | MissingFiles | null
  isOpen(path: string): boolean
  onToggle(path: string): void
  onFile(path: string): void
}): ReactNode {
  const { path, depth = 0, folderAt, isOpen, onToggle, onFile } = props
  const folder = folderAt(path)
  const indent = { paddingLeft: 12 + depth * 16 }
  if (folder === null)
    return <Skeleton lines={depth === 0 ? 6 : 1} className={depth === 0 ? 'p-4' : 'py-1 pl-10'} />
  if (folder.kind === 'missing') return <EmptyState sentence={folder.message} />
  if (folder.names.length === 0 && depth === 0)
    return <EmptyState sentence="There were no files." />
  return (
    <ul>
      {folder.names.map(({ name, kind, bytes: size }) => {
        const full = path === '' ? name : `${path}/${name}`
        const opens = kind === 'folder'
        const Icon = icons[kind]
        return (
          <li key={name}>
            <button
              type="button"
              aria-expanded={opens ? isOpen(full) : undefined}
              onClick={() => (opens ? onToggle(full) : onFile(full))}
              style={indent}
              className="focus-inset flex min-h-7 w-full min-w-0 items-center gap-2 pr-3 text-left hover:bg-hover"
            >
              <Icon
                aria-hidden
                className={`size-3.5 shrink-0 text-faint transition-transform ${opens && isOpen(full) ? 'rotate-90' : ''}`}
              />
              <span
                className="min-w-0 flex-1 truncate font-mono text-code"
                title={visibleText(full)}
              >
                {visibleText(name)}
                {opens ? '/' : ''}
              </span>
              {size === null ? null : (
                <span className="tabular shrink-0 text-small text-muted">{bytes(size)}</span>
              )}
            </button>
            {opens && isOpen(full) ? (
              <ReplayedFolder {...props} path={full} depth={depth + 1} />
            ) : null}
          </li>
        )
      })}
      {folder.more > 0 ? (
        <li className="py-1 text-small text-muted" style={indent}>
          and {counted(folder.more, 'more name')}
        </li>
      ) : null}
    </ul>
  )
}

const icons = { folder: ChevronRight, file: File, link: Link2, submodule: FolderGit2 } as const
