/**
 * What a start does about the runs of a process that is gone: whoever holds the lease knows that nobody
 * else runs them, so they were interrupted, and the record says so (T3).
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EntryBody, PartialMessage } from '../../shared/entries.ts'
import { runIdOf } from '../../shared/ids.ts'
import { isRunning, type Task } from '../../shared/tasks.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { readPartial } from '../sessions/partial-file.ts'
import type { Session } from '../sessions/session.ts'
import { type DataLayout, partialFile } from '../sessions/session-files.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { causeOf } from './interruption.ts'

export const lostRunCause = 'Shiplog ended while it ran'

/**
 * Ends every run without a process in the record: completed when its report is durable, else interrupted,
 * its partial turn kept. Resolves with the interrupted tasks.
 */
export async function recoverLostRuns(deps: {
  ledger: Ledger
  sessions: Sessions
  layout: DataLayout
  onProblem: (text: string, error: unknown) => void
}): Promise<Task[]> {
  const lost = [...deps.ledger.state.tasks.values()].filter((task) => isRunning(task.status))
  for (const task of lost) {
    const run = task.runs.at(-1)?.run ?? 1
    let endedAt: number | undefined
    try {
      const session = await deps.sessions.open(task.id, deps.layout.sessionDir(task.id))
      endedAt = (await session.page({ last: 1 })).records[0]?.at
      await closeUnfinished(session, task, run).finally(() => deps.sessions.close(task.id))
    } catch (error) {
      deps.onProblem(`The session of "${task.title}" could not be closed: ${causeOf(error)}`, error)
    }
    const usage = { inputTokens: 0, outputTokens: 0, costUsd: null, complete: false }
    const { id: taskId } = task
    // What it was asked for is durable: only the word that it had ended was lost.
    if (task.reportedRun === run)
      await deps.ledger.record({ type: 'task.completed', taskId, run, usage, endedAt })
    else
      await deps.ledger.record({
        type: 'task.interrupted',
        taskId,
        run,
        cause: lostRunCause,
        usage,
        endedAt,
      })
  }
  return lost.filter((task) => task.reportedRun !== task.runs.at(-1)?.run)
}

/**
 * Ends in the record what a run could not end itself, because its process or its disk was gone: its
 * unfinished message is kept, its open calls have an unknown outcome (A8, S3). Nothing open is fine.
 */
export async function closeUnfinished(session: Session, task: Task, run: number): Promise<void> {
  const reported = task.reportedRun === run
  const path = join(session.dir, partialFile)
  const partial = await readPartial(path)
  const [last] = (await session.page({ last: 1 })).records
  if (!partial && (run === 0 || last?.type === 'run-end')) return
  const { open, committed, ended } = await whatIsOpen(session, run, partial)
  const closing: EntryBody[] = []
  if (partial && !committed) {
    const { v: _, ...message } = partial
    closing.push(message)
  }
  for (const call of open) {
    closing.push({
      ...call,
      type: 'tool-result',
      outcome: 'unknown',
      output: lostCallOutput,
      durationMs: 0,
    })
  }
  if (!ended && run > 0) {
    const runId = runIdOf(task.id, run)
    const end = reported
      ? ({ status: 'completed', cause: null } as const)
      : ({ status: 'interrupted', cause: lostRunCause } as const)
    closing.push({ type: 'run-end', runId, run, ...end })
  }
  if (closing.length > 0) await session.append(...closing)
  // Only once its content is in the journal.
  await rm(path, { force: true })
}

const lostCallOutput = 'Shiplog ended while it ran: its outcome is unknown.'

type OpenCall = Pick<
  Extract<EntryBody, { type: 'tool-result' }>,
  'messageUuid' | 'runId' | 'turn' | 'callId' | 'name'
>

/** The calls of the run that have no result, and what of its end is already written. */
async function whatIsOpen(session: Session, run: number, partial: PartialMessage | null) {
  const open = new Map<string, OpenCall>()
  let committed = false
  let ended = false
  for await (const entry of session.entries()) {
    if (entry.type === 'tool-call') {
      const { messageUuid, runId, turn, callId, name } = entry
      open.set(callId, { messageUuid, runId, turn, callId, name })
    } else if (entry.type === 'tool-result') open.delete(entry.callId)
    else if (entry.type === 'message') committed ||= entry.uuid === partial?.uuid
    else if (entry.type === 'run-end') ended ||= entry.run === run
  }
  return { open: [...open.values()], committed, ended }
}
