/** What each running agent is doing right now, one line: for lists, not recorded. */
import type { TaskId } from '../../shared/records/ids.ts'
import { type Activity, activityText } from '../../shared/records/tasks.ts'

/** People can't read faster than this, and streaming changes it far more often. */
const publishIntervalMs = 250

export interface ActivityBoard {
  current(): Record<TaskId, Activity | null>
  set(taskId: TaskId, activity: Activity): void
  clear(taskId: TaskId): void
  /** Receives the changes since its last call, at most every `publishIntervalMs`. Returns the unsubscribe function. */
  subscribe(listener: (changed: Record<TaskId, Activity | null>) => void): () => void
}

export function createActivityBoard(): ActivityBoard {
  const activities = new Map<TaskId, Activity>()
  const changed = new Set<TaskId>()
  const listeners = new Set<(changed: Record<TaskId, Activity | null>) => void>()
  let timer: NodeJS.Timeout | null = null

  function publish(): void {
    timer = null
    const update = Object.fromEntries([...changed].map((id) => [id, activities.get(id) ?? null]))
    changed.clear()
    for (const listener of listeners) listener(update as Record<TaskId, Activity | null>)
  }

  function change(taskId: TaskId, activity: Activity | null): void {
    if (isSame(activities.get(taskId) ?? null, activity)) return
    if (activity === null) activities.delete(taskId)
    else activities.set(taskId, activity)
    changed.add(taskId)
    if (!timer) timer = setTimeout(publish, publishIntervalMs).unref()
  }

  return {
    current: () => Object.fromEntries(activities) as Record<TaskId, Activity | null>,
    set: change,
    clear: (taskId) => change(taskId, null),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const isSame = (a: Activity | null, b: Activity | null): boolean =>
  a?.state === b?.state && (a === null || b === null || activityText(a) === activityText(b))
