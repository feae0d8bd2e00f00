/** Functions shared by all handlers: the contract implementer, and the checks of ids, scopes and grants. */
import { isWiderMode, type PermissionMode } from '../../shared/agents/permission-modes.ts'
import type { CallContext } from '../../shared/contract/grants.ts'
import { FailureError } from '../../shared/failure.ts'
import { type ProjectId, resolveId, type TaskId } from '../../shared/records/ids.ts'
import { createImplementer } from './implementer.ts'
import { refuseToDecide } from './refuse-to-decide.ts'
import type { RouterDependencies } from './router-dependencies.ts'

export type Calls = ReturnType<typeof createCalls>

export function createCalls({ ledger, workspaces, permissions, info, log }: RouterDependencies) {
  /** Resolves a whole id or a unique prefix (S1). Throws FailureError if it is unknown or ambiguous. */
  function taskId(text: string, what: 'task' | 'workspace' = 'task'): TaskId {
    const found = resolveId(text, ledger.state.tasks.keys())
    if (found.kind === 'found') return found.id
    if (found.kind === 'not-found') throw new FailureError({ kind: 'not-found', what, id: text })
    throw new FailureError({ kind: 'ambiguous', what, id: text, candidates: found.candidates })
  }

  /** Like `taskId`. Also throws FailureError for a task outside the caller's scope (A5). */
  function inScope(input: { taskId: string; requestingWorkspaceId?: TaskId }): TaskId {
    const id = taskId(input.taskId)
    workspaces.records.checkScope(id, input.requestingWorkspaceId)
    return id
  }

  /** Throws FailureError unless the caller has the grant `decide` (K7). */
  function requirePerson({ grant }: CallContext): void {
    if (grant !== 'decide') refuseToDecide(info())
  }

  /** Throws FailureError unless a user grants an agent a wider mode than its project's. */
  function refuseWiderMode(
    mode: PermissionMode | undefined,
    projectId: ProjectId,
    context: CallContext,
  ): void {
    if (mode !== undefined && isWiderMode(mode, permissions.modeOf(projectId)))
      requirePerson(context)
  }

  return { ...createImplementer({ log, info }), taskId, inScope, requirePerson, refuseWiderMode }
}
