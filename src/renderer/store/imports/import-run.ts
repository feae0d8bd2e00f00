/** The import of other tools' sessions: what is there, and the one that runs. It goes on while its dialog is closed. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type {
  ImportedSession,
  ImportProgress,
  ImportSourceFound,
  SkippedSession,
} from '../../../shared/contract/imports.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { SessionTool } from '../../../shared/records/exported-tasks.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'

export interface ImportResult {
  sessions: ImportedSession[]
  skipped: SkippedSession[]
  /** The user ended it. */
  stopped: boolean
}

export interface ImportRunView {
  /** Null: not looked for yet. */
  sources: ImportSourceFound[] | null
  /** Null: none runs. `startedAt`: by the clock of `performance`. */
  running: { progress: ImportProgress | null; startedAt: number } | null
  /** Of the last import of this window. */
  result: ImportResult | null
  problem: Problem | null
}

/** What to import: of each tool, sessions of these folders; null: all. */
export interface ImportChoice {
  tool: SessionTool
  projects: (string | null)[] | null
}

export interface ImportRun {
  store: StoreApi<ImportRunView>
  /** Looks for sessions on this machine, by names, sizes, times and first lines. */
  scan(): Promise<void>
  /** Resolves with the result once it has ended; null if one runs already, or it failed. */
  start(choices: ImportChoice[]): Promise<ImportResult | null>
  stop(): void
  /** The result was seen. */
  dismiss(): void
}

export function createImportRun({ client }: { client: ShiplogClient }): ImportRun {
  const store = createStore<ImportRunView>(() => ({
    ...{ sources: null, running: null, result: null, problem: null },
  }))
  let abort: AbortController | null = null

  async function scan(): Promise<void> {
    try {
      const { sources } = await client.imports.scan({})
      store.setState({ sources, problem: null })
    } catch (error) {
      store.setState({ problem: problemOf(error, 'look for sessions') })
    }
  }

  async function start(choices: ImportChoice[]): Promise<ImportResult | null> {
    if (abort) return null
    abort = new AbortController()
    const { signal } = abort
    const result: ImportResult = { sessions: [], skipped: [], stopped: false }
    const startedAt = performance.now()
    store.setState({ running: { progress: null, startedAt }, result: null, problem: null })
    try {
      for (const { tool, projects } of choices) {
        const request = { tool, ...(projects && { projects }) }
        for await (const event of await client.imports.run(request, { signal }))
          if (event.type === 'session') result.sessions.push(event.session)
          else if (event.type === 'skipped') result.skipped.push(event.skipped)
          else store.setState({ running: { progress: event, startedAt } })
      }
      result.stopped = signal.aborted
    } catch (error) {
      if (!signal.aborted) {
        store.setState({ running: null, problem: problemOf(error, 'import the sessions') })
        abort = null
        return null
      }
      result.stopped = true
    }
    abort = null
    store.setState({ running: null, result })
    void scan()
    return result
  }

  return {
    ...{ store, scan, start },
    stop: () => abort?.abort(),
    dismiss: () => store.setState({ result: null, problem: null }),
  }
}
