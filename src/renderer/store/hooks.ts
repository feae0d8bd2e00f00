/**
 * The hooks with which views read the stores. Each returns the same object until its data has
 * changed.
 */

import { createContext, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { openDependencies } from '../../shared/projections/ledger/open-dependencies.ts'
import { type IdLookup, type ProjectId, resolveId, type TaskId } from '../../shared/records/ids.ts'
import type { Project } from '../../shared/records/projects/projects.ts'
import type { Activity } from '../../shared/records/tasks/activity.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { latestProject } from './home/roots.ts'
import type { LedgerView } from './ledger-store.ts'
import { projectLabels } from './project-labels.ts'
import { type ChangeSummary, hasChangeSummary } from './results/change-summaries.ts'
import { type ReportView, reportKey } from './results/reports.ts'
import {
  type InterruptedRow,
  type InterruptedTree,
  interruptedRows,
  interruptedTrees,
} from './resume/resumable.ts'
import type { Stores } from './stores.ts'
import type { OpenAt, TranscriptStore, TranscriptView } from './transcript/transcript-store.ts'
import type { Preferences } from './window/preferences.ts'
import type { Route } from './window/route.ts'

export const StoresContext = createContext<Stores | null>(null)

export function useStores(): Stores {
  const stores = useContext(StoresContext)
  if (!stores) throw new Error('a view was shown outside StoresContext')
  return stores
}

export const useLedger = <Value>(select: (view: LedgerView) => Value): Value =>
  useStore(useStores().ledger.store, select)

/** Returns null while the task is unknown. */
export const useTask = (id: TaskId | null): Task | null =>
  useLedger(({ ledger }) => (id && ledger.tasks.get(id)) || null)

export const useProjects = (): Project[] =>
  useLedger(useShallow(({ ledger }) => [...ledger.projects.values()]))

/** Returns the project that was worked in last, for a new agent, else the newest one; undefined if there is none. */
export function useLatestProject(): Project | undefined {
  const latest = useLedger(({ children, ledger }) =>
    latestProject(children.get(null) ?? [], ledger.projects),
  )
  const projects = useProjects()
  return projects.find(({ id }) => id === latest) ?? projects.at(-1)
}

/** Finds the project that a link names: by its id or a unique prefix (S1). */
export function useProjectLookup(text: string): IdLookup<ProjectId> {
  const ids = useLedger(useShallow(({ ledger }) => [...ledger.projects.keys()]))
  return useMemo(() => resolveId(text, ids), [text, ids])
}

export const useProject = (id: string | null): Project | null =>
  useLedger(({ ledger }) => (id && ledger.projects.get(id as Project['id'])) || null)

/** Returns its label in lists; null while it is unknown. */
export const useProjectLabel = (id: Project['id'] | null): string | null =>
  useLedger(({ ledger }) => (id && projectLabels(ledger.projects.values()).get(id)) ?? null)

/**
 * Returns the interrupted tasks as trees. The same array until one of its tasks, or its position,
 * has changed.
 */
export function useInterruptedRows(): InterruptedRow[] {
  const kept = useRef<InterruptedRow[]>([])
  const hostSince = useHostSince()
  return useLedger(({ ledger, activity }) => {
    const rows = interruptedRows(ledger.tasks, hostSince, activity)
    const before = kept.current
    const same =
      rows.length === before.length &&
      rows.every(
        (row, index) =>
          row.task === before[index]?.task &&
          row.depth === before[index]?.depth &&
          row.below === before[index]?.below,
      )
    if (!same) kept.current = rows
    return kept.current
  })
}

/**
 * Returns the interrupted trees by root. The same array until one of its tasks, or its position,
 * has changed.
 */
export function useInterruptedTrees(): InterruptedTree[] {
  const rows = useInterruptedRows()
  const tasks = useLedger(({ ledger }) => ledger.tasks)
  const roots = useLedger(
    useShallow(({ ledger }) => rows.map(({ task }) => ledger.tasks.get(task.rootId))),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map is updated in place, so `roots` is a dependency
  return useMemo(() => interruptedTrees(tasks, rows), [tasks, rows, roots])
}

/** Returns when the host started; null until it is known. */
export const useHostSince = (): string | null =>
  useStore(useStores().appInfo.store, ({ info }) => info?.lease.since ?? null)

const none: Task[] = []
/** Returns the children, oldest first; `null` returns the roots. */
export const useChildren = (id: TaskId | null): Task[] =>
  useLedger(useShallow(({ children }) => children.get(id) ?? none))

/** Returns the ancestors and the task itself, the root first. */
export const useLineage = (id: TaskId | null): Task[] =>
  useLedger(
    useShallow(({ ledger }) => {
      const lineage: Task[] = []
      let task = id ? ledger.tasks.get(id) : undefined
      while (task) {
        lineage.unshift(task)
        task = task.parentId ? ledger.tasks.get(task.parentId) : undefined
      }
      return lineage
    }),
  )

/** Returns the tasks that continue it, oldest first, without those in the trash. */
export const useContinuations = (id: TaskId): Task[] =>
  useLedger(
    useShallow(({ ledger }) =>
      [...ledger.tasks.values()].filter((task) => task.resumedFrom?.taskId === id && !task.trashed),
    ),
  )

/**
 * Returns its dependencies that have not completed; a restarted one is replaced by its latest
 * attempt.
 */
export const useOpenDependencies = (task: Task): Task[] =>
  useLedger(
    useShallow(({ ledger, children }) =>
      openDependencies(
        task,
        (id) => ledger.tasks.get(id) ?? null,
        (id) => children.get(id) ?? none,
      ),
    ),
  )

/** Returns the agents' open questions, the oldest first. */
export const useQuestions = () => useStore(useStores().questions.store)

/** Returns the agent's current activity. */
export const useActivity = (id: TaskId): Activity | null =>
  useLedger(({ activity }) => activity.get(id) ?? null)

/** Finds the task that a link names: by its id or a unique prefix (S1). */
export function useTaskLookup(text: string): IdLookup<TaskId> {
  const ids = useLedger(useShallow(({ ledger }) => [...ledger.tasks.keys()]))
  return useMemo(() => resolveId(text, ids), [text, ids])
}

export const useRoute = (): Route => useStore(useStores().navigation.route)

export const usePreference = <Key extends keyof Preferences>(key: Key): Preferences[Key] =>
  useStore(useStores().preferences, (preferences) => preferences[key])

export const useAppInfo = () => useStore(useStores().appInfo.store)
export const useOverlay = () => useStore(useStores().overlay.store)
export const useConnection = () => useStore(useStores().connection)

/** Reports whether the connection is lost: the shown data is the last received. */
export const useConnectionLost = (): boolean =>
  useStore(useStores().connection, ({ kind }) => kind === 'lost' || kind === 'refused')

/** Returns why no request can be made now, for a tooltip; undefined if one can. */
export const useUnreachable = (): string | undefined =>
  useStore(useStores().connection, ({ kind }) =>
    kind === 'lost'
      ? 'Not connected. Reconnecting…'
      : kind === 'refused'
        ? 'This page’s link has expired. Enter the new one.'
        : undefined,
  )

/**
 * Returns a task's transcript, which is open as long as it is shown. Null until then, and while
 * `taskId` is null, so that nothing is read before it is shown. `from` is where it is opened; to move it afterwards
 * call its `goTo`.
 */
export function useTranscript(taskId: TaskId | null, from: OpenAt): TranscriptStore | null {
  const { sessions } = useStores()
  const [transcript, setTranscript] = useState<TranscriptStore | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `from` counts when it is opened
  useEffect(() => {
    if (!taskId) return
    const used = sessions.use(taskId, from)
    setTranscript(used)
    return () => {
      sessions.release(used)
      setTranscript(null)
    }
  }, [sessions, taskId])
  return transcript?.taskId === taskId ? transcript : null
}

export const useTranscriptView = (transcript: TranscriptStore): TranscriptView =>
  useStore(transcript.store)

/**
 * Returns the counts of an ended run's changes; null while it runs, and if nothing can be compared.
 */
export function useChangeSummary(task: Task | null): ChangeSummary | null {
  const { changeSummaries } = useStores()
  const lost = useConnectionLost()
  useEffect(() => {
    if (task && !lost) void changeSummaries.load(task)
  }, [changeSummaries, task, lost])
  const summary = useStore(changeSummaries.store, (known) => (task && known.get(task.id)) ?? null)
  return task && hasChangeSummary(task) ? summary : null
}

const loading: ReportView = { phase: 'loading' }
/** Returns a task's newest report, read once a component shows it. Null if there is none. */
export function useReport(task: Task | null, wanted: boolean): ReportView | null {
  const { reports } = useStores()
  const taskId = task?.hasReport ? task.id : null
  const run = task?.runs.at(-1)?.run ?? 1
  useEffect(() => {
    if (taskId && wanted) void reports.load(taskId, run)
  }, [reports, taskId, run, wanted])
  return useStore(reports.store, (known) =>
    taskId ? (known.get(reportKey(taskId, run)) ?? loading) : null,
  )
}
