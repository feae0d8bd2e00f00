/** What to do with each of several interrupted agents. Pure. */

import type { DriftReport } from '../../../shared/records/drift.ts'
import { hasConflicts } from '../../../shared/records/drift.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ResumeAgent, ResumeChoice } from '../../../shared/records/resume.ts'
import type { Activity } from '../../../shared/records/tasks/activity.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { interruptedRows, isBelow } from '../../store/resume/resumable.ts'
import type { ResumeAsk } from '../../store/window/overlay.ts'

export type Choices = Readonly<Partial<Record<TaskId, ResumeChoice>>>
type Tasks = ReadonlyMap<TaskId, Task>

/** `drift`: null while it is not known what has changed. */
export type PlannedAgent = ResumeAgent & { drift: DriftReport | null; obstacle: string | null }

export interface CandidateRow {
  candidate: PlannedAgent
  /** Below the topmost one that is shown. */
  depth: number
}

/** The agents that `ask` refers to, as trees, parents before their children. */
export function rowsFor(
  found: PlannedAgent[],
  ask: ResumeAsk,
  tasks: Tasks,
  hostSince: string | null = null,
  activity?: ReadonlyMap<TaskId, Activity>,
): CandidateRow[] {
  const listed =
    ask.of === 'all' ? interruptedRows(tasks, hostSince, activity).map(({ task }) => task.id) : null
  const isMeant = (id: TaskId): boolean => {
    if (ask.of === 'all') return listed?.includes(id) ?? false
    // The host names the members of a parallel group.
    if (ask.of === 'group') return true
    const task = tasks.get(id)
    return id === ask.taskId || (task !== undefined && isBelow(tasks, task, ask.taskId))
  }
  const meant = found.filter(({ taskId }) => isMeant(taskId))
  // All of them in the order of the list beside the dialog.
  const place = ({ taskId }: PlannedAgent) => listed?.indexOf(taskId) ?? 0
  return inTreeOrder(
    meant.toSorted((a, b) => place(a) - place(b)),
    tasks,
  )
}

