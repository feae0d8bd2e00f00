/** Removes the workspaces of finished sub-agents. */
import { messageOf } from '../../../shared/error-message.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { RunRegistry } from '../../runs/run-registry.ts'
import type { WorkspaceService } from '../../workspaces/workspace-service.ts'
import type { TaskLedger } from '../state/task-ledger.ts'

export function createCleanUps(deps: {
  taskLedger: TaskLedger
  runs: RunRegistry
  workspaces: Pick<WorkspaceService, 'remove'>
  onProblem: (text: string, error: unknown) => void
}) {
  const { taskLedger, runs, workspaces } = deps
  const running = new Set<Promise<void>>()

  /** Removes the workspace of a finished sub-agent, then those of its ancestors that became leaves. */
  async function cleanUp(taskId: TaskId, ended: Promise<void> = Promise.resolve()): Promise<void> {
    const cleaned = ended.then(() => removeFinished(taskId))
    running.add(cleaned)
    await cleaned.finally(() => running.delete(cleaned))
  }

  /**
   * A finished sub-agent is cleaned up once it is a leaf; then its parent may be a leaf too (R1). A failed or
   * interrupted one keeps its workspace, because it can be retried or resumed.
   */
  async function removeFinished(taskId: TaskId): Promise<void> {
    const task = taskLedger.get(taskId)
    const { parentId } = task
    if (parentId === null || task.options.keep || runs.isQueuedOrRunning(taskId)) return
    if (task.workspace && !task.archived) {
      const over = ['completed', 'cancelled', 'abandoned'].includes(task.status)
      if (!over || taskLedger.children(taskId).some(needsParent)) return
      try {
        await workspaces.remove(taskId)
      } catch (error) {
        const text = `The workspace of "${task.title}" could not be cleaned up; the next start tries again`
        return deps.onProblem(`${text}: ${messageOf(error)}`, error)
      }
    }
    await removeFinished(parentId)
  }

  /** Reports whether the child has, or will get, a worktree made from its parent's state. */
  function needsParent(child: Task): boolean {
    return !child.archived && (child.workspace !== null || runs.isQueuedOrRunning(child.id))
  }

  /** Resolves when every clean-up that was started has ended. */
  async function settled(): Promise<void> {
    while (running.size > 0) await Promise.allSettled(running)
  }

  return { cleanUp, settled }
}
