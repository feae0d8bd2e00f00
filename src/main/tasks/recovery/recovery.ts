/**
 * Recovers the runs of a dead process at the start. Because this process holds the lease, no other
 * process runs them, so they are recorded as interrupted (T3).
 */
import { join } from 'node:path'
import { usesModel } from '../../../shared/agents/agent-specs.ts'
import type { DiscardUnfinished } from '../../../shared/agents/driver/tool-context.ts'
import { messageOf } from '../../../shared/error-message.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import type { RunEndEntry } from '../../../shared/records/entry-types/runs.ts'
import { type PromptId, runIdOf } from '../../../shared/records/ids.ts'
import { parseEntry } from '../../../shared/records/parse-entry.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { TranscriptCounts } from '../../../shared/records/tasks/transcript-status.ts'
import { noUsage, type Usage, unknownUsage } from '../../../shared/records/usage.ts'
import { findMovedTranscript } from '../../artifacts/index.ts'
import {
  exists,
  type JournalRecord,
  makeDirDurable,
  moveDurable,
  readJournalPage,
} from '../../journal/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { promptFor, promptParts } from '../../runs/first-prompt.ts'
import { type Session, SessionMissingError } from '../../sessions/session.ts'
import { chatFile, type DataLayout } from '../../sessions/session-files.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { trashedRootName } from '../../sessions/trash-names.ts'
import { endEvent } from '../state/run-end.ts'
import { closeUnfinished, crashed, endOf, type RunEnd } from './close-unfinished.ts'

interface RecoveryDependencies {
  ledger: Ledger
  sessions: Sessions
  layout: DataLayout
  /** The last heartbeat of the process that ran them; null: unknown. */
  lastBeatMs: number | null
  discardUnfinished: DiscardUnfinished
  onProblem: (text: string, error: unknown) => void
}

/**
 * Ends every recorded run that has no process: with the end that its session records, as completed when its report is
 * durable, else as interrupted, its partial turn kept. Resolves with the interrupted tasks.
 */
export async function recoverLostRuns(deps: RecoveryDependencies): Promise<Task[]> {
  await returnSessions(deps)
  const lost = [...deps.ledger.state.tasks.values()].filter((task) => isRunning(task.status))
  const interrupted: Task[] = []
  for (const task of lost) {
    const run = task.runs.at(-1)?.run ?? 1
    const lostRun = await closeLostRun(deps, task, run)
    const { end, endedAt, transcript, usage, delivered = [] } = lostRun
    const cause = end.cause ?? crashed
    const used = usesModel(task.spec) ? (usage ?? unknownUsage) : noUsage
    const outcome = { status: end.status, cause, usage: used, transcript }
    const lastSign = lastSignOfLife(task, endedAt, deps.lastBeatMs)
    await deps.ledger.record(
      ...delivered.map((promptId) => ({
        type: 'task.prompt-delivered' as const,
        taskId: task.id,
        promptId,
      })),
      endEvent(task.id, run, outcome, lastSign),
    )
    if (end.status === 'interrupted') interrupted.push(task)
  }
  return interrupted
}

/**
 * After the ledger lost its end, roots may be in use whose session directories are in the archive or the trash. They
 * are moved back: new entries belong in them, and a new directory would hide them.
 */
async function returnSessions({ ledger, layout, onProblem }: RecoveryDependencies): Promise<void> {
  for (const { id, title, parentId, workspace } of ledger.state.tasks.values()) {
    if (parentId !== null || !workspace || workspace.removal !== null) continue
    const home = layout.sessionDir(id)
    if (await exists(home)) continue
    const places = [layout.archiveDir(id), join(layout.trash, trashedRootName(id))]
    for (const place of places) {
      if (!(await exists(place))) continue
      await makeDirDurable(layout.sessions)
      await moveDurable(place, home)
      const text = `The ledger lost the removal of "${title}": its record was moved back`
      onProblem(text, new Error(place))
      break
    }
  }
}

/** Returns the later of the last entry and the last heartbeat, because a run that awaits a command writes no entry. */
function lastSignOfLife(
  task: Task,
  lastEntryMs: number | undefined,
  lastBeatMs: number | null,
): number | undefined {
  const startedAt = Date.parse(task.runs.at(-1)?.startedAt ?? '')
  // A heartbeat from before the run, or from a wrong clock, is ignored.
  if (lastBeatMs === null || !(lastBeatMs >= startedAt) || lastBeatMs > Date.now())
    return lastEntryMs
  return Math.max(lastEntryMs ?? 0, lastBeatMs)
}

