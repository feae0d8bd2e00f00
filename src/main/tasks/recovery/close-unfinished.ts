/** Completes what a run left open in its session, because its process or its disk failed. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiscardUnfinished } from '../../../shared/agents/driver/tool-context.ts'
import { messageOf } from '../../../shared/error-message.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import type { PartialMessage } from '../../../shared/records/entry-types/messages.ts'
import type { RunEndEntry } from '../../../shared/records/entry-types/runs.ts'
import type { ToolCallEntry } from '../../../shared/records/entry-types/tool-calls.ts'
import { runIdOf } from '../../../shared/records/ids.ts'
import { withLostOutput } from '../../../shared/records/lost-output.ts'
import { parseEntry } from '../../../shared/records/parse-entry.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { readPartial, readRunning } from '../../sessions/partial-file.ts'
import type { Session } from '../../sessions/session.ts'
import { partialFile, runningFile } from '../../sessions/session-files.ts'

export const crashed: Cause = { kind: 'crashed' }

export type RunEnd = Pick<RunEndEntry, 'status' | 'cause'>

/**
 * Completes the record of a run whose process or disk failed: its unfinished message is kept, its open calls get an
 * unknown outcome (A8, S3) and leave no temporary file in the working directory. Does nothing when nothing is open.
 */
export async function closeUnfinished(
  session: Session,
  task: Task,
  run: number,
  deps: CallCleanUp,
): Promise<void> {
  const path = join(session.dir, partialFile)
  const partial = await readPartial(path)
  const [last] = (await session.page({ last: 1 })).records
  if (!partial && (run === 0 || last?.type === 'run-end')) return
  const { openCalls, run: begun, runEnd } = await session.state()
  const open = [...openCalls.values()]
  const runningPath = join(session.dir, runningFile)
  const printed = new Map(
    (await readRunning(runningPath)).map(({ callId, output }) => [callId, output]),
  )
  const ended = runEnd !== null && runEnd.run >= run && runEnd.seq > (begun?.seq ?? 0)
  const committed = partial !== null && (await isCommitted(session, partial))
  const closing: EntryBody[] = []
  if (partial && !committed && holdsAnything(partial)) {
    const { v: _, ...message } = partial
    closing.push(message)
  }
  for (const { seq, notRun, ...call } of open) {
    // First: once the call has a result, nothing looks for its file.
    await discardFileOf(task, { ...call, input: await inputAt(session, seq) }, deps)
    closing.push({
      ...call,
      type: 'tool-result',
      ...(notRun ? notRunResult : lostResult(printed.get(call.callId))),
      durationMs: 0,
    })
  }
  if (!ended && run > 0) {
    const runId = runIdOf(task.id, run)
    closing.push({ type: 'run-end', runId, run, ...endOf(task, run) })
  }
  if (closing.length > 0) await session.append(...closing)
  // The partial file must outlive a crash until its content is in the journal.
  await rm(path, { force: true })
  await rm(runningPath, { force: true })
}

/**
 * Returns the end of a run without a `run-end`: completed if its report is durable, because only
 * that entry was lost.
 */
export function endOf(task: Task, run: number): RunEnd {
  return task.reportedRun === run
    ? { status: 'completed', cause: null }
    : { status: 'interrupted', cause: crashed }
}

/** Reports whether the partial message has content. A stopped run records no empty message either. */
const holdsAnything = ({ parts, usage }: PartialMessage): boolean =>
  usage !== undefined ||
  parts.some((part) => !('text' in part) || part.text !== '' || part.providerData !== undefined)

const lostResult = (printed = '') =>
  ({
    outcome: 'unknown',
    output: withLostOutput('Shiplog quit while this was running: its outcome is unknown.', printed),
  }) as const
/** Nothing runs before the answer is durable. */
const notRunResult = {
  outcome: 'error',
  output: 'Not run: Shiplog quit before this was allowed. Call it again if it is still needed.',
  detail: { kind: 'not-run' },
} as const

interface CallCleanUp {
  discardUnfinished: DiscardUnfinished
  onProblem: (text: string, error: unknown) => void
}

/** A file that can't be removed must not keep the run open. */
async function discardFileOf(
  { id, title, workspace, projectDir }: Task,
  { callId, name, input }: Pick<ToolCallEntry, 'callId' | 'name' | 'input'>,
  { discardUnfinished, onProblem }: CallCleanUp,
): Promise<void> {
  const workingDir = workspace?.path ?? projectDir
  await discardUnfinished({ taskId: id, callId, name, input, workingDir }).catch((error) => {
    const text = `A temporary file that an interrupted ${name} of "${title}" left in ${workingDir} could not be removed`
    onProblem(`${text}: ${messageOf(error)}`, error)
  })
}

/** Null when its entry can't be read. */
async function inputAt(session: Session, seq: number): Promise<ToolCallEntry['input']> {
  const [record] = (await session.page({ fromSeq: seq, limit: 1 })).records
  const entry = record && parseEntry(record)
  return entry?.type === 'tool-call' && entry.seq === seq ? entry.input : null
}

/** Reports whether the journal contains the message. */
async function isCommitted(session: Session, { uuid, turn }: PartialMessage): Promise<boolean> {
  const { message } = await session.state()
  if (message?.uuid === uuid) return true
  // Turn numbers only increase: none is later than the last message's.
  if ((turn ?? 0) > (message?.turn ?? 0)) return false
  for await (const entry of session.entries())
    if (entry.type === 'message' && entry.uuid === uuid) return true
  return false
}
