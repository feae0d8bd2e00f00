import { ChevronDown, ChevronRight, ChevronUp } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { ChangeLetter } from '../../components/diff/change-letter.tsx'
import { Counts } from '../../components/diff/counts.tsx'
import { PatchView } from '../../components/diff/patch-view.tsx'
import { counted } from '../../components/primitives/format.ts'
import { IconButton, NoticeLine } from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'
import { isViewed } from '../../store/review/viewed-files.ts'
import { toggled } from '../../store/window/preferences.ts'
import { useKeys } from '../shell/use-keys.ts'
import { splitPatch } from './split-patch.ts'

/** Up to this many files are open at first: most runs change only a few. */
const openAtFirstMax = 3

type ChangedFile = WorkspaceDiff['files'][number]

/** Changed files with their counts; each opens to its diff and can be marked as viewed. */
export function FileChanges({ taskId, diff }: { taskId: TaskId; diff: WorkspaceDiff }) {
  const patches = useMemo(() => splitPatch(diff.patch), [diff.patch])
  const [toggledPaths, setToggled] = useState<string[]>([])
  const list = useRef<HTMLUListElement>(null)
  const { files } = diff
  const openAtFirst = files.length <= openAtFirstMax
  const additions = sum(files, ({ additions }) => additions)
  const deletions = sum(files, ({ deletions }) => deletions)
  const { viewedFiles } = useStores()
  const viewed = useStore(viewedFiles.store)
  const patchOf = (file: ChangedFile) => patches.get(file.path) ?? null
  const isMarked = (file: ChangedFile) => isViewed(viewed, taskId, file)
  const isOpen = (file: ChangedFile) => openAtFirst !== toggledPaths.includes(file.path)
  const viewedCount = files.filter(isMarked).length

  const markViewed = (file: ChangedFile) => {
    const isNow = viewedFiles.toggle(taskId, file)
    if (isOpen(file) === isNow) setToggled(toggled(toggledPaths, file.path))
  }
  /** Opens and focuses the file `step` places after the focused one, or the first. */
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
  useKeys([
    { keys: 'j', also: 'ArrowDown', label: 'Next changed file', group: 'Review' },
    { keys: 'k', also: 'ArrowUp', label: 'Previous changed file', group: 'Review' },
    { keys: 'v', label: 'Mark the changed file as viewed', group: 'Review' },
  ])
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
          text="The diff is too long to show in full. Apply uses all of it; the folder has all files."
        />
      ) : null}
      <ul ref={list} onKeyDown={onKeyDown}>
        {files.map((file) => (
          <FileRow
            key={file.path}
            file={file}
            patch={patchOf(file)}
            open={isOpen(file)}
            viewed={isMarked(file)}
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
    <li
      data-path={file.path}
      // With thousands of files only those in view are laid out.
      className="border-b [contain-intrinsic-size:auto_29px] [content-visibility:auto] last:border-b-0"
    >
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
          <span
            className="min-w-0 flex-1 truncate font-mono text-code"
            title={visibleText(file.path)}
          >
            {file.oldPath ? `${visibleText(file.oldPath)} → ` : ''}
            {visibleText(file.path)}
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
