import { readPages } from '../../../shared/async/read-pages.ts'
import { invalid, refused } from '../../../shared/failure.ts'
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import { tasksContinuedBy } from '../../../shared/projections/ledger/lineage.ts'
import { foldSessionState } from '../../../shared/projections/session/fold-session.ts'
import {
  emptySessionState,
  type SessionState,
} from '../../../shared/projections/session/session-state.ts'
import { entriesOnPath } from '../../../shared/projections/transcript/fork-path.ts'
import type { Entry } from '../../../shared/records/entries.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { TranscriptExpiry } from '../../../shared/records/tasks/transcript-status.ts'
import { momentOf } from '../../../shared/text/format-time.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import type { PastSession } from '../../runs/past.ts'

export interface LineageCheck {
  /** Its unreadable parts, one sentence each. */
  damage: string[]
  /** The seq of the last entry of the last generation; 0 if there is none. */
  lastSeq: number
}

interface LineageDependencies {
  state: LedgerState
  records: Pick<ArchiveReader, 'transcriptPage' | 'sessionState' | 'blob'>
}

/** Returns the sessions of the tasks that this one continues, oldest first. Throws FailureError if one is missing. */
export async function lineageOf(deps: LineageDependencies, task: Task): Promise<PastSession[]> {
  const { generations } = await readLineage(deps, task)
  return Promise.all(
    generations.map(async (generation) => ({
      ...(await pastSession(deps.records, generation)),
      ...specOf(deps.state.tasks.get(generation.id)),
    })),
  )
}

const specOf = (task: Task | undefined) => (task ? { spec: task.spec } : {})

async function pastSession(
  records: LineageDependencies['records'],
  { id, throughSeq }: Generation,
): Promise<PastSession> {
  const state = (await records.sessionState(id, throughSeq)) ?? emptySessionState()
  const allEntries = (fromSeq: number) => entriesOf(records, id, { fromSeq, throughSeq })
  return {
    ...(state.forkDepth === 0 ? { state, entries: allEntries } : await onPath(() => allEntries(1))),
    throughSeq,
    async entry(seq) {
      const page = await records.transcriptPage(id, { fromSeq: seq, limit: 1, throughSeq })
      return page.entries.find((entry) => entry.seq === seq) ?? null
    },
    blob: (sha256) => records.blob(id, sha256),
  }
}

/** Reads a forked session as if the branch of the continued entry had been the whole conversation. */
async function onPath(
  entries: () => AsyncIterable<Entry>,
): Promise<Pick<PastSession, 'state' | 'entries'>> {
  const state = emptySessionState()
  for await (const entry of entriesOnPath(entries)) foldSessionState(state, entry)
  return {
    state,
    async *entries(fromSeq) {
      for await (const entry of entriesOnPath(entries)) if (entry.seq >= fromSeq) yield entry
    },
  }
}

/** Throws FailureError when one of the tasks that this one continues is missing. Reads the end of each. */
export async function checkLineage(deps: LineageDependencies, task: Task): Promise<LineageCheck> {
  const { damage, lastSeq } = await readLineage(deps, task)
  return { damage, lastSeq }
}

/**
 * Returns the seq of the last entry of the turn that contains entry `seq`, including the snapshot
 * of its files. An entry outside of turns is its own end. Throws FailureError if there is no such
 * entry, or its turn is not over yet.
 */
export async function turnEndOf(
  records: Pick<ArchiveReader, 'transcriptPage'>,
  { id, title, status }: Task,
  seq: number,
): Promise<number> {
  let last: Entry | null = null
  let isOver = false
  const through = { fromSeq: seq, throughSeq: Number.MAX_SAFE_INTEGER }
  for await (const entry of entriesOf(records, id, through)) {
    if (last === null && entry.seq !== seq) break
    if (last !== null && (isOver ? !followsTurn.has(entry.type) : isOutsideTurns(entry))) break
    isOver ||= endsTurn(entry) || (last === null && isOutsideTurns(entry))
    last = entry
  }
  if (last === null) return invalid('at', `"${title}" has no entry ${seq}.`)
  if (!isOver && isRunning(status))
    return refused('running', `The turn of entry ${seq} of "${title}" is not over yet.`)
  return last.seq
}

