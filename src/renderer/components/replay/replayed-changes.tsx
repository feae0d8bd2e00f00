import { ChevronRight, FileText } from 'lucide-react'
import { useState } from 'react'
import type { TurnDiff } from '../../../shared/contract/transcripts/turn-files.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { ChangeLetter } from '../diff/change-letter.tsx'
import { Counts } from '../diff/counts.tsx'
import { PatchView } from '../diff/patch-view.tsx'
import { EmptyState, IconButton, NoticeLine } from '../primitives/index.ts'

/** The files of a diff, each of which opens to its changes. */
export function ReplayedChanges(props: {
  diff: TurnDiff
  /** Unified diffs by path. */
  patches: ReadonlyMap<string, string>
  onFile(path: string): void
}) {
  const { diff, patches, onFile } = props
  const [open, setOpen] = useState<string | null>(null)
  if (diff.files.length === 0) return <EmptyState sentence={nothing[diff.other.kind]} />
  return (
    <>
      {diff.truncated ? (
        <NoticeLine
          tone="info"
          className="px-4"
          text="The diff is too long to show in full: some files are listed without their changes."
        />
      ) : null}
      <ul>
        {diff.files.map(({ path, oldPath, change, additions, deletions }) => {
          const isOpen = open === path
          const patch = patches.get(path)
          return (
            <li key={path}>
              <div className="flex items-center pr-2 hover:bg-hover">
                <button
                  type="button"
                  aria-expanded={isOpen}
                  onClick={() => setOpen(isOpen ? null : path)}
                  className="focus-inset flex min-h-7 min-w-0 flex-1 items-center gap-2 pl-3 text-left"
                >
                  <ChevronRight
                    aria-hidden
                    className={`size-3.5 shrink-0 text-faint transition-transform ${isOpen ? 'rotate-90' : ''}`}
                  />
                  <ChangeLetter change={change} />
                  <span
                    className="min-w-0 flex-1 truncate font-mono text-code"
                    title={visibleText(path)}
                  >
                    {oldPath ? `${visibleText(oldPath)} → ` : ''}
                    {visibleText(path)}
                  </span>
                  {additions !== null && deletions !== null ? (
                    <Counts additions={additions} deletions={deletions} />
                  ) : (
                    <span className="text-small text-muted">binary</span>
                  )}
                </button>
                {change === 'deleted' ? null : (
                  <IconButton
                    size="small"
                    label={`Open ${path} as it was`}
                    icon={<FileText />}
                    onClick={() => onFile(path)}
                  />
                )}
              </div>
              {isOpen ? (
                <div className="px-2 pb-2">
                  {patch && /^@@ /m.test(patch) ? (
                    <PatchView patch={patch} path={path} />
                  ) : (
                    <p className="px-4 py-2 text-muted">
                      {additions === null
                        ? 'A binary file.'
                        : diff.truncated
                          ? 'The diff ends before this file.'
                          : 'Only its name or mode changed.'}
                    </p>
                  )}
                </div>
              ) : null}
            </li>
          )
        })}
      </ul>
    </>
  )
}

const nothing: Record<TurnDiff['other']['kind'], string> = {
  entry: 'No files changed.',
  folder: 'The working directory still has these files unchanged.',
  same: 'Nothing to compare with: no other state of the files was recorded.',
}
