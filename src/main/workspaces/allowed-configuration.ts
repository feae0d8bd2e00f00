/** The user's permissions for the configuration that repositories contain for installed agents (K8). */
import type { ProjectId, TaskId } from '../../shared/records/ids.ts'
import type { Ledger } from '../ledger/ledger.ts'

interface AllowedInProject {
  isAllowed(sha256: string): boolean
  /** Resolves once it is durable. */
  allow(files: readonly { path: string; sha256: string }[]): Promise<void>
}

/** `ofTask` throws for a task that is not in the ledger. */
export function createAllowedConfiguration({ state, record }: Pick<Ledger, 'state' | 'record'>) {
  function projectOf(taskId: TaskId): ProjectId {
    const task = state.tasks.get(taskId)
    if (!task) throw new Error(`The task ${taskId} is not in the ledger.`)
    return task.projectId
  }

  /** A move of the project revokes the permissions. */
  const inProject = (projectId: ProjectId): AllowedInProject => ({
    isAllowed: (sha256) =>
      state.projects.get(projectId)?.agentConfigSha256s?.includes(sha256) ?? false,
    async allow(files) {
      await record({ type: 'project.agent-config-allowed', projectId, files: [...files] })
    },
  })

  return { inProject, ofTask: (taskId: TaskId) => inProject(projectOf(taskId)) }
}
