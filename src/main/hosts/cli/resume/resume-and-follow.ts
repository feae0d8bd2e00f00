/** Resumes or restarts existing agents, and follows them from there until none of them runs or is queued. */

import type { LedgerState } from '../../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { ResumeEnd, ResumeOutcome } from '../../../../shared/records/resume.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { type Baseline, readBaseline } from '../follow/baseline.ts'
import {
  type Followed,
  followTrees,
  ledgerSnapshot,
  type RunWatcher,
} from '../follow/follow-trees.ts'
import type { CliSession } from '../with-shiplog.ts'

interface FollowedResume<Answer> {
  answer: Answer
  /** How each agent ended. */
  ends: ResumeEnd[]
  followed: Followed
}

/**
 * `begin` starts the agents, `agentsOf` returns the started ones, and `rootIds` are their trees. `ends` is null if none
 * was started.
 */
export async function resumeAndFollow<Answer>(
  session: CliSession,
  watcher: RunWatcher,
  options: {
    rootIds: ReadonlySet<TaskId>
    begin: () => Promise<Answer>
    agentsOf: (answer: Answer) => TaskId[]
  },
): Promise<FollowedResume<Answer> | { answer: Answer; ends: null }> {
  const { client, starting } = session
  const { rootIds, agentsOf } = options
  const baseline = await readBaseline(client, await ledgerSnapshot(client), rootIds)
  const answer = await starting(options.begin, agentsOf)
  const taskIds = agentsOf(answer)
  if (taskIds.length === 0) return { answer, ends: null }
  const { followed, ends } = await followToEnd(session, watcher, { rootIds, baseline, taskIds })
  return { answer, ends, followed }
}

async function followToEnd(
  { client, ending, closed }: CliSession,
  watcher: RunWatcher,
  { taskIds, ...options }: { rootIds: ReadonlySet<TaskId>; baseline: Baseline; taskIds: TaskId[] },
): Promise<{ followed: Followed; ends: ResumeEnd[] }> {
  let reportedEnds: ResumeEnd[] = []
  let seqAtEnd = Number.POSITIVE_INFINITY
  const wake = client.tasks.resumeEnded({ taskIds }).then(async ({ ended }) => {
    reportedEnds = ended
    seqAtEnd = (await ledgerSnapshot(client)).seq
  })
  // The feed's events may lag behind that answer.
  const isOver = ({ seq }: LedgerState) => seq >= seqAtEnd
  const followed = await followTrees(client, watcher, { ...options, isOver, wake, ending, closed })
  return { followed, ends: taskIds.map((id) => endIn(followed.state, id, reportedEnds)) }
}

/** Prefers the record, because a task that was blocked when the others ended may have been released since. */
function endIn({ tasks }: LedgerState, taskId: TaskId, reportedEnds: ResumeEnd[]): ResumeEnd {
  const { runs, status, cause } = tasks.get(taskId) as Task
  const run = runs.at(-1)?.run ?? 0
  const same = reportedEnds.find(
    (end) => end.taskId === taskId && end.run === run && end.status === status,
  )
  return same ?? { taskId, run, status, cause: cause }
}

export const acceptedBy = ({ accepted }: ResumeOutcome): TaskId[] =>
  accepted.map(({ taskId }) => taskId)
