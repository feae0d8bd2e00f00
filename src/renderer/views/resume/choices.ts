/** What to do with each of several interrupted agents. Pure. */

import { type DriftReport, hasConflicts } from '../../../shared/records/drift.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ResumeAgent, ResumeChoice } from '../../../shared/records/resume.ts'
import type { Activity } from '../../../shared/records/tasks/activity.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { allOf } from '../../components/primitives/format.ts'
import { interruptedRows, isBelow } from '../../store/resume/resumable.ts'
import type { ResumeTarget } from '../../store/window/overlay.ts'

export type Choices = Readonly<Partial<Record<TaskId, ResumeChoice>>>
type Tasks = ReadonlyMap<TaskId, Task>

/** `drift` is null until it was checked what has changed. */
export type PlannedAgent = ResumeAgent & { drift: DriftReport | null; obstacle: string | null }

export interface CandidateRow {
  candidate: PlannedAgent
  /** 0 for a topmost row. */
  depth: number
}

/** The agents that `target` refers to, as trees, parents before their children. */
export function rowsFor(
  found: PlannedAgent[],
  target: ResumeTarget,
  tasks: Tasks,
  hostSince: string | null = null,
  activity?: ReadonlyMap<TaskId, Activity>,
): CandidateRow[] {
  const listed =
    target.of === 'all'
      ? interruptedRows(tasks, hostSince, activity).map(({ task }) => task.id)
      : null
  const isIncluded = (id: TaskId): boolean => {
    if (target.of === 'all') return listed?.includes(id) ?? false
    // The host names the members of a parallel group.
    if (target.of === 'group') return true
    const task = tasks.get(id)
    return id === target.taskId || (task !== undefined && isBelow(tasks, task, target.taskId))
  }
  const included = found.filter(({ taskId }) => isIncluded(taskId))
  // All interrupted agents are in the order of the list beside the dialog.
  const place = ({ taskId }: PlannedAgent) => listed?.indexOf(taskId) ?? 0
  return inTreeOrder(
    included.toSorted((a, b) => place(a) - place(b)),
    tasks,
  )
}

function inTreeOrder(candidates: PlannedAgent[], tasks: Tasks): CandidateRow[] {
  const shown = new Set(candidates.map(({ taskId }) => taskId))
  const shownParentOf = ({ parentId }: PlannedAgent): TaskId | null => {
    let above = parentId
    while (above !== null && !shown.has(above)) above = tasks.get(above)?.parentId ?? null
    return above
  }
  const children = Map.groupBy(candidates, shownParentOf)
  const rowsBelow = (above: TaskId | null, depth: number): CandidateRow[] =>
    (children.get(above) ?? []).flatMap((candidate) => [
      { candidate, depth },
      ...rowsBelow(candidate.taskId, depth + 1),
    ])
  return rowsBelow(null, 0)
}

/** The choices at first: `choice` for the topmost agent, and resume for the others if they can be. */
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
 * Changes the choice for one agent. A restarted agent starts its sub-agents again and an abandoned one awaits none, so
 * those below are abandoned with it, and resumed again with it, unless the user chose otherwise for them.
 */
export function withChoice(
  choices: Choices,
  rows: CandidateRow[],
  taskId: TaskId,
  choice: ResumeChoice,
  tasks: Tasks,
): Choices {
  const next: Partial<Record<TaskId, ResumeChoice>> = { ...choices, [taskId]: choice }
  const endsAttempt = (one: ResumeChoice | undefined) => one === 'restart' || one === 'abandon'
  if (endsAttempt(choice) === endsAttempt(choices[taskId])) return next
  for (const { candidate } of rows) {
    const task = tasks.get(candidate.taskId)
    if (!task || !isBelow(tasks, task, taskId)) continue
    const kept = candidate.obstacle === null ? 'resume' : 'leave'
    const [from, to] = endsAttempt(choice)
      ? ([kept, 'abandon'] as const)
      : (['abandon', kept] as const)
    if (next[candidate.taskId] === from) next[candidate.taskId] = to
  }
  return next
}

/**
 * Limits the choices to the topmost agent. The others stay as they are, except that a restart abandons those below,
 * because the new attempt starts its own. `included`: the rows that are acted on.
 */
export function onlyTopmost(
  rows: CandidateRow[],
  choices: Choices,
): { included: CandidateRow[]; choices: Choices } {
  const [top, ...below] = rows
  if (!top || choices[top.candidate.taskId] !== 'restart')
    return { included: rows.slice(0, 1), choices }
  const abandoned = below.map(({ candidate }) => [candidate.taskId, 'abandon'])
  return { included: rows, choices: { ...choices, ...Object.fromEntries(abandoned) } as Choices }
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

/** Whether the user should decide about an agent: it has conflicts, or can't be resumed. */
export const needsDecision = ({ candidate }: CandidateRow): boolean =>
  candidate.obstacle !== null || (candidate.drift !== null && hasConflicts(candidate.drift))

/**
 * The dialog's title. For one agent and those below it, by the choice for that agent; for all interrupted agents
 * (`title` is null), by their common choice.
 */
export function resumeTitle(title: string | null, top: ResumeChoice, counts: ChoiceCounts): string {
  const common = commonChoice(counts)
  if (title === null) {
    if (common === 'abandon') return 'Abandon interrupted agents'
    return common === 'restart' ? 'Restart interrupted agents' : 'Resume interrupted agents'
  }
  if (top === 'abandon') return `Abandon “${title}”`
  if (top === 'restart') return `Restart “${title}”`
  return top === 'leave' && common !== 'leave'
    ? `Only the sub-agents of “${title}”`
    : `Resume “${title}”`
}

/** The dialog's title for a parallel group: `title` is that of the agent whose group it is. */
export function groupResumeTitle(title: string, counts: ChoiceCounts): string {
  const common = commonChoice(counts)
  const verb = common === 'abandon' ? 'Abandon' : common === 'restart' ? 'Restart' : 'Resume'
  return `${verb} the parallel group of “${title}”`
}

/** What will happen to the agents, in one or two sentences. */
export function resumeSummary(counts: ChoiceCounts): string {
  const count = counts.resume + counts.restart + counts.abandon + counts.leave
  if (count === 0) return 'No agent is interrupted any more.'
  const common = commonChoice(counts)
  const summary =
    common === null
      ? `Of these ${count}, ${mixedParts(counts)}.`
      : count === 1
        ? summaries[common].one
        : `${allOf(count)} ${summaries[common].several}`
  const conflicts = conflictText(counts.conflicting, count)
  if (conflicts === null) return summary
  return common === 'resume' ? conflicts : `${summary} ${conflicts}`
}

function conflictText(conflicting: number, count: number): string | null {
  if (conflicting === 0) return null
  const one = conflicting === 1
  const who =
    count === 1
      ? 'This agent has'
      : `${conflicting} of these ${count} agents ${one ? 'has' : 'have'}`
  return one
    ? `${who} conflicts: files it was working on were changed. It will continue with the files in its folder as they are now.`
    : `${who} conflicts: files they were working on were changed. They will continue with the files in their folders as they are now.`
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

/** The choice that all agents have; null if they differ or there are none. */
function commonChoice({ resume, restart, abandon, leave }: ChoiceCounts): ResumeChoice | null {
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
