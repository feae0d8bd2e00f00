/** Loaded lazily: the diff renderer and its worker. */
import { parsePatchFiles, registerCustomCSSVariableTheme } from '@pierre/diffs'
import {
  type DiffLineAnnotation,
  FileDiff,
  type FileDiffMetadata,
  WorkerPoolContextProvider,
} from '@pierre/diffs/react'
// The version without imports. In the other one, served unbundled, chunks import the worker again,
// and it answers twice.
import DiffWorker from '@pierre/diffs/worker/worker-portable.js?worker'
import { Plus } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { PatchText } from './patch-text.tsx'

/** One is enough for files opened by hand, and leaves the other cores to the agents. */
const workers = 1
const theme = 'shiplog'

// The colors of `theme.css`, which follow the theme.
registerCustomCSSVariableTheme(theme, {}, false)

const poolOptions = {
  workerFactory: () => new DiffWorker(),
  poolSize: workers,
  // After its default of ten seconds it would highlight on the main thread, and block a busy
  // machine.
  workerInitializationTimeout: 120_000,
}
const highlighterOptions = { theme, lineDiffType: 'word' as const }

const options = {
  theme,
  // Bars and tints are backgrounds, which forced colors remove: then uses + and −.
  diffIndicators: matchMedia('(forced-colors: active)').matches
    ? ('classic' as const)
    : ('bars' as const),
  lineDiffType: 'word' as const,
  overflow: 'wrap' as const,
  disableFileHeader: true,
  hunkSeparators: 'simple' as const,
  // A theme of CSS variables counts as dark; its colors already follow the page.
  unsafeCSS: ':host, :host * { color-scheme: inherit !important; }',
}

/** A line of a patch: of the new file, or of the old one if it was removed. */
export interface PatchLine {
  side: 'additions' | 'deletions'
  /** From 1; 0: above the first line. */
  line: number
}

export interface FilePatchProps {
  patch: string
  layout?: 'unified' | 'split'
  /** The lines below which a note is shown. */
  notes?: readonly PatchLine[]
  renderNote?(line: PatchLine): ReactNode
  /** Offers a button beside the line under the pointer. */
  onAddNote?(line: PatchLine): void
  /** The line that keys act on. */
  cursor?: PatchLine | null
}

/** Throws if `patch` contains no file. */
export default function FilePatch(props: FilePatchProps) {
  const { patch, layout = 'unified', notes = [], renderNote, onAddNote, cursor } = props
  const file = useMemo(() => firstFile(patch), [patch])
  // The renderer draws nothing before its worker has started, which takes seconds on a busy machine.
  const [isDrawn, setDrawn] = useState(false)
  const shown = useMemo(
    () => ({
      ...options,
      diffStyle: layout,
      enableGutterUtility: onAddNote !== undefined,
      onPostRender: () => setDrawn(true),
    }),
    [layout, onAddNote],
  )
  const lineAnnotations = useMemo(
    () => notes.map(({ side, line }): DiffLineAnnotation => ({ side, lineNumber: line })),
    [notes],
  )
  const cursorSide = cursor?.side
  const cursorLine = cursor?.line
  const selectedLines = useMemo(
    () =>
      cursorLine === undefined
        ? null
        : { start: cursorLine, end: cursorLine, side: cursorSide, endSide: cursorSide },
    [cursorSide, cursorLine],
  )
  return (
    <WorkerPoolContextProvider poolOptions={poolOptions} highlighterOptions={highlighterOptions}>
      {isDrawn ? null : <PatchText patch={patch} />}
      <FileDiff
        fileDiff={file}
        options={shown}
        lineAnnotations={lineAnnotations}
        selectedLines={selectedLines}
        renderAnnotation={({ side, lineNumber }) => renderNote?.({ side, line: lineNumber })}
        // The renderer's own button has no name.
        renderGutterUtility={
          onAddNote && ((lineAt) => <AddNote lineAt={lineAt} onAdd={onAddNote} />)
        }
        className="diff"
      />
    </WorkerPoolContextProvider>
  )
}

/** The button beside the line under the pointer, or at the cursor. */
function AddNote(props: {
  lineAt(): { lineNumber: number; side?: PatchLine['side'] } | undefined
  onAdd(line: PatchLine): void
}) {
  return (
    <button
      type="button"
      aria-label="Comment on the line"
      className="flex size-[18px] cursor-pointer items-center justify-center rounded-sm bg-accent-fill text-on-fill"
      onClick={() => {
        const at = props.lineAt()
        if (at) props.onAdd({ side: at.side ?? 'additions', line: at.lineNumber })
      }}
    >
      <Plus aria-hidden className="size-3.5" />
    </button>
  )
}

function firstFile(patch: string): FileDiffMetadata {
  const [file] = parsePatchFiles(patch).flatMap((parsed) => parsed.files)
  if (!file) throw new Error('not a patch')
  return file
}
