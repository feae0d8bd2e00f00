import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { OpenedLog } from '../../../shared/contract/opened.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { toolName } from '../../../shared/text/import-text.ts'
import { counted } from '../../components/primitives/format.ts'
import { Button, EmptyState, Select, Skeleton, toast } from '../../components/primitives/index.ts'
import { createOpenedClient } from '../../rpc/opened-client.ts'
import { StoresContext, useLedger, useRoute, useStores } from '../../store/hooks.ts'
import type { OpenedView } from '../../store/opened/opened-logs.ts'
import { createOpenedStores } from '../../store/opened/opened-stores.ts'
import type { Stores } from '../../store/stores.ts'
import { homeRoute } from '../../store/window/route.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { ArchiveReader } from '../archive/archive-reader.tsx'
import { ExportDialog } from '../export/export-dialog.tsx'
import { resultText } from '../imports/import-texts.ts'
import { useChooseLog } from './use-dropped-log.ts'

/** A log that is read without being imported: the open one with `id`, or the one at `path`, which is opened. */
export function OpenedScreen({ id, path }: { id: string | null; path: string | null }) {
  const { opened, navigation } = useStores()
  const view = useStore(opened.store)
  useEffect(() => {
    if (id !== null) void opened.show(id)
    else if (path !== null)
      void opened.openPath(path).then((log) => {
        if (log) navigation.go({ screen: 'opened', id: log.id, path: null }, { replace: true })
      })
  }, [opened, navigation, id, path])
  return view.kind === 'open' ? (
    <Opened key={view.log.id} log={view.log} />
  ) : (
    <NotOpen view={view} />
  )
}

function NotOpen({ view }: { view: Exclude<OpenedView, { kind: 'open' }> }) {
  const { opened, navigation } = useStores()
  const chooseLog = useChooseLog()
  const leave = () => {
    opened.close()
    navigation.go(homeRoute)
  }
  if (view.kind === 'closed')
    return (
      <EmptyState
        sentence="This log is no longer open. Drop it on the window, or choose it again."
        action={{ label: 'Open a log…', onClick: chooseLog }}
      />
    )
  if (view.kind === 'failed')
    return (
      <div className="mx-auto flex w-full max-w-160 flex-col gap-3 p-6">
        <h1 className="text-title font-semibold">
          <span className="untrusted wrap-anywhere">{view.name}</span> can’t be opened
        </h1>
        <ProblemNotice problem={view.problem} action={{ label: 'Home', onClick: leave }} />
      </div>
    )
  const { name = '', bytes = 0, bytesTotal = 0 } = view.kind === 'opening' ? view : {}
  const percent = bytesTotal === 0 ? 0 : Math.round((bytes / bytesTotal) * 100)
  return (
    <div className="mx-auto flex w-full max-w-160 flex-col gap-3 p-6" aria-busy="true">
      <h1 className="flex items-center gap-2 text-title font-semibold">
        <span className="min-w-0 flex-1">
          Reading <span className="untrusted wrap-anywhere">{name}</span>
          {bytesTotal > 0 ? <span className="tabular text-muted"> · {percent}%</span> : null}
        </span>
        <Button onClick={leave}>Cancel</Button>
      </h1>
      <Skeleton lines={6} />
    </div>
  )
}

/** Provides stores of the log's own in place of the window's. */
function Opened({ log }: { log: OpenedLog }) {
  const outer = useStores()
  const [inner, setInner] = useState<Stores | null>(null)
  useEffect(() => {
    const [first] = log.sessions
    if (!first) return
    const stores = createOpenedStores(outer, createOpenedClient(outer.client, log.id), first.taskId)
    stores.open()
    setInner(stores)
    return () => stores.close()
  }, [outer, log])
  if (!inner) return <Skeleton lines={6} className="p-6" />
  return (
    <StoresContext value={inner}>
      <OpenedBar log={log} outer={outer} />
      <Reader />
      <Dialogs />
    </StoresContext>
  )
}

function OpenedBar({ log, outer }: { log: OpenedLog; outer: Stores }) {
  const { navigation } = useStores()
  const shown = useShownRoot()
  const running = useStore(outer.imports.store, (view) => view.running !== null)
  const close = () => {
    outer.opened.close()
    outer.navigation.go(homeRoute)
  }
  const importLog = async () => {
    const result = await outer.imports.start(
      log.tools.map((tool) => ({ tool, projects: null, path: log.path })),
    )
    const [first] = result?.sessions ?? []
    if (!result || !first) return outer.overlay.show({ kind: 'import' })
    toast.success(resultText(result))
    outer.imports.dismiss()
    outer.opened.close()
    outer.navigation.go({ screen: 'archive', taskId: first.taskId, tab: 'transcript' })
  }
  return (
    <section
      aria-label="Opened log"
      className="flex shrink-0 flex-wrap items-center gap-2 border-b bg-hover px-4 py-2"
    >
      <p className="min-w-40 flex-1 text-small text-muted">
        <span title={log.path} className="untrusted font-semibold wrap-anywhere text-ink">
          {log.name}
        </span>{' '}
        · {log.tools.map(toolName).join(', ')} · open for reading, not in the archive
        {log.skipped.length > 0
          ? ` · ${counted(log.skipped.length, 'session')} could not be read`
          : null}
      </p>
      {log.sessions.length > 1 ? (
        <Select
          label="Session"
          value={shown ?? log.sessions[0]?.taskId ?? ''}
          onChange={(taskId) => navigation.go({ screen: 'archive', taskId, tab: 'transcript' })}
          options={log.sessions.map(({ taskId, title }) => ({ value: taskId, label: title }))}
          className="max-w-72"
        />
      ) : null}
      <Button variant="primary" disabled={running} onClick={() => void importLog()}>
        {running ? 'Importing…' : 'Import'}
      </Button>
      <Button onClick={close}>Close</Button>
    </section>
  )
}

/** The root of the task that is shown. */
function useShownRoot(): TaskId | null {
  const route = useRoute()
  const id = 'taskId' in route ? route.taskId : null
  return useLedger(({ ledger }) => ledger.tasks.get(id as TaskId)?.rootId ?? null)
}

function Reader() {
  const route = useRoute()
  const taskId = 'taskId' in route ? route.taskId : null
  const stores = useStores()
  const isKnown = useLedger(({ ledger }) => ledger.tasks.has(taskId as TaskId))
  const problem = useLedger((view) => view.problem)
  if (problem)
    return (
      <ProblemNotice
        problem={problem}
        action={{ label: 'Try again', onClick: stores.ledger.open }}
        className="m-6"
      />
    )
  if (taskId === null || !isKnown) return <Skeleton lines={6} className="p-6" />
  const place = 'seq' in route || 'replay' in route ? route : {}
  return (
    <ArchiveReader
      key={taskId}
      taskId={taskId as TaskId}
      tab={route.screen === 'archive' ? route.tab : 'transcript'}
      seq={(place as { seq?: number }).seq}
      replaying={(place as { replay?: true }).replay === true}
      summary={null}
      isReadOnly
    />
  )
}

/** The dialogs that only read. */
function Dialogs() {
  const { overlay } = useStores()
  const shown = useStore(overlay.store)
  return shown.kind === 'export' ? <ExportDialog taskId={shown.taskId} /> : null
}
