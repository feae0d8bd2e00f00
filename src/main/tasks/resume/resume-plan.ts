/** Plans a resume: which tasks it would continue, and what changed since for each (S2). Begins nothing. */
import type { SessionState } from '../../../shared/projections/session/session-state.ts'
import type { DriftReport } from '../../../shared/records/drift.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type {
  ResumeAgent,
  ResumeCandidate,
  ResumePlanEvent,
  ResumeSelector,
} from '../../../shared/records/resume.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { FindDrift, FindObstacle } from '../drift/index.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import { type IsReserved, selectForResume } from './select.ts'

/** Each comparison runs a Git process. */
const plannedAtOnce = 4

export function createResumePlan({
  ledger,
  taskLedger,
  isReserved,
  pastOf,
  driftOf,
  obstacleOf,
}: {
  ledger: Ledger
  taskLedger: TaskLedger
  isReserved: IsReserved
  pastOf: (task: Task) => Promise<SessionState>
  driftOf: FindDrift
  obstacleOf: FindObstacle
}) {
  const { state } = ledger

  async function plan(selector: ResumeSelector): Promise<ResumeCandidate[]> {
    const order: TaskId[] = []
    const checked = new Map<TaskId, ResumeCandidate>()
    for await (const event of planned(selector)) {
      if (event.type === 'agents') order.push(...event.agents.map(({ taskId }) => taskId))
      else checked.set(event.candidate.taskId, event.candidate)
    }
    return order.flatMap((id) => checked.get(id) ?? [])
  }

  async function* planned(selector: ResumeSelector): AsyncGenerator<ResumePlanEvent> {
    const tasks = selectForResume(state, selector, isReserved)
    const among = new Set(tasks.map(({ id }) => id))
    yield { type: 'agents', agents: tasks.map((task) => agentOf(task, among)) }
    const pending = new Map<TaskId, Promise<ResumeCandidate>>()
    const next = async (): Promise<ResumePlanEvent> => {
      const candidate = await Promise.race(pending.values())
      pending.delete(candidate.taskId)
      return { type: 'checked', candidate }
    }
    for (const task of tasks) {
      const check = candidateOf(task, among)
      // A consumer that stops early never awaits the check; one that continues receives the failure from `next`.
      check.catch(() => {})
      pending.set(task.id, check)
      if (pending.size >= plannedAtOnce) yield await next()
    }
    while (pending.size > 0) yield await next()
  }

  function agentOf(task: Task, among: Set<TaskId>): ResumeAgent {
    const { id: taskId, parentId, title, agent, status } = task
    return { taskId, parentId, title, agent, status, depth: depthAmong(task, among) }
  }

  async function candidateOf(task: Task, among: Set<TaskId>): Promise<ResumeCandidate> {
    const past = await pastOf(task)
    const drift = await driftOf(task, past)
    const obstacle = await obstacleOf(task, past)
    await recordConflicts(task.id, drift)
    return { ...agentOf(task, among), drift, obstacle }
  }

  async function recordConflicts(taskId: TaskId, drift: DriftReport): Promise<void> {
    const files = drift.conflicts.length + (drift.conflictsMore ?? 0)
    const { status, conflictsFound } = taskLedger.get(taskId)
    if (
      (conflictsFound?.files ?? 0) === files ||
      !(status === 'interrupted' || status === 'queued')
    )
      return
    await ledger.record({ type: 'task.conflicts-found', taskId, files })
  }

  function depthAmong(task: Task, among: Set<TaskId>): number {
    const parent = task.parentId === null ? undefined : state.tasks.get(task.parentId)
    if (!parent) return 0
    return depthAmong(parent, among) + (among.has(parent.id) ? 1 : 0)
  }

  return { plan, planned, recordConflicts }
}
