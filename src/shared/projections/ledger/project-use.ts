import type { ProjectId } from '../../records/ids.ts'
import type { Project } from '../../records/projects/projects.ts'
import { isSettled } from '../../records/tasks/task-status.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import type { LedgerState } from './ledger-state.ts'

/**
 * Returns the tasks that prevent the removal of a project, oldest first: tasks that have not started, or whose workspace
 * is in use or being removed or restored. Archived tasks don't prevent it. Pure.
 */
export function tasksInUse({ tasks }: Pick<LedgerState, 'tasks'>, projectId: ProjectId): Task[] {
  return [...tasks.values()].filter((task) => {
    if (task.projectId !== projectId || task.trashed) return false
    if (task.workspace) return !task.archived || task.workspace.restoring
    // Without a workspace it never started, and below an archived root it can't start.
    return !isSettled(task.status) && tasks.get(task.rootId)?.archived !== true
  })
}

type Projects = Pick<LedgerState, 'projects' | 'removedProjects'>

/** Returns all recorded projects: those on the list, then those that were removed from it. */
export const everyProject = ({ projects, removedProjects }: Projects): Project[] => [
  ...projects.values(),
  ...removedProjects.values(),
]

export const projectOf = (state: Projects, id: ProjectId): Project | undefined =>
  state.projects.get(id) ?? state.removedProjects.get(id)
