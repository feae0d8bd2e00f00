/** What each running agent is doing right now, one line: for the lists, not for the record. */
import type { TaskId } from '../../shared/ids.ts'

/** People can't read faster than this, and streaming changes it far more often. */
const publishIntervalMs = 250

export interface ActivityBoard {
  current(): Record<TaskId, string | null>
  set(taskId: TaskId, text: string): void
  clear(taskId: TaskId): void
  /** Hears what changed since it last heard, at most every `publishIntervalMs`. Returns what ends it. */
  subscribe(listener: (changed: Record<TaskId, string | null>) => void): () => void
}

export function createActivityBoard(): ActivityBoard {
  const texts = new Map<TaskId, string>()
  const changed = new Set<TaskId>()
  const listeners = new Set<(changed: Record<TaskId, string | null>) => void>()
  let timer: NodeJS.Timeout | null = null

  function publish(): void {
    timer = null
    const update = Object.fromEntries([...changed].map((id) => [id, texts.get(id) ?? null]))
    changed.clear()
    for (const listener of listeners) listener(update as Record<TaskId, string | null>)
  }

  function change(taskId: TaskId, text: string | null): void {
    if ((texts.get(taskId) ?? null) === text) return
    if (text === null) texts.delete(taskId)
    else texts.set(taskId, text)
    changed.add(taskId)
    if (!timer) timer = setTimeout(publish, publishIntervalMs).unref()
  }

  return {
    current: () => Object.fromEntries(texts) as Record<TaskId, string | null>,
    set: (taskId, text) => change(taskId, text),
    clear: (taskId) => change(taskId, null),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
