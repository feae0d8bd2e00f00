/**
 * Continues existing agents: resumed after showing the changes since, or restarted. The output begins there, and ends
 * once none of them runs or waits for its turn.
 */

import type { LedgerState } from '../../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { ResumeEnd, ResumeOutcome } from '../../../../shared/records/resume.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { type Before, standBefore } from '../follow/baseline.ts'
import {
  type Followed,
  followTrees,
  ledgerSnapshot,
  type RunWatcher,
} from '../follow/follow-trees.ts'
import type { CliSession } from '../with-shiplog.ts'

interface FollowedResume<Begun> {
  begun: Begun
  /** How each of them ended. */
  ends: ResumeEnd[]
  followed: Followed
}

/**
 * `begin` starts them, and `agentsOf` returns which were started; none: there is nothing to follow, and the rest is
 * null. `rootIds`: their trees.
 */
export async function resumeAndFollow<Begun>(
  session: CliSession,
  watcher: RunWatcher,
  what: {
    rootIds: ReadonlySet<TaskId>
    begin: () => Promise<Begun>
    agentsOf: (begun: Begun) => TaskId[]
  },
): Promise<FollowedResume<Begun> | { begun: Begun; ends: null }> {
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
  let told: ResumeEnd[] = []
  let seqAtEnd = Number.POSITIVE_INFINITY
  const wake = client.tasks.resumeEnded({ taskIds }).then(async ({ ended }) => {
    told = ended
    seqAtEnd = (await ledgerSnapshot(client)).seq
  })
  // The feed's events may lag behind that answer.
  const isOver = ({ seq }: LedgerState) => seq >= seqAtEnd
  const followed = await followTrees(client, watcher, { ...what, isOver, wake, ending, closed })
  return { followed, ends: taskIds.map((id) => endIn(followed.state, id, told)) }
}

/** One that was blocked when the others ended may have been released since: the record counts. */
function endIn({ tasks }: LedgerState, taskId: TaskId, told: ResumeEnd[]): ResumeEnd {
  const { runs, status, cause } = tasks.get(taskId) as Task
  const run = runs.at(-1)?.run ?? 0
  const same = told.find((end) => end.taskId === taskId && end.run === run && end.status === status)
  return same ?? { taskId, run, status, cause: cause }
}

export const acceptedBy = ({ accepted }: ResumeOutcome): TaskId[] =>
  accepted.map(({ taskId }) => taskId)
