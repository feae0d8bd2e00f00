/** Settings of a root's next runs: its model and its mode of permissions. */
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import { refused } from '../../../shared/failure.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { LedgerEvent } from '../../../shared/records/ledger.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import { type AgentSpecs, onModel, refuseUnlessReady } from './agent-specs.ts'

/**
 * Durable when it resolves. The current run keeps its settings; new sub-agents get the new model.
 * Throws FailureError, also for a model that can't be used.
 */
export type SetNextRun = (
  taskId: TaskId,
  wanted: {
    /** `PROVIDER/MODEL`. */
    model?: string | undefined
    permissions?: PermissionMode | undefined
  },
) => Promise<void>

export function createSetNextRun(deps: {
  ledger: Ledger
  taskLedger: TaskLedger
  layout: DataLayout
  agentSpecs: AgentSpecs
}): SetNextRun {
  const { ledger, taskLedger, layout, agentSpecs } = deps

  return async (taskId, { model, permissions }) => {
    const task = taskLedger.get(taskId)
    const { title, spec, parentId, options } = task
    if (parentId !== null)
      return refused('not-a-root', `"${title}" is a sub-agent. Set this for its root.`)
    if (task.archived || task.workspace?.removal)
      return refused('removed', `The workspace of "${title}" was removed.`)
    const events: LedgerEvent[] = []
    if (model !== undefined) {
      const wanted = onModel(agentSpecs, spec, model)
      refuseUnlessReady(await agentSpecs.check(layout.sessionDir(taskId), wanted))
      if (wanted.kind === 'model') {
        const { provider, model: name, baseUrl, keyEnv } = wanted
        const ref = {
          provider,
          model: name,
          ...(baseUrl !== undefined && { baseUrl }),
          ...(keyEnv !== undefined && { keyEnv }),
        }
        events.push({ type: 'task.model-set', taskId, model: ref })
      }
    }
    if (permissions !== undefined && permissions !== options.permissions)
      events.push({ type: 'task.permissions-set', taskId, permissions })
    if (events.length > 0) await ledger.record(...events)
  }
}
