/** The handlers of imports: sessions of other tools, and exports. */
import type { Calls } from '../calls.ts'
import { changesOf } from '../changes-of.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export function importHandlers(
  { os, withContractErrors, taskId }: Calls,
  { imports }: RouterDependencies,
) {
  const { watched } = imports
  return {
    scan: os.imports.scan.handler(async ({ input, signal }) => ({
      sources: await imports.scan(input, signal),
    })),
    sessions: os.imports.sessions.handler(({ input, signal }) => imports.sessions(input, signal)),
    run: os.imports.run.handler(({ input, signal }) =>
      withContractErrors('import', imports.run(input, signal)),
    ),
    watch: os.imports.watch.handler(({ input, signal }) =>
      withContractErrors('import-watch', imports.watch(input, signal)),
    ),
    watchState: os.imports.watchState.handler(({ signal }) =>
      changesOf(watched.state, watched.subscribe, signal),
    ),
    setWatch: os.imports.setWatch.handler(async ({ input }) => {
      await watched.setEnabled(input.enabled)
      return {}
    }),
    details: os.imports.details.handler(async ({ input }) => ({
      details: await imports.details(taskId(input.taskId)),
    })),
    reported: os.imports.reported.handler(({ input, signal }) =>
      imports.reported(taskId(input.taskId), signal),
    ),
  }
}
