/**
 * Resumes at the user's request: pending checks, and the progress of several agents resumed
 * together.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ResumeEnd } from '../../../shared/records/resume.ts'

/** Agents that were resumed together, each with its outcome; null while it is running or queued. */
type ResumeBatch = ReadonlyMap<TaskId, ResumeEnd | null>

/** The outcomes of a batch. `stopped`: the user stopped it; `cancelled`: tasks that had not started then. */
export interface FollowedEnds {
  ends: ResumeEnd[]
  stopped: boolean
  cancelled: ReadonlySet<TaskId>
}

interface ResumesView {
  /** Tasks that are being checked for changes. */
  checking: ReadonlySet<TaskId>
  /** Tasks whose resume was confirmed and not answered by the host yet. */
  starting: ReadonlySet<TaskId>
  /** The roots of those. */
  startingRoots: ReadonlySet<TaskId>
  /** Null while there is none. */
  batch: ResumeBatch | null
  stopping: boolean
}

export interface Resumes {
  store: StoreApi<ResumesView>
  /** Marks the task as being checked until `find` settles. Returns null if it is already marked. */
  check<Value>(taskId: TaskId, find: () => Promise<Value>): Promise<Value | null>
  /** Marks the tasks as starting until `start` settles. */
  start<Value>(tasks: { id: TaskId; rootId: TaskId }[], start: () => Promise<Value>): Promise<Value>
  /**
   * Follows the tasks until none is running or queued, and resolves with their outcomes, including
   * those already being followed. Null if another call gets the outcomes, or if the connection was
   * lost, because then they are unknown.
   */
  follow(taskIds: TaskId[]): Promise<FollowedEnds | null>
  /**
   * Stops all followed tasks that have not ended. Queued ones are cancelled first, so that none
   * gets a free slot.
   */
  stop(isWaiting: (taskId: TaskId) => boolean): Promise<void>
}

export function createResumes({ client }: { client: Pick<ShiplogClient, 'tasks'> }): Resumes {
  const store = createStore<ResumesView>(() => ({
    checking: new Set(),
    starting: new Set(),
    startingRoots: new Set(),
    batch: null,
    stopping: false,
  }))
  const starts = new Set<{ id: TaskId; rootId: TaskId }[]>()
  /** The cancelled tasks of the followed batch; null if the user did not stop it. */
  let cancelled: ReadonlySet<TaskId> | null = null

  async function check<Value>(taskId: TaskId, find: () => Promise<Value>): Promise<Value | null> {
    const { checking } = store.getState()
    if (checking.has(taskId)) return null
    store.setState({ checking: new Set(checking).add(taskId) })
    try {
      return await find()
    } finally {
      const rest = new Set(store.getState().checking)
      rest.delete(taskId)
      store.setState({ checking: rest })
    }
  }

  async function start<Value>(
    tasks: { id: TaskId; rootId: TaskId }[],
    call: () => Promise<Value>,
  ): Promise<Value> {
    starts.add(tasks)
    publishStarting()
    try {
      return await call()
    } finally {
      starts.delete(tasks)
      publishStarting()
    }
  }

  function publishStarting(): void {
    const all = [...starts].flat()
    store.setState({
      starting: new Set(all.map(({ id }) => id)),
      startingRoots: new Set(all.map(({ rootId }) => rootId)),
    })
  }

  async function follow(taskIds: TaskId[]): Promise<FollowedEnds | null> {
    if (taskIds.length === 0) return null
    if (store.getState().batch === null) cancelled = null
    const joined = new Map(store.getState().batch ?? [])
    for (const id of taskIds) joined.set(id, null)
    store.setState({ batch: joined })
    const lost = (await Promise.all(taskIds.map(followOne))).includes(false)
    const { batch } = store.getState()
    if (batch === null) return null
    if (lost) {
      store.setState({ batch: null, stopping: false })
      return null
    }
    const ends = [...batch.values()].filter((end) => end !== null)
    if (ends.length < batch.size) return null
    store.setState({ batch: null, stopping: false })
    return { ends, stopped: cancelled !== null, cancelled: cancelled ?? new Set() }
  }

  /** Returns false if the outcome can't be determined. */
  async function followOne(taskId: TaskId): Promise<boolean> {
    try {
      const { ended } = await client.tasks.resumeEnded({ taskIds: [taskId] })
      const { batch } = store.getState()
      const [end] = ended
      if (batch && end) store.setState({ batch: new Map(batch).set(taskId, end) })
      return true
    } catch {
      return false
    }
  }

  async function stop(isWaiting: (taskId: TaskId) => boolean): Promise<void> {
    const { batch, stopping } = store.getState()
    if (!batch || stopping) return
    store.setState({ stopping: true })
    const open = [...batch].filter(([, end]) => end === null).map(([taskId]) => taskId)
    const stopAll = (ids: TaskId[]) =>
      // Stopping a task that has just ended fails, which must not prevent stopping the others.
      Promise.allSettled(ids.map((taskId) => client.tasks.stop({ taskId })))
    const waiting = new Set(open.filter(isWaiting))
    cancelled = new Set([...(cancelled ?? []), ...waiting])
    await stopAll([...waiting])
    await stopAll(open.filter((id) => !waiting.has(id)))
    store.setState({ stopping: false })
  }

  return { store, check, start, follow, stop }
}
