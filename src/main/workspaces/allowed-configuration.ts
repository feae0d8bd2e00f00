/** What the person has allowed of the configuration that repositories bring for installed agents (K8). */
import type { ProjectId, TaskId } from '../../shared/records/ids.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** Throws for a task that is not in the ledger. */
export function createAllowedConfiguration({ state, record }: Pick<Ledger, 'state' | 'record'>) {
  function projectOf(taskId: TaskId): ProjectId {
    const task = state.tasks.get(taskId)
    if (!task) throw new Error(`The task ${taskId} is not in the ledger.`)
    return task.projectId
  }

  return {
    isAllowed: (taskId: TaskId, sha256: string): boolean =>
      state.projects.get(projectOf(taskId))?.agentConfigSha256s?.includes(sha256) ?? false,
    async allow(taskId: TaskId, files: readonly { path: string; sha256: string }[]): Promise<void> {
      await record({
        type: 'project.agent-config-allowed',
        projectId: projectOf(taskId),
        files: [...files],
      })
    },
  }
}
