/** The answers about imports of other tools' sessions: what `options.ts` was given. */
import type { ImportWatchState } from '../../src/shared/contract/imports.ts'
import { invalid } from '../../src/shared/failure.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { type Implementer, withAnswers } from './implementer.ts'
import type { Memory } from './memory.ts'

export function importAnswers(os: Implementer, { given, find }: Memory) {
  let watch: ImportWatchState = {
    enabled: false,
    checkedAt: null,
    kept: 0,
    failed: [],
    problem: null,
    ...given.importWatch,
  }
  let hasFailed = false
  let changed = Promise.withResolvers<void>()
  return {
    scan: os.imports.scan.handler(async ({ input: { tool }, signal }) => {
      if (given.importScanGoesOn) await aborted(signal)
      const all = given.importSources ?? []
      return { sources: all.filter((one) => tool === undefined || one.tool === tool) }
    }),
    sessions: os.imports.sessions.handler(({ input: { tool, dir } }) => ({
      sessions: given.importSessions?.[`${tool} ${dir}`] ?? [],
      more: 0,
    })),
    run: os.imports.run.handler(({ signal }) => withAnswers(events(signal))),
    watch: os.imports.watch.handler(({ signal }) => withAnswers(events(signal))),
    watchState: os.imports.watchState.handler(({ signal }) => withAnswers(watchStates(signal))),
    setWatch: os.imports.setWatch.handler(({ input }) => {
      watch = { ...watch, ...input }
      changed.resolve()
      return {}
    }),
    details: os.imports.details.handler(({ input }) => ({
      details: given.importDetails?.[input.taskId as TaskId] ?? null,
    })),
    reported: os.imports.reported.handler(({ input }) => {
      const commits = given.reportedCommits?.[find(input.taskId).id] ?? []
      return { commits, moreCommits: 0 }
    }),
  }

  async function* watchStates(signal: AbortSignal | undefined) {
    signal?.addEventListener('abort', () => changed.resolve(), { once: true })
    while (!signal?.aborted) {
      yield watch
      await changed.promise
      changed = Promise.withResolvers()
    }
  }

  async function* events(signal: AbortSignal | undefined) {
    yield* given.importEvents ?? []
    if (given.importFails !== undefined && !hasFailed) {
      hasFailed = true
      invalid('path', given.importFails)
    }
    if (given.importGoesOn) await aborted(signal)
  }
}

async function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return
  await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
}
