import { ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import { Counts } from '../../components/conversation/tool-call.tsx'
import { PatchView } from '../../components/diff/patch-view.tsx'
import { counted } from '../../components/primitives/format.ts'
import { NoticeLine } from '../../components/primitives/index.ts'
import { toggled } from '../../store/preferences.ts'
import { splitPatch } from './split-patch.ts'

/** Up to this many small files are open at first: most runs change a few. */
const openAtFirstMax = 3

type ChangedFile = WorkspaceDiff['files'][number]

/** Changed files with their counts; each opens to its diff. */
export function FileChanges({ diff }: { diff: WorkspaceDiff }) {
  const patches = useMemo(() => splitPatch(diff.patch), [diff.patch])
  const [toggledPaths, setToggled] = useState<string[]>([])
  const openAtFirst = diff.files.length <= openAtFirstMax
  const additions = sum(diff.files, ({ additions }) => additions)
  const deletions = sum(diff.files, ({ deletions }) => deletions)
  return (
    <>
      <p className="flex items-center gap-2 px-4 pt-2 pb-1 text-muted">
        {counted(diff.files.length, 'file')}
        <Counts additions={additions} deletions={deletions} />
      </p>
      {diff.truncated ? (
        <NoticeLine
          tone="info"
          className="px-4"
          text="The diff is cut here because it is long. Everything is applied, and is in the folder."
        />
      ) : null}
      <ul>
        {diff.files.map((file) => (
          <FileRow
            key={file.path}
            file={file}
            patch={patches.get(file.path) ?? null}
            open={openAtFirst !== toggledPaths.includes(file.path)}
            onToggle={() => setToggled(toggled(toggledPaths, file.path))}
          />
        ))}
      </ul>
    </>
  )
}

const letters = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' } as const
const colours = {
  added: 'text-green',
  modified: 'text-amber',
  deleted: 'text-red',
  renamed: 'text-accent',
} as const

function FileRow(props: {
  file: ChangedFile
  patch: string | null
  open: boolean
  onToggle(): void
}) {
  const { file, patch, open, onToggle } = props
  return (
    <li className="border-b last:border-b-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className="focus-inset flex min-h-7 w-full items-center gap-2 px-4 text-left hover:bg-hover"
      >
        <ChevronRight
          aria-hidden
          className={`size-3.5 shrink-0 text-faint transition-transform ${open ? 'rotate-90' : ''}`}
        />
        <span
          title={file.change}
          className={`w-3 shrink-0 font-mono text-code ${colours[file.change]}`}
        >
          <span aria-hidden>{letters[file.change]}</span>
          <span className="sr-only">{file.change}</span>
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-code" title={file.path}>
          {file.oldPath ? `${file.oldPath} → ` : ''}
          {file.path}
        </span>
        {file.additions !== null && file.deletions !== null ? (
          <Counts additions={file.additions} deletions={file.deletions} />
        ) : (
          <span className="text-small text-muted">binary</span>
        )}
      </button>
      {open ? (
        <div className="px-4 pb-2">
          {patch !== null && file.additions !== null ? (
            <PatchView patch={patch} path={file.path} />
          ) : (
            <p className="text-small text-muted">
              {file.additions === null
                ? 'A binary file has no lines to compare.'
                : 'Its part of the diff was cut. Open the folder to see it.'}
            </p>
          )}
        </div>
      ) : null}
    </li>
  )
}

const sum = (files: ChangedFile[], of: (file: ChangedFile) => number | null): number =>
  files.reduce((total, file) => total + (of(file) ?? 0), 0)