function inTreeOrder(candidates: PlannedAgent[], tasks: Tasks): CandidateRow[] {
  const among = new Set(candidates.map(({ taskId }) => taskId))
  const aboveOf = ({ parentId }: PlannedAgent): TaskId | null => {
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

/** Resumes all of them; `choice` is for the agent that `ask` names. */
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
 * A choice for one of them. An agent that restarts asks for its sub-agents again, and one that is abandoned awaits
 * none: those below are abandoned with it, and resumed when it is, unless the person chooses otherwise.
 */
export function withChoice(
  choices: Choices,
  rows: CandidateRow[],
  taskId: TaskId,
  choice: ResumeChoice,
  tasks: Tasks,
): Choices {
  const next: Partial<Record<TaskId, ResumeChoice>> = { ...choices, [taskId]: choice }
  const isEnded = (one: ResumeChoice | undefined) => one === 'restart' || one === 'abandon'
  if (isEnded(choice) === isEnded(choices[taskId])) return next
  for (const { candidate } of rows) {
    const task = tasks.get(candidate.taskId)
    if (!task || !isBelow(tasks, task, taskId)) continue
    const unended = candidate.obstacle === null ? 'resume' : 'leave'
    const [from, to] = isEnded(choice)
      ? ([unended, 'abandon'] as const)
      : (['abandon', unended] as const)
    if (next[candidate.taskId] === from) next[candidate.taskId] = to
  }
  return next
}

/**
 * The topmost one alone: the others stay as they are, except that a restart abandons those below it, because the
 * new attempt starts its own. `meant`: those that anything is done with.
 */
export function onlyTopmost(
  rows: CandidateRow[],
  choices: Choices,
): { meant: CandidateRow[]; choices: Choices } {
  const [top, ...below] = rows
  if (!top || choices[top.candidate.taskId] !== 'restart')
    return { meant: rows.slice(0, 1), choices }
  const abandoned = below.map(({ candidate }) => [candidate.taskId, 'abandon'])
  return { meant: rows, choices: { ...choices, ...Object.fromEntries(abandoned) } as Choices }
}

/** The choices to send: one for each agent shown; the others stay as they are. */
export function sentChoices(
  found: PlannedAgent[],
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
  restart: number
  abandon: number
  leave: number
  /** How many of those that are resumed have conflicts. */
  conflicting: number
  /** How many of those that are resumed were not checked for changes yet. */
  unchecked: number
}

export function countChoices(rows: CandidateRow[], choices: Choices): ChoiceCounts {
  const counts = { resume: 0, restart: 0, abandon: 0, leave: 0, conflicting: 0, unchecked: 0 }
  for (const { candidate } of rows) {
    const choice = choices[candidate.taskId] ?? 'resume'
    counts[choice] += 1
    if (choice !== 'resume') continue
    if (candidate.drift === null) counts.unchecked += 1
    else if (hasConflicts(candidate.drift)) counts.conflicting += 1
  }
  return counts
}

/** Something that the person should decide on: it has conflicts, or can't be resumed at all. */
export const needsDecision = ({ candidate }: CandidateRow): boolean =>
  candidate.obstacle !== null || (candidate.drift !== null && hasConflicts(candidate.drift))

/**
 * The dialog's title: of one and those below it, by the choice for that one; of everything (`title` is null),
 * by what all of them have in common.
 */
export function resumeTitle(title: string | null, top: ResumeChoice, counts: ChoiceCounts): string {
  const only = onlyChoice(counts)
  if (title === null) {
    if (only === 'abandon') return 'Abandon interrupted agents'
    return only === 'restart' ? 'Restart interrupted agents' : 'Resume interrupted agents'
  }
  if (top === 'abandon') return `Abandon “${title}”`
  if (top === 'restart') return `Restart “${title}”`
  return top === 'leave' && only !== 'leave'
    ? `Only the sub-agents of “${title}”`
    : `Resume “${title}”`
}

/** The dialog's title for a parallel group: `title` is that of the agent whose group it is. */
export function groupResumeTitle(title: string, counts: ChoiceCounts): string {
  const only = onlyChoice(counts)
  const verb = only === 'abandon' ? 'Abandon' : only === 'restart' ? 'Restart' : 'Resume'
  return `${verb} the parallel group of “${title}”`
}

/** What will happen to them, in a sentence or two. */
export function resumeSummary(counts: ChoiceCounts): string {
  const count = counts.resume + counts.restart + counts.abandon + counts.leave
  if (count === 0) return 'Nothing is interrupted any more.'
  const only = onlyChoice(counts)
  const said =
    only === null
      ? `Of these ${count}, ${mixedParts(counts)}.`
      : count === 1
        ? summaries[only].one
        : `All ${count} ${summaries[only].several}`
  const conflicts = conflictText(counts.conflicting, count)
  if (conflicts === null) return said
  return only === 'resume' ? conflicts : `${said} ${conflicts}`
}

function conflictText(conflicting: number, count: number): string | null {
  if (conflicting === 0) return null
  const one = conflicting === 1
  const who =
    count === 1
      ? 'This agent has'
      : `${conflicting} of these ${count} agents ${one ? 'has' : 'have'}`
  return one
    ? `${who} conflicts: files it was working on were changed. It will continue from the current version.`
    : `${who} conflicts: files they were working on were changed. They will continue from the current version.`
}

const summaries: Record<ResumeChoice, { one: string; several: string }> = {
  resume: {
    one: 'It will pick up where it stopped, with its full history.',
    several: 'will pick up where they stopped, with their full history.',
  },
  restart: {
    one: 'It will restart from the beginning. What it did so far stays in the archive.',
    several: 'will restart from the beginning. What they did so far stays in the archive.',
  },
  abandon: {
    one: 'It will be abandoned. What it did stays in the archive.',
    several: 'will be abandoned. What they did stays in the archive.',
  },
  leave: { one: 'It stays interrupted.', several: 'stay interrupted.' },
}

/** `2 will resume; 1 will restart`. */
function mixedParts({ resume, restart, abandon, leave }: ChoiceCounts): string {
  const part = (count: number, words: string) => (count === 0 ? [] : [`${count} ${words}`])
  return [
    ...part(resume, 'will resume'),
    ...part(restart, 'will restart'),
    ...part(abandon, 'will be abandoned'),
    ...part(leave, leave === 1 ? 'stays interrupted' : 'stay interrupted'),
  ].join('; ')
}

/** The choice that all of them have; null if they differ, or there are none. */
function onlyChoice({ resume, restart, abandon, leave }: ChoiceCounts): ResumeChoice | null {
  const chosen = Object.entries({ resume, restart, abandon, leave }).filter(
    ([, count]) => count > 0,
  )
  return chosen.length === 1 ? ((chosen[0]?.[0] ?? null) as ResumeChoice | null) : null
}

/** The label of the button: `Resume`, `Resume anyway`, `Restart 1, abandon 2`. */
export function resumeActionLabel(counts: ChoiceCounts): string {
  const { resume, restart, abandon, conflicting } = counts
  const parts = [
    ...(resume > 0 ? [['resume', resume] as const] : []),
    ...(restart > 0 ? [['restart', restart] as const] : []),
    ...(abandon > 0 ? [['abandon', abandon] as const] : []),
  ]
  const [first] = parts
  if (!first) return 'Resume'
  const counted = parts.length > 1 || (first[0] !== 'resume' && first[1] > 1)
  const words = parts.map(([verb, count]) => (counted ? `${verb} ${count}` : verb)).join(', ')
  const label = words.charAt(0).toUpperCase() + words.slice(1)
  return conflicting > 0 ? `${label} anyway` : label
}
