/** Counts the files that a task and the tasks below it changed. Reads only. */
import { createKeyedMutex } from '../../shared/async/keyed-mutex.ts'
import type { ChangesGap, TreeChanges } from '../../shared/contract/changes/tree-changes.ts'
import type { WorkspaceDiff } from '../../shared/contract/workspace.ts'
import { FailureError } from '../../shared/failure.ts'
import {
  ancestorsOf,
  descendantsOf,
  type LedgerState,
} from '../../shared/projections/ledger/ledger-state.ts'
import { setBounded } from '../../shared/projections/session/bounded-lists.ts'
import type { RecordedEdits } from '../../shared/projections/transcript/recorded-edits.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { isRunning } from '../../shared/records/tasks/task-status.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'

export interface TreeChangesReader {
  /** Throws FailureError (not-found) for an unknown task. */
  count(taskId: TaskId, signal?: AbortSignal): Promise<TreeChanges>
}

/** Each takes Git some milliseconds, or a read of a transcript. */
const tasksCountedMax = 200
/** How long the changes in a worktree that exists are kept: a user may edit its files. */
const keptMs = 2_000
/** The tasks whose changes are kept, and the files of one that are: together some megabytes. */
const keptTasksMax = 500
const keptFilesMax = 1_000

interface TaskChanges {
  files: Map<string, FileChange>
  /** From its transcript. */
  reported: boolean
  gaps: ChangesGap[]
}

interface FileChange {
  /** Git's id of the content; null: not known. */
  contentId: string | null
  lines: { additions: number; deletions: number } | 'binary' | 'unknown'
}

export function createTreeChanges({
  state,
  diff,
  edits,
}: {
  state: LedgerState
  diff: (taskId: TaskId, shown: { patch: false }) => Promise<WorkspaceDiff>
  edits: (taskId: TaskId, signal?: AbortSignal) => Promise<RecordedEdits | null>
}): TreeChangesReader {
  /** The changes of tasks that do not run, by the state of the task that they were read in. */
  const kept = new Map<TaskId, { stateText: string; changes: TaskChanges; untilMs: number }>()
  // One at a time: the many cards of a conversation ask at once.
  const reads = createKeyedMutex()

  async function changesOf(task: Task, signal: AbortSignal | undefined): Promise<TaskChanges> {
    const stateText = stateTextOf(task)
    const known = kept.get(task.id)
    if (known?.stateText === stateText && performance.now() < known.untilMs) return known.changes
    signal?.throwIfAborted()
    const changes = await (isCompared(task) ? compared(task) : recorded(task, signal))
    const isKept = !isRunning(task.status) && changes.files.size <= keptFilesMax
    if (isKept && !changes.gaps.includes('unreadable'))
      setBounded(kept, task.id, { stateText, changes, untilMs: keptUntilMs(task) }, keptTasksMax)
    return changes
  }

  async function compared(task: Task): Promise<TaskChanges> {
    try {
      const { files } = await diff(task.id, { patch: false })
      return {
        files: new Map(
          files.map(({ path, contentId, additions, deletions }) => [
            path,
            {
              contentId,
              lines: additions === null || deletions === null ? 'binary' : { additions, deletions },
            },
          ]),
        ),
        reported: false,
        gaps: [],
      }
    } catch {
      // The Changes tab shows the reason.
      return unreadable
    }
  }

  async function recorded(task: Task, signal: AbortSignal | undefined): Promise<TaskChanges> {
    if (task.transcriptExpired) return unreadable
    const found = await edits(task.id, signal).catch((error: unknown) => {
      if (signal?.aborted) throw error
      return null
    })
    if (!found) return unreadable
    return {
      files: new Map(
        found.files.map(({ path, lines }) => [
          path,
          { contentId: null, lines: lines ?? 'unknown' },
        ]),
      ),
      reported: found.files.length > 0,
      gaps: [
        ...(found.mayHaveMore ? (['commands'] as const) : []),
        ...(found.isCut ? (['too-many'] as const) : []),
      ],
    }
  }

  return {
    async count(taskId, signal) {
      const task = state.tasks.get(taskId)
      if (!task) throw new FailureError({ kind: 'not-found', what: 'task', id: taskId })
      const tree = [task, ...descendantsOf(state, taskId)].filter(({ runs }) => runs.length > 0)
      const counted = tree.filter((one) => one === task || !isIncluded(state, one, task))
      // While a task runs, its changes are counted again and again: only of the asked one, and only by Git, because its
      // transcript may have hundreds of megabytes.
      const ended = counted.filter(
        (one) => !isRunning(one.status) || (one === task && isCompared(one)),
      )
      const all: TaskChanges[] = []
      for (const one of ended.slice(0, tasksCountedMax))
        all.push(await reads('read', () => changesOf(one, signal)))
      return sumOf(all, [
        ...(ended.length < counted.length ? (['running'] as const) : []),
        ...(ended.length > tasksCountedMax ? (['too-many'] as const) : []),
      ])
    },
  }
}

const keptUntilMs = (task: Task): number =>
  isCompared(task) && task.workspace?.removal === null
    ? performance.now() + keptMs
    : Number.POSITIVE_INFINITY

const unreadable: TaskChanges = { files: new Map(), reported: false, gaps: ['unreadable'] }

/** Reports whether its worktree is compared with the commit that it was made from. */
const isCompared = ({ imported, workspace }: Task): boolean =>
  !imported && workspace?.isolation === 'worktree' && workspace.baseCommit !== null

/** Reports whether the changes of `one` are among those of a task above it, up to `top`. */
function isIncluded(state: LedgerState, one: Task, top: Task): boolean {
  const ancestors = ancestorsOf(state, one.id)
  const above = ancestors
    .slice(0, ancestors.indexOf(top.id) + 1)
    .flatMap((id) => state.tasks.get(id) ?? [])
  const [parent] = above
  if (one.patch === 'applied') return parent !== undefined && isCompared(parent)
  const path = one.workspace?.path
  return above.some((task) => isCompared(task) && task.workspace?.path === path)
}

function sumOf(all: TaskChanges[], gaps: ChangesGap[]): TreeChanges {
  const files = new Map<string, FileChange>()
  for (const changes of all)
    for (const [path, change] of changes.files) {
      const known = files.get(path)
      files.set(path, known ? together(known, change) : change)
    }
  const lines = [...files.values()].map((one) => one.lines)
  const known = lines.filter((one) => typeof one === 'object')
  const unknown = new Set([...gaps, ...all.flatMap((one) => one.gaps)])
  if (lines.includes('unknown')) unknown.add('commands')
  return {
    files: files.size,
    additions: known.reduce((sum, { additions }) => sum + additions, 0),
    deletions: known.reduce((sum, { deletions }) => sum + deletions, 0),
    binary: lines.filter((one) => one === 'binary').length,
    reported: all.some(({ reported }) => reported),
    unknown: [...unknown],
  }
}

/** The same content is the same change, which two of the agents have. */
function together(a: FileChange, b: FileChange): FileChange {
  if (a.contentId !== null && a.contentId === b.contentId) return a
  const contentId = null
  if (typeof a.lines !== 'object') return { contentId, lines: b.lines }
  if (typeof b.lines !== 'object') return { contentId, lines: a.lines }
  const additions = a.lines.additions + b.lines.additions
  const deletions = a.lines.deletions + b.lines.deletions
  return { contentId, lines: { additions, deletions } }
}

const stateTextOf = ({ status, patch, runs, workspace, endedAt, usage }: Task): string =>
  JSON.stringify([status, patch, runs.at(-1)?.endedAt, workspace?.removal, endedAt, usage])
