/** The roots that the home screen lists. Pure. */
import type { ProjectId, TaskId } from '../../../shared/records/ids.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import { isBeingRemoved } from '../../../shared/records/projects/workspaces.ts'
import { isRunning, isSettled } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'

interface HomeRoots {
  /** Running, queued or asleep, the one that started last first. */
  running: Task[]
  /** The roots that ended last, archived ones included. */
  recent: Task[]
  /** Ended roots that `recent` has no room for. */
  older: number
}

/** `listed` roots are on the screen elsewhere, and are left out. */
export function homeRoots(
  roots: readonly Task[],
  listed: ReadonlySet<TaskId>,
  recentMax: number,
): HomeRoots {
  const kept = roots.filter((root) => !root.trashed && !listed.has(root.id))
  const running = kept.filter((root) => isUnderWay(root))
  const ended = kept.filter((root) => !isUnderWay(root))
  return {
    running: newestFirst(running, startedAt),
    recent: newestFirst(ended, endedAt).slice(0, recentMax),
    older: Math.max(0, ended.length - recentMax),
  }
}

/** Returns the project of the root that started last; null if that one was removed, or none started. */
export function latestProject(
  roots: readonly Task[],
  projects: ReadonlyMap<ProjectId, Project>,
): ProjectId | null {
  const known = roots.filter(({ projectId }) => projects.has(projectId))
  return newestFirst(known, startedAt)[0]?.projectId ?? null
}

const isUnderWay = (root: Task): boolean =>
  !root.archived &&
  !isBeingRemoved(root) &&
  (isRunning(root.status) || !isSettled(root.status) || root.sleep !== undefined)

const startedAt = ({ runs, createdAt }: Task): string => runs.at(-1)?.startedAt ?? createdAt
const endedAt = (task: Task): string => task.endedAt ?? startedAt(task)

/** Times are ISO 8601 in UTC, so that they sort as text. */
const newestFirst = (tasks: readonly Task[], at: (task: Task) => string): Task[] =>
  tasks
    .map((task) => ({ task, at: at(task) }))
    .sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1))
    .map(({ task }) => task)
