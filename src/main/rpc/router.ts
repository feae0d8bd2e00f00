/** Implements the contract: each procedure delegates to a service. Contains no business logic. */

import { createRouterClient } from '@orpc/server'
import type { CallContext } from '../../shared/contract/grants.ts'
import type { ShiplogClient } from '../../shared/contract/index.ts'
import { createCalls } from './calls.ts'
import { agentHandlers } from './handlers/agents.ts'
import { feedHandlers } from './handlers/feed.ts'
import { importHandlers } from './handlers/imports.ts'
import { modelHandlers } from './handlers/models.ts'
import { openedHandlers } from './handlers/opened.ts'
import { permissionHandlers } from './handlers/permissions.ts'
import { projectHandlers } from './handlers/projects.ts'
import { publishHandlers } from './handlers/publish.ts'
import { retentionHandlers } from './handlers/retention.ts'
import { reviewHandlers } from './handlers/review.ts'
import { searchHandlers } from './handlers/search.ts'
import { taskHandlers } from './handlers/tasks.ts'
import { transcriptHandlers } from './handlers/transcripts.ts'
import { workspaceHandlers } from './handlers/workspace.ts'
import type { RouterDependencies } from './router-dependencies.ts'

export type ShiplogRouter = ReturnType<typeof createRouter>

export function createRouter(deps: RouterDependencies) {
  const calls = createCalls(deps)
  const { os, withContractErrors, taskId, inScope } = calls
  const { turnFiles, workspaces } = deps
  return os.router({
    app: {
      info: os.app.info.handler(() => deps.info()),
      sandbox: os.app.sandbox.handler(() => workspaces.sandboxes.support()),
      pickFolder: os.app.pickFolder.handler(async () => ({ dir: await deps.pickFolder() })),
      openWindow: os.app.openWindow.handler(({ input }) => ({ opened: deps.openWindow(input) })),
    },
    projects: projectHandlers(calls, deps),
    tasks: taskHandlers(calls, deps),
    permissions: permissionHandlers(calls, deps),
    limits: {
      settings: os.limits.settings.handler(() => deps.limitSettings.current()),
      setSettings: os.limits.setSettings.handler(async ({ input }) => {
        await deps.limitSettings.save(input)
        return {}
      }),
    },
    models: modelHandlers(calls, deps),
    agents: agentHandlers(calls, deps),
    transcripts: transcriptHandlers(calls, deps),
    review: reviewHandlers(calls, deps),
    publish: publishHandlers(calls, deps),
    turnFiles: {
      folder: os.turnFiles.folder.handler(({ input }) => turnFiles.folder(inScope(input), input)),
      file: os.turnFiles.file.handler(({ input }) => turnFiles.file(inScope(input), input)),
      diff: os.turnFiles.diff.handler(({ input }) => turnFiles.diff(inScope(input), input)),
    },
    workspace: workspaceHandlers(calls, deps),
    retention: retentionHandlers(calls, deps),
    checks: { list: os.checks.list.handler(({ input }) => deps.checks.list(inScope(input))) },
    search: searchHandlers(calls, deps),
    exports: {
      preview: os.exports.preview.handler(({ input: { taskId: text, ...request }, signal }) =>
        deps.exports.preview(taskId(text), request, signal),
      ),
      read: os.exports.read.handler(({ input: { taskId: text, ...request }, signal }) =>
        withContractErrors('export', deps.exports.read(taskId(text), request, signal)),
      ),
    },
    opened: openedHandlers(calls, deps),
    imports: importHandlers(calls, deps),
    doctor: { check: os.doctor.check.handler(({ input }) => deps.doctor.check(input)) },
    feed: feedHandlers(calls, deps),
  })
}

/** Returns a client without a transport, for the command line, which runs in this process. */
export function createInProcessClient(router: ShiplogRouter): ShiplogClient {
  // A user started the command, so it may decide on their behalf.
  return createRouterClient(router, { context: { grant: 'decide' } satisfies CallContext })
}
