/**
 * Agents that are there already go on: resumed after a look at what has changed, or run again. What is
 * told begins there, and it ends once none of them runs or waits for its turn.
 */
import type { TaskId } from '../../../../shared/ids.ts'
import type { LedgerState } from '../../../../shared/projections/ledger-state.ts'
import type { ResumeEnd, ResumeOutcome } from '../../../../shared/resume.ts'
import type { Task } from '../../../../shared/tasks.ts'
import { type Before, standBefore } from '../follow/before.ts'
import {
  type Followed,
  followTrees,
  ledgerSnapshot,
  type RunWatcher,
} from '../follow/follow-trees.ts'
import type { CliSession } from '../with-shiplog.ts'

export interface GoingOn<Begun> {
  begun: Begun
  /** How each of them ended. */
  ends: ResumeEnd[]
  followed: Followed
}

/**
 * `begin` has them begun, and `agentsOf` says which were; none: there is nothing to follow, and null is
 * answered for the rest. `rootIds`: their trees.
 */
export async function goOn<Begun>(
  session: CliSession,
  watcher: RunWatcher,
  what: {
    rootIds: ReadonlySet<TaskId>
    begin: () => Promise<Begun>
    agentsOf: (begun: Begun) => TaskId[]
  },
): Promise<GoingOn<Begun> | { begun: Begun; ends: null }> {
  const { client, starting } = session
  const { rootIds, agentsOf } = what
  const before = await standBefore(client, await ledgerSnapshot(client), rootIds)
  const begun = await starting(what.begin, agentsOf)
  const taskIds = agentsOf(begun)
  if (taskIds.length === 0) return { begun, ends: null }
  const { followed, ends } = await followToEnd(session, watcher, { rootIds, before, taskIds })
  return { begun, ends, followed }
}

async function followToEnd(
  { client, ending, closed }: CliSession,
  watcher: RunWatcher,
  { taskIds, ...what }: { rootIds: ReadonlySet<TaskId>; before: Before; taskIds: TaskId[] },
): Promise<{ followed: Followed; ends: ResumeEnd[] }> {
  let ends: ResumeEnd[] | null = null
  const wake = client.tasks.resumeEnded({ taskIds }).then((answer) => {
    ends = answer.ended
  })
  // What was told by the feed may lag behind that answer.
  const isOver = ({ tasks }: LedgerState) =>
    ends?.every(({ taskId, run, status }) => {
      const task = tasks.get(taskId)
      return task?.status === status && (task.runs.at(-1)?.run ?? 0) >= run
    }) ?? false
  const followed = await followTrees(client, watcher, { ...what, isOver, wake, ending, closed })
  return { followed, ends: ends ?? taskIds.map((id) => endIn(followed.state, id)) }
}

/** When all was closed before they could be asked for. */
function endIn({ tasks }: LedgerState, taskId: TaskId): ResumeEnd {
  const task = tasks.get(taskId) as Task
  return { taskId, run: task.runs.length, status: task.status, cause: task.error }
}

export const acceptedBy = ({ accepted }: ResumeOutcome): TaskId[] =>
  accepted.map(({ taskId }) => taskId)
