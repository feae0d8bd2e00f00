/** Values of running agents that are not recorded, published at most four times a second. */
import type { TaskId } from '../../../shared/records/ids.ts'

/** Streaming changes values far more often than people can read them. */
const publishIntervalMs = 250

export interface Board<Value> {
  current(): Record<TaskId, Value | null>
  get(taskId: TaskId): Value | undefined
  set(taskId: TaskId, value: Value): void
  clear(taskId: TaskId): void
  /**
   * `listener` receives the changes since its last call, at most every `publishIntervalMs`. Returns
   * an unsubscriber.
   */
  subscribe(listener: (changed: Record<TaskId, Value | null>) => void): () => void
}

export function createBoard<Value>(
  isSame: (a: Value | null, b: Value | null) => boolean,
): Board<Value> {
  const values = new Map<TaskId, Value>()
  const changed = new Set<TaskId>()
  const listeners = new Set<(changed: Record<TaskId, Value | null>) => void>()
  let timer: NodeJS.Timeout | null = null

  function publish(): void {
    timer = null
    const update = Object.fromEntries([...changed].map((id) => [id, values.get(id) ?? null]))
    changed.clear()
    for (const listener of listeners) listener(update as Record<TaskId, Value | null>)
  }

  function change(taskId: TaskId, value: Value | null): void {
    if (isSame(values.get(taskId) ?? null, value)) return
    if (value === null) values.delete(taskId)
    else values.set(taskId, value)
    changed.add(taskId)
    if (!timer) timer = setTimeout(publish, publishIntervalMs).unref()
  }

  return {
    current: () => Object.fromEntries(values) as Record<TaskId, Value | null>,
    get: (taskId) => values.get(taskId),
    set: change,
    clear: (taskId) => change(taskId, null),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
