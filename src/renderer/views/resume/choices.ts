/** What is to be done with each of several that stopped. Pure. */
import { hasConflicts } from '../../../shared/drift.ts'
import type { TaskId } from '../../../shared/ids.ts'
import type { ResumeCandidate, ResumeChoice } from '../../../shared/resume.ts'
import type { Task } from '../../../shared/tasks.ts'
import type { ResumeAsk } from '../../store/overlay.ts'
import { interruptedRows, isBelow } from '../../store/resumable.ts'

export type Choices = Readonly<Partial<Record<TaskId, ResumeChoice>>>
type Tasks = ReadonlyMap<TaskId, Task>

export interface CandidateRow {
  candidate: ResumeCandidate
  /** Below the topmost one that is shown. */
  depth: number
}

/** Of what was found those that are meant, as trees, parents before their children. */
export function rowsFor(
  found: ResumeCandidate[],
  ask: ResumeAsk,
  tasks: Tasks,
  hostSince: string | null = null,
): CandidateRow[] {
  const listed =
    ask.of === 'all' ? new Set(interruptedRows(tasks, hostSince).map(({ task }) => task.id)) : null
  const isMeant = (id: TaskId): boolean => {
    if (ask.of === 'all') return listed?.has(id) ?? false
    const task = tasks.get(id)
    return id === ask.taskId || (task !== undefined && isBelow(tasks, task, ask.taskId))
  }
  return inTreeOrder(
    found.filter(({ taskId }) => isMeant(taskId)),
    tasks,
  )
}

function inTreeOrder(candidates: ResumeCandidate[], tasks: Tasks): CandidateRow[] {
  const among = new Set(candidates.map(({ taskId }) => taskId))
  const aboveOf = ({ parentId }: ResumeCandidate): TaskId | null => {
    let above = parentId
    while (above !== null && !among.has(above)) above = tasks.get(above)?.parentId ?? null
    return above
  }
  const children = Map.groupBy(candidates, aboveOf)
  const rowsBelow = (above: TaskId | null, depth: number): CandidateRow[] =>
    (children.get(above) ?? []).flatMap((candidate) => [
      { candidate, depth },
      ...rowsBelow(candidate.taskId, depth + 1),
    ])
  return rowsBelow(null, 0)
}

/** At first everything goes on; `choice` is that for the one that was asked for. */
export function firstChoices(rows: CandidateRow[], choice: ResumeChoice, tasks: Tasks): Choices {
  const all = Object.fromEntries(
    rows.map(({ candidate }) => [
      candidate.taskId,
      candidate.obstacle === null ? 'resume' : 'leave',
    ]),
  ) as Choices
  const [top] = rows
  return top && choice !== 'resume'
    ? withChoice(all, rows, top.candidate.taskId, choice, tasks)
    : all
}

/**
 * A choice for one of them. Who begins anew asks for its sub-agents anew, and who is given up awaits none:
 * those below are given up with it, and go on again when it does, unless the person chooses otherwise.
 */
export function withChoice(
  choices: Choices,
  rows: CandidateRow[],
  taskId: TaskId,
  choice: ResumeChoice,
  tasks: Tasks,
): Choices {
  const next: Partial<Record<TaskId, ResumeChoice>> = { ...choices, [taskId]: choice }
  const isEnded = (one: ResumeChoice | undefined) => one === 'fresh' || one === 'abandon'
  if (isEnded(choice) === isEnded(choices[taskId])) return next
  const [from, to] = isEnded(choice)
    ? (['resume', 'abandon'] as const)
    : (['abandon', 'resume'] as const)
  for (const { candidate } of rows) {
    const task = tasks.get(candidate.taskId)
    if (!task || !isBelow(tasks, task, taskId) || candidate.obstacle !== null) continue
    if (next[candidate.taskId] === from) next[candidate.taskId] = to
  }
  return next
}

/** What is sent: a choice for each that was found, and the others stay as they are. */
export function sentChoices(
  found: ResumeCandidate[],
  rows: CandidateRow[],
  choices: Choices,
): Choices {
  const shown = new Set(rows.map(({ candidate }) => candidate.taskId))
  return Object.fromEntries(
    found.map(({ taskId }) => [
      taskId,
      shown.has(taskId) ? (choices[taskId] ?? 'resume') : 'leave',
    ]),
  ) as Choices
}

export interface ChoiceCounts {
  resume: number
  fresh: number
  abandon: number
  leave: number
  /** Of those that are resumed. */
  conflicting: number
}

export function countChoices(rows: CandidateRow[], choices: Choices): ChoiceCounts {
  const counts = { resume: 0, fresh: 0, abandon: 0, leave: 0, conflicting: 0 }
  for (const { candidate } of rows) {
    const choice = choices[candidate.taskId] ?? 'resume'
    counts[choice] += 1
    if (choice === 'resume' && hasConflicts(candidate.drift)) counts.conflicting += 1
  }
  return counts
}

/** The button that does it, in words. */
export function actWords(counts: ChoiceCounts): string {
  const { resume, fresh, abandon, conflicting } = counts
  if (conflicting > 0) return 'Continue anyway'
  if (resume > 0 || (fresh > 0 && abandon > 0)) return 'Continue'
  const many = (count: number) => (count === 1 ? '' : ` ${count}`)
  if (fresh > 0) return `Start${many(fresh)} fresh`
  return `Give${many(abandon)} up`
}