/**
 * Returns how the run ended according to its transcript, and the time of its last entry in milliseconds. A transcript
 * that is not in its session directory is searched for where it may have been moved (the ledger lost its end), and
 * never created: a new one would be mistaken for it.
 */
async function closeLostRun(
  deps: RecoveryDependencies,
  task: Task,
  run: number,
): Promise<{
  end: RunEnd
  endedAt?: number | undefined
  transcript?: TranscriptCounts | null
  /** The usage that its turns reported. An unfinished turn may have used more. */
  usage?: Usage
  /** Messages that the ledger has as waiting although the session holds them. */
  delivered?: PromptId[]
}> {
  const { sessions, layout, onProblem } = deps
  try {
    const session = await sessions.open(task.id, layout.sessionDir(task.id), { mustExist: true })
    try {
      const found = (await session.page({ last: afterEndMax })).records
      const endedAt = (endAmong(found, run) ?? found.at(-1))?.at
      await keepPrompt(session, task, run)
      await closeUnfinished(session, task, run, deps)
      const { records } = await session.page({ last: afterEndMax })
      const recorded = endAmong(records, run)
      const { runUsage, run: begun, steered } = await session.state()
      // If the session has no start of this run, the sum is that of an earlier run.
      const used = begun?.run === run ? runUsage : noUsage
      const usage = { ...used, complete: false }
      const waiting = (task.waitingPrompts ?? []).map(({ id }) => id)
      const delivered = waiting.filter((id) => steered.includes(id))
      const transcript = await session.counts()
      return { end: recorded ?? endOf(task, run), endedAt, transcript, usage, delivered }
    } finally {
      await sessions.close(task.id)
    }
  } catch (error) {
    if (error instanceof SessionMissingError) return endOfMoved(deps, task, run)
    onProblem(`The session of "${task.title}" could not be closed: ${messageOf(error)}`, error)
    return { end: endOf(task, run) }
  }
}

/** Entries that may follow a run's end: leaving its worktree, and links that a user added. */
const afterEndMax = 20

function endAmong(records: JournalRecord[], run: number): RunEndEntry | null {
  const ended = records.map(parseEntry).filter((entry) => entry.type === 'run-end')
  return ended.findLast((entry) => entry.run === run) ?? null
}

async function endOfMoved(
  { layout, onProblem }: RecoveryDependencies,
  task: Task,
  run: number,
): ReturnType<typeof closeLostRun> {
  const moved = await findMovedTranscript(layout, task.id)
  if (moved === null) {
    onProblem(
      `The transcript of "${task.title}" is gone`,
      new Error(`${join(layout.sessionDir(task.id), chatFile)} is not there`),
    )
    return { end: endOf(task, run) }
  }
  try {
    const { records } = await readJournalPage(moved, { last: afterEndMax })
    const recorded = endAmong(records, run)
    return { end: recorded ?? endOf(task, run), endedAt: (recorded ?? records.at(-1))?.at }
  } catch (error) {
    onProblem(`The transcript of "${task.title}" could not be read`, error)
    return { end: endOf(task, run) }
  }
}

/**
 * A prompt is in the ledger before a run consumes it: a run that was lost before its session held the prompt must not
 * consume it.
 */
async function keepPrompt(session: Session, task: Task, run: number): Promise<void> {
  const { prompt, images = [], startedAt } = task.runs.at(-1) ?? {}
  if (prompt === undefined || startedAt === undefined) return
  const runId = runIdOf(task.id, run)
  const past = await session.state()
  const lastRun = past.run?.run ?? 0
  const asked = lastRun > run || past.prompt?.runId === runId
  const { agent, model } = task
  const missing: EntryBody[] = []
  if (lastRun < run) missing.push({ type: 'run-start', runId, run, reason: 'prompt', agent, model })
  if (!asked) {
    missing.push({
      type: 'message',
      role: 'user',
      parts: promptParts(promptFor(task, { text: prompt, images }, past.prompt !== null)),
      cwd: task.workspace?.path ?? task.projectDir,
      timestamp: startedAt,
      gitBranch: task.workspace?.branch ?? null,
      sessionId: task.id,
      runId,
      turn: null,
      status: 'complete',
    })
  }
  if (missing.length > 0) await session.append(...missing)
}
