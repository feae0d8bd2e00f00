/** Prints what has changed since agents stopped, and which agents can't be resumed because of it. */

import type { LedgerState } from '../../../../shared/projections/ledger/ledger-state.ts'
import { hasConflicts } from '../../../../shared/records/drift.ts'
import { shortId, type TaskId } from '../../../../shared/records/ids.ts'
import type { ResumeOutcome } from '../../../../shared/records/resume.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { counted, listFirst } from '../../../../shared/text/counted.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { Output } from '../terminal/output.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { commandLines } from '../terminal/wording.ts'
import { driftLines } from './drift-text.ts'
import type { Plan } from './resume-selector.ts'

/** Prints the selected tasks and the changes for each. */
export async function printDrift(
  out: Output,
  { candidates }: Plan,
  state: LedgerState,
  now: number,
): Promise<void> {
  const lines = candidates.flatMap((one) => driftLines(one, state.tasks.get(one.taskId), out, now))
  await out.write(lines.map((line) => `${line}\n`).join(''))
}

/** Returns the error if no task can be resumed (exit 5), with commands that would work; null if one can. */
export function refusalOf({ candidates }: Plan, force: boolean, command: string): CliError | null {
  const conflicting = candidates.filter(({ drift }) => hasConflicts(drift))
  if (conflicting.length > 0 && !force) return conflictsError(conflicting, command)
  if (candidates.every(({ obstacle }) => obstacle !== null)) {
    const [first] = candidates
    return refusedError(first?.obstacle ?? 'There is nothing to resume.')
  }
  return null
}

/** Returns the error if the service, which checks again, refused all tasks. */
export function nothingResumed({ refused }: ResumeOutcome, command: string): CliError {
  const conflicting = refused.filter(({ reason }) => reason === 'conflicts')
  if (conflicting.length > 0) return conflictsError(conflicting, command)
  const messages = refused.map(({ message }) => message)
  return refusedError([...new Set(messages)].join(' ') || 'There was nothing to resume.')
}

function conflictsError(conflicting: { taskId: TaskId }[], command: string): CliError {
  const [first] = conflicting
  const alone = conflicting.length === 1
  const who = `${counted(conflicting.length, 'agent')} would continue on files that others changed`
  return new CliError(
    exitCodes.refused,
    `${who} since ${alone ? 'it' : 'they'} stopped. Nothing was resumed.`,
    commandLines([
      [`${command} --force`, 'resumes despite conflicts'],
      [`shiplog tasks abandon ${first ? shortId(first.taskId) : 'ID'}`, 'abandons it'],
    ]),
  )
}

const refusedError = (message: string): CliError => new CliError(exitCodes.refused, message)

/** Returns other interrupted tasks in the trees of these, which are not resumed. */
export function othersInterrupted(state: LedgerState, taskIds: TaskId[]): Task[] {
  const selected = new Set(taskIds)
  const roots = new Set(taskIds.map((id) => rootOf(state, id)))
  return [...state.tasks.values()].filter(
    ({ id, rootId, status, archived }) =>
      roots.has(rootId) && status === 'interrupted' && !archived && !selected.has(id),
  )
}

/** Returns lines about those tasks; empty if there are none. */
export function othersLines(others: Task[]): string[] {
  const [first] = others
  if (!first) return []
  const names = others.map(({ id, title }) => `${safeLine(title)} (${shortId(id)})`)
  return [
    `Interrupted in the same tree, and not resumed: ${listFirst(names, namedMax)}.`,
    ...commandLines([
      [`shiplog tasks resume ${shortId(first.id)} --tree`, 'resumes the whole tree'],
    ]),
  ]
}

/** Fills one or two lines on a terminal. */
const namedMax = 4

export const rootOf = ({ tasks }: LedgerState, taskId: TaskId): TaskId =>
  tasks.get(taskId)?.rootId ?? taskId
