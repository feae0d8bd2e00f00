/**
 * Splits the state of the ledger into bounded parts for the feed, and joins them. It is valid once the last part has
 * arrived. Pure.
 */
import { feedBatchMax, type LedgerFeedEvent } from '../../contract/feed.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import { unknownClock } from './ledger-clock.ts'
import type { LedgerState } from './ledger-state.ts'

type SnapshotPart = Extract<LedgerFeedEvent, { type: 'snapshot' | 'snapshot-part' }>

/** The limit for the prompts of a part, which are the only long texts of tasks. A single longer prompt is a part. */
const partPromptCharsMax = 256 * 1024

/** Returns the events that transmit `state` as of now, without later changes. */
export function snapshotParts(state: LedgerState): [SnapshotPart, ...SnapshotPart[]] {
  const { seq, dataDir } = state
  const projects = [...state.projects.values()]
  const trustedSetups = [...state.trustedSetups].map(([projectId, configSha256]) => ({
    projectId,
    configSha256,
  }))
  const [tasks = [], ...rest] = inParts(state.tasks.values())
  return [
    {
      type: 'snapshot',
      state: { seq, dataDir, projects, tasks, trustedSetups },
      parts: 1 + rest.length,
    },
    ...rest.map((more): SnapshotPart => ({ type: 'snapshot-part', tasks: more })),
  ]
}

function inParts(tasks: Iterable<Task>): Task[][] {
  const parts: Task[][] = []
  let chars = Number.POSITIVE_INFINITY
  for (const task of tasks) {
    const last = parts.at(-1)
    if (last && last.length < feedBatchMax && chars + task.prompt.length <= partPromptCharsMax) {
      last.push(task)
      chars += task.prompt.length
    } else {
      parts.push([task])
      chars = task.prompt.length
    }
  }
  return parts
}

interface SnapshotJoiner {
  /**
   * Accepts any event of the feed. Returns the state once its last part has arrived, else null. Parts of an incomplete
   * snapshot are dropped when another one starts.
   */
  take(event: LedgerFeedEvent): LedgerState | null
  /** The share of a snapshot that has arrived, from 0 to 1; null if none is arriving. */
  progress(): number | null
}

export function createSnapshotJoiner(): SnapshotJoiner {
  let joined: LedgerState | null = null
  let parts = 1
  let missing = 0

  function add(tasks: Task[]): LedgerState | null {
    if (!joined) return null
    for (const task of tasks) joined.tasks.set(task.id, task)
    missing--
    if (missing > 0) return null
    const whole = joined
    joined = null
    return whole
  }

  return {
    progress: () => (joined ? 1 - missing / parts : null),
    take(event) {
      if (event.type === 'snapshot-part') return add(event.tasks)
      if (event.type === 'records') joined = null
      if (event.type !== 'snapshot') return null
      const { seq, dataDir, projects, tasks, trustedSetups } = event.state
      joined = {
        seq,
        dataDir,
        projects: new Map(projects.map((project) => [project.id, project])),
        removedProjects: new Map(),
        tasks: new Map(),
        trustedSetups: new Map(trustedSetups.map((one) => [one.projectId, one.configSha256])),
        clock: unknownClock,
      }
      parts = event.parts ?? 1
      missing = parts
      return add(tasks)
    },
  }
}
