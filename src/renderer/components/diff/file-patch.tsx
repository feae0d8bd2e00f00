/** Loaded lazily: the diff renderer and its worker. */
import { parsePatchFiles, registerCustomCSSVariableTheme } from '@pierre/diffs'
import { FileDiff, type FileDiffMetadata, WorkerPoolContextProvider } from '@pierre/diffs/react'
// The one without imports: served unbundled, the other's chunks import it back and it answers twice.
import DiffWorker from '@pierre/diffs/worker/worker-portable.js?worker'
import { useMemo } from 'react'

/** One is enough for what is opened by hand, and leaves the other cores to the agents. */
const workers = 1
const theme = 'shiplog'

// The colours of `theme.css`, which change with the theme by themselves.
registerCustomCSSVariableTheme(theme, {}, false)

const poolOptions = {
  workerFactory: () => new DiffWorker(),
  poolSize: workers,
  // After its own ten seconds it would colour on the main thread, and a busy machine would stand still.
  workerInitializationTimeout: 120_000,
}
const highlighterOptions = { theme, lineDiffType: 'word' as const }

const options = {
  theme,
  diffStyle: 'unified' as const,
  // Bars and tints are backgrounds, which forced colours take away: then by + and −.
  diffIndicators: matchMedia('(forced-colors: active)').matches
    ? ('classic' as const)
    : ('bars' as const),
  lineDiffType: 'word' as const,
  overflow: 'wrap' as const,
  disableFileHeader: true,
  hunkSeparators: 'simple' as const,
  // A theme of CSS variables counts as dark; its colours already follow the page.
  unsafeCSS: ':host, :host * { color-scheme: inherit !important; }',
}

/** Throws when `patch` holds no file. */
export default function FilePatch({ patch }: { patch: string }) {
  const file = useMemo(() => firstFile(patch), [patch])
  return (
    <WorkerPoolContextProvider poolOptions={poolOptions} highlighterOptions={highlighterOptions}>
      <FileDiff fileDiff={file} options={options} className="diff" />
    </WorkerPoolContextProvider>
  )
}

function firstFile(patch: string): FileDiffMetadata {
  const [file] = parsePatchFiles(patch).flatMap((parsed) => parsed.files)
  if (!file) throw new Error('not a patch')
  return file
}
