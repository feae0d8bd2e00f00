/** The import of other tools' sessions: what was found, and the running import. It continues while its dialog is closed. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type {
  ImportedSession,
  ImportProgress,
  ImportSourceFound,
  SkippedSession,
} from '../../../shared/contract/imports.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { ImportTool } from '../../../shared/records/exported-tasks.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'

export interface ImportResult {
  sessions: ImportedSession[]
  skipped: SkippedSession[]
  /** `stopped`: by the user. After `stopped` or `failed` the rest can be imported with the same choices. */
  ended: 'done' | 'stopped' | 'failed'
  choices: ImportChoice[]
}

export interface ImportRunView {
  /** Null: no scan has ended yet. */
  sources: ImportSourceFound[] | null
  /** Null: none runs. `startedAt`: by the clock of `performance`. */
  running: { progress: ImportProgress | null; startedAt: number } | null
  /** The result of this window's last import. */
  result: ImportResult | null
  problem: Problem | null
}

/** What to import: of one tool, the sessions of these folders; null: all. */
export interface ImportChoice {
  tool: ImportTool
  projects: (string | null)[] | null
  /** Absent: the tool's own place. */
  path?: string
  /** Only these session ids of the tool; absent: all of the folders. */
  sessions?: string[]
  /** Session ids of the tool that are left out; absent: none. */
  except?: string[]
  /** The counts of a scan, for the total progress of several tools. */
  expected?: { sessions: number; bytes: number }
}

export interface ImportRun {
  store: StoreApi<ImportRunView>
  /** Finds sessions on this machine by their names, sizes, times and first lines. */
  scan(): Promise<void>
  /** Resolves with the result once the import has ended; null if one is running already, or it failed. */
  start(choices: ImportChoice[]): Promise<ImportResult | null>
  /** Imports what the last import left out, and adds it to its result. */
  retry(): Promise<ImportResult | null>
  stop(): void
  /** Removes the result, which the user has read. */
  dismiss(): void
}

const noResult = { sessions: [], skipped: [] }

export function createImportRun({ client }: { client: ShiplogClient }): ImportRun {
  const store = createStore<ImportRunView>(() => ({
    sources: null,
    running: null,
    result: null,
    problem: null,
  }))
  let abort: AbortController | null = null

  async function scan(): Promise<void> {
    try {
      const { sources } = await client.imports.scan({})
      store.setState({ sources, problem: null })
    } catch (error) {
      store.setState({ problem: problemOf(error, 'find sessions') })
    }
  }

  async function importAll(
    choices: ImportChoice[],
    before: Pick<ImportResult, 'sessions' | 'skipped'>,
  ): Promise<ImportResult | null> {
    if (abort) return null
    abort = new AbortController()
    const { signal } = abort
    const sessions = new Map(before.sessions.map((session) => [session.taskId, session]))
    const skipped = [...before.skipped]
    let ended: ImportResult['ended'] = 'done'
    const startedAt = performance.now()
    let problem: Problem | null = null
    store.setState({ running: { progress: null, startedAt }, result: null, problem: null })
    const sum = createProgressSum(choices)
    /** A session that is imported again keeps its first outcome. */
    const add = (session: ImportedSession) => {
      const known = sessions.get(session.taskId)
      const isNew = session.isNew || known?.isNew === true
      const isUpdated = !isNew && (session.isUpdated || known?.isUpdated === true)
      sessions.set(session.taskId, { ...session, isNew, isUpdated })
    }
    try {
      for (const { tool, projects, path, sessions: names, except } of choices) {
        const request = {
          tool,
          ...(projects && { projects }),
          ...(path !== undefined && { path }),
          ...(names && { sessions: names }),
          ...(except && { except }),
        }
        for await (const event of await client.imports.run(request, { signal }))
          if (event.type === 'session') add(event.session)
          else if (event.type === 'skipped') skipped.push(event.skipped)
          else store.setState({ running: { progress: sum.add(event), startedAt } })
        sum.next()
      }
    } catch (error) {
      ended = 'failed'
      if (!signal.aborted) problem = problemOf(error, 'import the sessions')
    }
    if (signal.aborted) ended = 'stopped'
    abort = null
    const result: ImportResult = { sessions: [...sessions.values()], skipped, ended, choices }
    const isEmpty = sessions.size === 0 && skipped.length === 0
    store.setState({ running: null, problem, result: problem && isEmpty ? null : result })
    if (!problem) void scan()
    return problem ? null : result
  }

  return {
    store,
    scan,
    start: (choices) => importAll(choices, noResult),
    async retry() {
      const { result } = store.getState()
      if (!result) return null
      const { choices, sessions, skipped, ended } = result
      if (ended !== 'done') return importAll(choices, { sessions, skipped: [] })
      const skippedOnly = choices.flatMap(({ expected: _, ...choice }): ImportChoice[] => {
        const names = skipped.filter(({ source }) => source === choice.tool)
        return names.length === 0
          ? []
          : [{ ...choice, sessions: names.map(({ session }) => session) }]
      })
      return importAll(skippedOnly, { sessions, skipped: [] }).then((retried) => {
        // A later retry, after a stop, needs all choices.
        if (retried) store.setState({ result: { ...retried, choices } })
        return retried
      })
    },
    stop: () => abort?.abort(),
    dismiss: () => store.setState({ result: null, problem: null }),
  }
}

/** Sums the progress of the imports of several tools. */
function createProgressSum(choices: ImportChoice[]) {
  const done = { sessions: 0, bytes: 0 }
  let last = { sessionsTotal: 0, bytesTotal: 0 }
  let nth = 0
  const later = (key: 'sessions' | 'bytes'): number =>
    choices.slice(nth + 1).reduce((sum, { expected }) => sum + (expected?.[key] ?? 0), 0)
  return {
    add(progress: ImportProgress): ImportProgress {
      last = progress
      return {
        sessions: done.sessions + progress.sessions,
        sessionsTotal: done.sessions + progress.sessionsTotal + later('sessions'),
        bytes: done.bytes + progress.bytes,
        bytesTotal: done.bytes + progress.bytesTotal + later('bytes'),
      }
    },
    /** Called when the next tool's import begins. */
    next(): void {
      done.sessions += last.sessionsTotal
      done.bytes += last.bytesTotal
      last = { sessionsTotal: 0, bytesTotal: 0 }
      nth++
    },
  }
}
