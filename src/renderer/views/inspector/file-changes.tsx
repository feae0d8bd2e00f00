import { ChevronDown, ChevronRight, ChevronUp } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { Counts } from '../../components/conversation/rows/tool-call.tsx'
import { ChangeLetter } from '../../components/diff/change-letter.tsx'
import { PatchView } from '../../components/diff/patch-view.tsx'
import { counted } from '../../components/primitives/format.ts'
import { IconButton, NoticeLine } from '../../components/primitives/index.ts'
import { toggled } from '../../store/window/preferences.ts'
import { splitPatch } from './split-patch.ts'

/** Up to this many small files are open at first: most runs change a few. */
const openAtFirstMax = 3

type ChangedFile = WorkspaceDiff['files'][number]

/** The files that the person has marked as viewed, with the patch they saw; kept while the window is open. */
const viewedPatches = new Map<TaskId, Map<string, string | null>>()

/** Changed files with their counts; each opens to its diff and can be marked as viewed. */
export function FileChanges({ taskId, diff }: { taskId: TaskId; diff: WorkspaceDiff }) {
  const patches = useMemo(() => splitPatch(diff.patch), [diff.patch])
  const [toggledPaths, setToggled] = useState<string[]>([])
  const [, redraw] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const { files } = diff
  const openAtFirst = files.length <= openAtFirstMax
  const additions = sum(files, ({ additions }) => additions)
  const deletions = sum(files, ({ deletions }) => deletions)
  const viewed = viewedPatches.get(taskId)
  const patchOf = (file: ChangedFile) => patches.get(file.path) ?? null
  /** One that changed since has to be looked at again. */
  const isViewed = (file: ChangedFile) =>
    viewed?.has(file.path) === true && viewed.get(file.path) === patchOf(file)
  const isOpen = (file: ChangedFile) => openAtFirst !== toggledPaths.includes(file.path)
  const viewedCount = files.filter(isViewed).length

  const markViewed = (file: ChangedFile) => {
    const marks = viewed ?? new Map<string, string | null>()
    viewedPatches.set(taskId, marks)
    const wasViewed = isViewed(file)
    if (wasViewed) marks.delete(file.path)
    else marks.set(file.path, patchOf(file))
    if (isOpen(file) === !wasViewed) setToggled(toggled(toggledPaths, file.path))
    redraw((count) => count + 1)
  }
  /** Opens the file so many places after the one with the focus, or the first, and focuses it. */
  const goTo = (step: 1 | -1) => {
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('[data-file]') ?? [])]
    const inList = list.current?.querySelector('li:focus-within [data-file]')
    const current = buttons.findIndex((button) => button === (inList ?? lastFile.current))
    const next = buttons[Math.min(buttons.length - 1, Math.max(0, current + step))]
    const file = files.find(({ path }) => path === next?.dataset.file)
    if (!next || !file) return
    lastFile.current = next
    if (!isOpen(file)) setToggled(toggled(toggledPaths, file.path))
    next.focus({ preventScroll: true })
    next.scrollIntoView({ block: 'start' })
  }
  const lastFile = useRef<Element | null>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const path = (event.target as HTMLElement).closest('li')?.dataset.path
    const file = files.find((one) => one.path === path)
    if (event.key === 'j' || event.key === 'ArrowDown') goTo(1)
    else if (event.key === 'k' || event.key === 'ArrowUp') goTo(-1)
    else if (event.key === 'v' && file) markViewed(file)
    else return
    event.preventDefault()
  }
  return (
    <>
      <div className="flex items-center gap-2 py-1 pr-2 pl-4 text-muted">
        <span className="shrink-0">{counted(files.length, 'file')}</span>
        <Counts additions={additions} deletions={deletions} />
        <span className="tabular min-w-0 flex-1 truncate text-right text-small">
          {viewedCount > 0 ? `${viewedCount} of ${files.length} viewed` : ''}
        </span>
        <IconButton
          size="small"
          label="Previous file"
          shortcut="k"
          icon={<ChevronUp />}
          onClick={() => goTo(-1)}
        />
        <IconButton
          size="small"
          label="Next file"
          shortcut="j"
          icon={<ChevronDown />}
          onClick={() => goTo(1)}
        />
      </div>
      {diff.truncated ? (
        <NoticeLine
          tone="info"
          className="px-4"
          text="The diff is too long to show whole. Apply uses all of it; the folder has all files."
        />
      ) : null}
      <ul ref={list} onKeyDown={onKeyDown}>
        {files.map((file) => (
          <FileRow
            key={file.path}
            file={file}
            patch={patchOf(file)}
            open={isOpen(file)}
            viewed={isViewed(file)}
            onToggle={() => setToggled(toggled(toggledPaths, file.path))}
            onViewed={() => markViewed(file)}
          />
        ))}
      </ul>
    </>
  )
}

function FileRow(props: {
  file: ChangedFile
  patch: string | null
  open: boolean
  viewed: boolean
  onToggle(): void
  onViewed(): void
}) {
  const { file, patch, open, viewed, onToggle, onViewed } = props
  return (
    <li data-path={file.path} className="border-b last:border-b-0">
      {/* The name stays in sight above a long diff. */}
      <div className="sticky top-0 z-10 flex items-center bg-canvas">
        <button
          type="button"
          aria-expanded={open}
          data-file={file.path}
          onClick={onToggle}
          className={`focus-inset flex min-h-7 min-w-0 flex-1 items-center gap-2 pr-2 pl-4 text-left hover:bg-hover ${viewed ? 'text-muted' : ''}`}
        >
          <ChevronRight
            aria-hidden
            className={`size-3.5 shrink-0 text-faint transition-transform ${open ? 'rotate-90' : ''}`}
          />
          <ChangeLetter change={file.change} />
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
        <label className="flex h-7 shrink-0 items-center gap-1 pr-4 pl-1 text-small text-muted">
          <input
            type="checkbox"
            checked={viewed}
            onChange={onViewed}
            aria-label={`Viewed: ${file.path}`}
            className="size-3.5 accent-(--accent-fill)"
          />
          Viewed
        </label>
      </div>
      {open ? (
        <div className="px-4 pb-2">
          {patch !== null && file.additions === 0 && file.deletions === 0 ? (
            <p className="text-small text-muted">
              {file.oldPath ? 'Renamed; the content is the same.' : 'No lines changed.'}
            </p>
          ) : patch !== null && file.additions !== null ? (
            <PatchView patch={patch} path={file.path} />
          ) : (
            <p className="text-small text-muted">
              {file.additions === null
                ? 'Binary file: no lines to compare.'
                : 'Not part of the shortened diff. Open the folder to see this file.'}
            </p>
          )}
        </div>
      ) : null}
    </li>
  )
}

const sum = (files: ChangedFile[], of: (file: ChangedFile) => number | null): number =>
  files.reduce((total, file) => total + (of(file) ?? 0), 0)
