import { type ReactNode, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { counted } from '../../components/primitives/format.ts'
import { Button, DialogShell, Skeleton } from '../../components/primitives/index.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import type { ImportResult, ImportRunView } from '../../store/imports/import-run.ts'
import type { Route } from '../../store/window/route.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useChooseLog } from '../opened/use-dropped-log.ts'
import { choicesOf, hasNew, type LeftOut, nothingLeftOut } from './import-choices.ts'
import { ResultView } from './import-result.tsx'
import { SourceChoice } from './import-sources.tsx'
import { progressText } from './import-texts.ts'
import { startImport } from './start-import.ts'
import { WatchSwitch } from './watch-switch.tsx'

/** Imports sessions of other tools on this machine: the list to choose from, the progress and the result. */
export function ImportDialog() {
  const { overlay, imports } = useStores()
  const { sources, running, result, problem } = useStore(imports.store)
  const [leftOut, setLeftOut] = useState(nothingLeftOut)
  useEffect(() => {
    void imports.scan()
  }, [imports])
  return (
    <DialogShell
      open
      onClose={overlay.hide}
      title="Import sessions"
      size="medium"
      focus="dialog"
      footer={<Footer leftOut={leftOut} onMore={() => setLeftOut(nothingLeftOut)} />}
    >
      <div className="flex flex-col gap-4 p-4">
        {problem ? (
          <ProblemNotice
            problem={problem}
            action={{
              label: 'Try again',
              onClick: () =>
                void (result ? startImport({ imports, overlay }, 'retry') : imports.scan()),
            }}
          />
        ) : null}
        {running ? (
          <Running {...running} />
        ) : result ? (
          <ResultView result={result} />
        ) : sources === null ? (
          problem ? null : (
            <Skeleton lines={4} />
          )
        ) : sources.length === 0 ? (
          <p className="text-muted">
            No sessions of Claude Code or Codex were found on this machine. A log from elsewhere, or
            an export of Shiplog, can be opened from a file or dropped on the window, and then
            imported. Whole folders are imported with{' '}
            <code className="font-mono text-code">shiplog import claude-code PATH</code>.
          </p>
        ) : (
          <>
            <p className="text-muted">
              Sessions are copied into the archive with their sub-agents, and never expire there.
              Nothing leaves this machine, and their files are not changed.
            </p>
            {sources.map((source) => (
              <SourceChoice
                key={source.tool}
                source={source}
                leftOut={leftOut}
                onChange={setLeftOut}
              />
            ))}
          </>
        )}
        <WatchSwitch />
      </div>
    </DialogShell>
  )
}

/** The next steps. `onMore`: another import begins. */
function Footer({ leftOut, onMore }: { leftOut: LeftOut; onMore(): void }): ReactNode {
  const { overlay, imports } = useStores()
  const unreachable = useUnreachable()
  const { sources, running, result } = useStore(imports.store)
  const chooseLog = useChooseLog(overlay.hide)
  if (running)
    return (
      <>
        <span role="status" className="min-w-0 flex-1 text-small text-muted">
          The import continues in the background.
        </span>
        <Button onClick={imports.stop}>Stop</Button>
        <Button variant="primary" onClick={overlay.hide}>
          Hide
        </Button>
      </>
    )
  if (result) return <ResultActions result={result} onMore={onMore} />
  const choices = choicesOf(sources ?? [], leftOut)
  const isKept = sources?.every(({ byProject }) => !byProject.some(hasNew)) ?? false
  const sessions = choices.reduce((sum, { expected }) => sum + (expected?.sessions ?? 0), 0)
  return (
    <>
      <span className="flex-1">
        <Button title="A log of another tool, or an export of Shiplog" onClick={chooseLog}>
          From a file…
        </Button>
      </span>
      <Button onClick={overlay.hide}>{isKept ? 'Close' : 'Not now'}</Button>
      <Button
        variant="primary"
        disabled={sessions === 0 || unreachable !== undefined}
        title={unreachable}
        onClick={() => void startImport({ imports, overlay }, choices)}
      >
        {sessions === 0 ? 'Import' : `Import ${counted(sessions, 'session')}`}
      </Button>
    </>
  )
}

function ResultActions({
  result: { ended, skipped, sessions },
  onMore,
}: {
  result: ImportResult
  onMore(): void
}) {
  const { overlay, imports, navigation } = useStores()
  const leaveTo = (route: Route) => () => {
    imports.dismiss()
    overlay.hide()
    navigation.go(route)
  }
  const retry = () => void startImport({ imports, overlay }, 'retry')
  return (
    <>
      <span className="flex-1">
        {ended !== 'done' ? (
          <Button onClick={retry}>Continue</Button>
        ) : skipped.length > 0 ? (
          <Button onClick={retry}>Try {skipped.length === 1 ? 'it' : 'them'} again</Button>
        ) : null}
      </span>
      <Button
        onClick={() => {
          onMore()
          imports.dismiss()
        }}
      >
        Import more…
      </Button>
      {sessions.length > 0 ? (
        <>
          <Button onClick={leaveTo({ screen: 'search', query: 'is:imported ' })}>Search…</Button>
          <Button
            variant="primary"
            onClick={leaveTo({ screen: 'archive', taskId: null, tab: 'report' })}
          >
            Open the archive
          </Button>
        </>
      ) : null}
    </>
  )
}

function Running({ progress, startedAt }: NonNullable<ImportRunView['running']>) {
  if (!progress) return <Skeleton lines={2} />
  const { bytes, bytesTotal } = progress
  const percent = bytesTotal === 0 ? 0 : Math.round((bytes / bytesTotal) * 100)
  return (
    <div className="flex flex-col gap-2">
      <div
        role="progressbar"
        aria-label="Import"
        aria-valuenow={percent}
        aria-valuetext={`${percent}%`}
        className="h-1.5 overflow-hidden rounded-full bg-hover"
      >
        <div className="h-full bg-[var(--accent-fill)]" style={{ width: `${percent}%` }} />
      </div>
      <p className="tabular text-muted">{progressText(progress, performance.now() - startedAt)}</p>
    </div>
  )
}
