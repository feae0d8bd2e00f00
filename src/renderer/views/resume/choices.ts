/** What is to be done with each of several that stopped. Pure. */
import { hasConflicts } from '../../../shared/drift.ts'
import type { TaskId } from '../../../shared/ids.ts'
import type { ResumeCandidate, ResumeChoice } from '../../../shared/resume.ts'
import type { Task } from '../../../shared/tasks.ts'
import type { ResumeAsk } from '../../store/overlay.ts'
import { interruptedRows, isBelow } from '../../store/resumable.ts'

export type Choices = Readonly<Partial<Record<TaskId, ResumeChoice>>>
type Tasks = ReadonlyMap<TaskId, Task>

interface CandidateRow {
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
    ask.of === 'all' ? interruptedRows(tasks, hostSince).map(({ task }) => task.id) : null
  const isMeant = (id: TaskId): boolean => {
    if (ask.of === 'all') return listed?.includes(id) ?? false
    const task = tasks.get(id)
    return id === ask.taskId || (task !== undefined && isBelow(tasks, task, ask.taskId))
  }
  const meant = found.filter(({ taskId }) => isMeant(taskId))
  // All of them in the order of the list beside the dialog.
  const place = ({ taskId }: ResumeCandidate) => listed?.indexOf(taskId) ?? 0
  return inTreeOrder(
    meant.toSorted((a, b) => place(a) - place(b)),
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

/**
 * The dialog's title: of one and what is below it, by the choice for that one; of everything (`title` is
 * null), by what all of them have in common.
 */
export function titleWords(title: string | null, top: ResumeChoice, counts: ChoiceCounts): string {
  const only = onlyChoice(counts)
  if (title === null) {
    if (only === 'abandon') return 'Give up what was interrupted'
    return only === 'fresh' ? 'Start fresh what was interrupted' : 'Resume what was interrupted'
  }
  if (top === 'abandon') return `Give up “${title}”`
  if (top === 'fresh') return `Start “${title}” fresh`
  return top === 'leave' && only !== 'leave' ? `Only what is below “${title}”` : `Resume “${title}”`
}

/** What will happen to them, in a sentence or two. */
export function summaryWords(counts: ChoiceCounts): string {
  const count = counts.resume + counts.fresh + counts.abandon + counts.leave
  if (count === 0) return 'Nothing is interrupted any more.'
  const only = onlyChoice(counts)
  const { conflicting } = counts
  if (only === null) {
    const parts = mixedParts(counts)
    const said = `Of these ${count}, ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}.`
    if (conflicting === 0) return said
    return `${said} Others changed files that ${conflicting} of them worked on: ${conflicting === 1 ? 'that one goes' : 'those go'} on from what is there now.`
  }
  if (conflicting > 0)
    return count === 1
      ? 'Others changed files that it worked on. It would go on from what is there now.'
      : `For ${conflicting} of these ${count}, others changed files that they worked on. They would go on from what is there now.`
  return count === 1 ? summaries[only].one : `These ${count} ${summaries[only].several}`
}

const summaries: Record<ResumeChoice, { one: string; several: string }> = {
  resume: {
    one: 'It goes on where it stopped, with its whole history.',
    several: 'go on where they stopped, each with its whole history.',
  },
  fresh: {
    one: 'It is given up, and its assignment begun anew. Its record stays.',
    several: 'are given up, and their assignments begun anew. Their records stay.',
  },
  abandon: {
    one: 'It is given up and does not go on. What it did is kept.',
    several: 'are given up and do not go on. What they did is kept.',
  },
  leave: { one: 'It stays as it is.', several: 'stay as they are.' },
}

function mixedParts({ resume, fresh, abandon, leave }: ChoiceCounts): string[] {
  const part = (count: number, one: string, several: string) =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : several}`]
  return [
    ...part(resume, 'goes on where it stopped', 'go on where they stopped'),
    ...part(fresh, 'begins anew', 'begin anew'),
    ...part(abandon, 'is given up', 'are given up'),
    ...part(leave, 'stays as it is', 'stay as they are'),
  ]
}

/** What is chosen for all of them; null when that differs, or there are none. */
function onlyChoice({ resume, fresh, abandon, leave }: ChoiceCounts): ResumeChoice | null {
  const chosen = Object.entries({ resume, fresh, abandon, leave }).filter(([, count]) => count > 0)
  return chosen.length === 1 ? ((chosen[0]?.[0] ?? null) as ResumeChoice | null) : null
}

/** The button that does it, in words. */
export function actWords(counts: ChoiceCounts): string {
  const { resume, fresh, abandon, conflicting } = counts
  if (conflicting > 0) return 'Continue anyway'
  if (resume > 0 || (fresh > 0 && abandon > 0) || fresh + abandon === 0) return 'Continue'
  const many = (count: number) => (count === 1 ? '' : ` ${count}`)
  if (fresh > 0) return `Start${many(fresh)} fresh`
  return `Give${many(abandon)} up`
}
