import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { ImportSourceFound } from '../../../shared/contract/imports.ts'
import { sessionToolSchema } from '../../../shared/records/exported-tasks.ts'
import { shortId } from '../../../shared/records/ids.ts'
import { toolName } from '../../../shared/text/import-text.ts'
import { counted } from '../../components/primitives/format.ts'
import {
  Button,
  Bytes,
  DialogShell,
  RelativeTime,
  Skeleton,
  TextButton,
  toast,
} from '../../components/primitives/index.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import type { ImportChoice, ImportResult, ImportRunView } from '../../store/imports/import-run.ts'
import type { Stores } from '../../store/stores.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { dangerText, foundText, linesText, progressText, resultText } from './import-texts.ts'

/** Identifies a folder of a tool's sessions; its sessions may not say which it is. */
const keyOf = (tool: string, dir: string | null): string => `${tool}\n${dir ?? ''}`

/** Sessions of other tools on this machine: which there are, which to keep, how far that is, and what came of it. */
export function ImportDialog() {
  const { overlay, imports, navigation } = useStores()
  const unreachable = useUnreachable()
  const { sources, running, result, problem } = useStore(imports.store)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    void imports.scan()
  }, [imports])
  const chosen = (sources ?? []).flatMap((source) =>
    source.byProject.filter(({ dir }) => !left.has(keyOf(source.tool, dir))),
  )
  const sessions = chosen.reduce((sum, one) => sum + one.sessions, 0)
  const start = () => void startImport({ imports, overlay }, choicesOf(sources ?? [], left))
  const toArchive = () => {
    imports.dismiss()
    overlay.hide()
    navigation.go({ screen: 'archive', taskId: null, tab: 'report' })
  }
  return (
    <DialogShell
      open
      onClose={overlay.hide}
      title="Import sessions"
      size="medium"
      focus="dialog"
      footer={
        <>
          <span role="status" className="min-w-0 flex-1 text-small text-muted">
            {running ? 'The import goes on in the background.' : null}
          </span>
          {running ? (
            <>
              <Button onClick={imports.stop}>Stop</Button>
              <Button variant="primary" onClick={overlay.hide}>
                Hide
              </Button>
            </>
          ) : result ? (
            <>
              <Button onClick={imports.dismiss}>Import more…</Button>
              <Button variant="primary" onClick={toArchive}>
                Open the archive
              </Button>
            </>
          ) : (
            <>
              <Button onClick={overlay.hide}>Not now</Button>
              <Button
                variant="primary"
                disabled={sessions === 0 || unreachable !== undefined}
                title={unreachable}
                onClick={start}
              >
                {sessions === 0 ? 'Keep' : `Keep ${counted(sessions, 'session')}`}
              </Button>
            </>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4 p-4">
        {problem ? (
          <ProblemNotice
            problem={problem}
            action={{ label: 'Try again', onClick: () => void imports.scan() }}
          />
        ) : null}
        {running ? (
          <Running {...running} />
        ) : result ? (
          <Result result={result} />
        ) : sources === null ? (
          problem ? null : (
            <Skeleton lines={4} />
          )
        ) : sources.length === 0 ? (
          <p className="text-muted">
            No sessions of Claude Code were found on this machine. Sessions elsewhere are imported
            with <code className="font-mono text-code">shiplog import claude-code PATH</code>.
          </p>
        ) : (
          <>
            <p className="text-muted">
              They are copied into the archive with their sub-agents, and never expire there.
              Nothing leaves this machine, and their files are not changed.
            </p>
            {sources.map((source) => (
              <Source key={source.tool} source={source} left={left} onChange={setLeft} />
            ))}
          </>
        )}
      </div>
    </DialogShell>
  )
}

/** Starts an import and reports how it ended, also when its dialog was closed meanwhile. */
export async function startImport(
  { imports, overlay }: Pick<Stores, 'imports' | 'overlay'>,
  choices: ImportChoice[],
): Promise<void> {
  const result = await imports.start(choices)
  // Its dialog shows the result itself.
  if (result && overlay.store.getState().kind !== 'import') toast.success(resultText(result))
}

/** All folders of a tool are imported as a whole, so that those found meanwhile are too. */
export function choicesOf(
  sources: ImportSourceFound[],
  left: ReadonlySet<string> = new Set(),
): ImportChoice[] {
  return sources.flatMap((source): ImportChoice[] => {
    const tool = sessionToolSchema.safeParse(source.tool)
    const kept = source.byProject.filter(({ dir }) => !left.has(keyOf(source.tool, dir)))
    if (!tool.success || kept.length === 0) return []
    const isAll = kept.length === source.byProject.length
    return [{ tool: tool.data, projects: isAll ? null : kept.map(({ dir }) => dir) }]
  })
}

function Source(props: {
  source: ImportSourceFound
  left: ReadonlySet<string>
  onChange(left: ReadonlySet<string>): void
}) {
  const { source, left, onChange } = props
  const { tool, byProject, imported } = source
  const keys = byProject.map(({ dir }) => keyOf(tool, dir))
  const areAll = keys.every((key) => !left.has(key))
  const danger = dangerText(source)
  const change = (changed: string[], keep: boolean) => {
    const next = new Set(left)
    for (const key of changed) keep ? next.delete(key) : next.add(key)
    onChange(next)
  }
  return (
    <section aria-label={toolName(tool)} className="flex flex-col gap-1">
      <p>
        {foundText(source)}
        {imported > 0 ? ` ${imported} of them are in the archive already.` : ''}
      </p>
      {danger ? <p className="text-amber">{danger}</p> : null}
      <div className="flex items-center">
        <h3 className="flex-1 font-semibold">Projects</h3>
        <TextButton onClick={() => change(keys, !areAll)}>
          {areAll ? 'Choose none' : 'Choose all'}
        </TextButton>
      </div>
      <ul className="max-h-72 overflow-auto rounded-md border">
        {byProject.map(({ dir, sessions, bytes, lastAt }) => (
          <li key={keyOf(tool, dir)} className="border-b last:border-b-0">
            <label className="flex min-h-9 items-center gap-2 px-3 py-1">
              <input
                type="checkbox"
                className="size-4 shrink-0 accent-[var(--accent-fill)]"
                checked={!left.has(keyOf(tool, dir))}
                onChange={(event) => change([keyOf(tool, dir)], event.target.checked)}
              />
              <span
                title={dir ?? undefined}
                className="untrusted min-w-0 flex-1 truncate"
                dir="auto"
              >
                {dir ?? 'No known folder'}
              </span>
              <span className="tabular shrink-0 text-small text-muted">
                {counted(sessions, 'session')} · <Bytes count={bytes} /> ·{' '}
                <RelativeTime at={lastAt} />
              </span>
            </label>
          </li>
        ))}
      </ul>
    </section>
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

/** More is found in the archive. */
const listedMax = 50

function Result({ result }: { result: ImportResult }) {
  const { overlay, imports, navigation } = useStores()
  const { sessions, skipped } = result
  const sum = (key: 'lines' | 'mapped' | 'foreign' | 'damaged') =>
    sessions.reduce((total, one) => total + one[key], 0)
  const open = (taskId: string) => {
    imports.dismiss()
    overlay.hide()
    navigation.go({ screen: 'archive', taskId, tab: 'transcript' })
  }
  return (
    <div className="flex flex-col gap-3">
      <div>
        <p role="status">{resultText(result)}</p>
        <p className="text-small text-muted">
          {linesText({
            ...{ lines: sum('lines'), mapped: sum('mapped') },
            ...{ foreign: sum('foreign'), damaged: sum('damaged') },
          })}
        </p>
      </div>
      {sessions.length > 0 ? (
        <ul aria-label="Imported sessions" className="max-h-72 overflow-auto rounded-md border">
          {sessions.slice(0, listedMax).map(({ taskId, title }) => (
            <li key={taskId} className="border-b px-3 py-1 last:border-b-0">
              <TextButton className="max-w-full truncate" onClick={() => open(taskId)}>
                <span className="untrusted">{title || shortId(taskId)}</span>
              </TextButton>
            </li>
          ))}
        </ul>
      ) : null}
      {skipped.length > 0 ? (
        <ul aria-label="Sessions that were left out" className="max-h-40 overflow-auto text-small">
          {skipped.map(({ session, reason }) => (
            <li key={session} className="untrusted wrap-anywhere text-muted">
              {session}: {reason}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