/** The entries that the recorder writes for a turn after its message. */
const followsTurn: ReadonlySet<Entry['type']> = new Set([
  'attribution-snapshot',
  'workspace-snapshot',
  'snapshot-failed',
])

/** A snapshot without a turn is of the files before a run's first call, or at the end of a run. */
const endsTurn = (entry: Entry): boolean =>
  (entry.type === 'message' && entry.role === 'assistant') ||
  ((entry.type === 'workspace-snapshot' || entry.type === 'snapshot-failed') && entry.turn !== null)

const isOutsideTurns = (entry: Entry): boolean =>
  (entry.type === 'message' && entry.role === 'user') ||
  entry.type === 'run-start' ||
  entry.type === 'run-end' ||
  entry.type === 'title'

interface Generation {
  id: TaskId
  /** The last of its entries that the next generation continues. */
  throughSeq: number
}

async function readLineage(
  { state, records }: LineageDependencies,
  task: Task,
): Promise<LineageCheck & { generations: Generation[] }> {
  const generations: Generation[] = []
  const damage: string[] = []
  let lastSeq = 0
  for (const { taskId: id, seq } of tasksContinuedBy(state, task).reverse()) {
    const { title = id, runs = [] } = state.tasks.get(id) ?? {}
    const end = await endOf(records, id, title, seq)
    lastSeq = 0
    // A task that was cancelled before it began has no transcript; only its assignment is continued.
    if (end === null && runs.length === 0) continue
    if (end === null)
      return refused(
        'removed',
        `The transcript of "${title}", which this agent continues, is gone.`,
      )
    lastSeq = end.lastSeq
    generations.push({ id, throughSeq: lastSeq })
    damage.push(...end.damage)
  }
  return { generations, damage, lastSeq }
}

async function* entriesOf(
  records: Pick<ArchiveReader, 'transcriptPage'>,
  id: TaskId,
  { fromSeq, throughSeq }: { fromSeq: number; throughSeq: number },
): AsyncGenerator<Entry> {
  const pages = readPages(fromSeq, (seq) =>
    records.transcriptPage(id, { fromSeq: seq, limit: pageEntries, throughSeq }),
  )
  for await (const { entries } of pages) yield* entries
}

/**
 * Returns the state of the task's own session, wherever it is kept; an empty state if it never ran. Throws FailureError
 * if it has expired.
 */
export async function pastOf(
  records: Pick<ArchiveReader, 'transcriptPage' | 'sessionState'>,
  { id, title }: Task,
): Promise<SessionState> {
  await endOf(records, id, title)
  return (await records.sessionState(id)) ?? emptySessionState()
}

/**
 * Returns the unreadable parts of the transcript up to `throughSeq`, and the last seq; null if there is no transcript.
 * Throws FailureError if it has expired.
 */
async function endOf(
  records: Pick<ArchiveReader, 'transcriptPage'>,
  id: TaskId,
  title: string,
  throughSeq = Number.MAX_SAFE_INTEGER,
): Promise<LineageCheck | null> {
  const query = { last: endEntries, throughSeq, previews: true }
  const page = await records.transcriptPage(id, query)
  if (page.status === 'missing') return null
  if (page.expired) return refuseExpired(title, page.expired)
  const damage = page.damage.map(
    ({ line, reason }) => `Line ${line} of the transcript of "${title}" can't be read: ${reason}.`,
  )
  return { damage, lastSeq: page.entries.at(-1)?.seq ?? 0 }
}

/** More entries than may follow the end of a run, so that its absence is detected. */
const endEntries = 50

/** Continuing without it would silently lose its content. */
function refuseExpired(title: string, expired: TranscriptExpiry): never {
  const remedy =
    expired.purgedAt === null
      ? `Restore it from the trash first: \`shiplog prune --undo ${expired.receiptId}\`, or "Restore it" where it is shown.`
      : 'It was permanently deleted, so there is no history to continue from: start a new agent instead.'
  return refused(
    'removed',
    `The transcript of "${title}" expired on ${momentOf(expired.at)}. ${remedy}`,
  )
}

const pageEntries = 100
