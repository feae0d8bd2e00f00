/** Imports a list of sessions, several at once, and reports the progress of all. */

import { inParallel } from '../../shared/async/in-parallel.ts'
import type { ImportedSession, ImportProgress } from '../../shared/contract/imports.ts'
import type { FoundSession } from './adapters/adapter.ts'
import { continuesFrom, earlierFirst } from './earlier-sessions.ts'
import { lastOf, sessionBytes } from './found-sources.ts'
import type { ImportEvent, SessionImporter } from './import-session.ts'
import type { RecordsAhead } from './records-ahead.ts'
import type { ImportThreads } from './stage/import-thread.ts'

/**
 * Sessions imported in parallel: while some wait for the disk, others are read. Those that wait together share the syncs
 * of the archive and of the ledger.
 */
const parallelMax = 16
/** Total size of the sessions imported in parallel, which are held in memory. A larger session is imported alone. */
const parallelBytesMax = 16 << 20
/** Sessions compared with the log at once, which mostly waits for the disk. */
const comparedAtOnce = 16

type Compare = (session: FoundSession) => Promise<ImportedSession | null>

/**
 * Compares sessions with the log from the moment when they are found, because a thread finds the others meanwhile.
 * `compare` resolves with the outcome, which is null if the session can't be read: its import reports that. `read` reads
 * the import record of a task.
 */
export function compareWhenFound(
  { findExisting }: Pick<SessionImporter, 'findExisting'>,
  signal: AbortSignal,
  read?: RecordsAhead['take'],
): { onFound(sessions: readonly FoundSession[]): void; compare: Compare } {
  const outcomes = new Map<FoundSession, Promise<ImportedSession | null>>()
  let last: Promise<unknown> = Promise.resolve()
  const compare: Compare = async (session) =>
    signal.aborted ? null : findExisting(session, read).catch(() => null)
  return {
    onFound(sessions) {
      for (let at = 0; at < sessions.length; at += comparedAtOnce) {
        const before = last
        const started = sessions.slice(at, at + comparedAtOnce).map((session) => {
          const outcome = before.then(() => compare(session))
          outcomes.set(session, outcome)
          return outcome
        })
        last = Promise.all(started)
      }
    },
    compare: (session) => outcomes.get(session) ?? compare(session),
  }
}

/** Sessions that their tool will delete soonest come first, then the newest; each after those it continues from. */
export async function* importAll(
  importer: SessionImporter,
  threads: ImportThreads,
  found: FoundSession[],
  signal: AbortSignal,
  { compare }: { compare: Compare } = compareWhenFound(importer, signal),
): AsyncGenerator<ImportEvent> {
  const sorted = earlierFirst(
    found.toSorted(
      (a, b) => (a.expiresAtMs ?? Infinity) - (b.expiresAtMs ?? Infinity) || lastOf(b) - lastOf(a),
    ),
  )
  const progress = {
    sessions: 0,
    sessionsTotal: found.length,
    bytes: 0,
    bytesTotal: found.reduce((sum, session) => sum + sessionBytes(session), 0),
  }
  const running = new Set<FoundSession>()
  async function* importWithProgress(session: FoundSession): AsyncGenerator<ImportEvent> {
    running.add(session)
    let left = sessionBytes(session)
    for await (const event of importer.importOne(threads, session, signal))
      if (typeof event !== 'number') yield event
      else {
        const bytes = Math.min(left, event)
        left -= bytes
        progress.bytes += bytes
        yield { type: 'progress', ...progress }
      }
    running.delete(session)
    progress.bytes += left
    progress.sessions++
    yield { type: 'progress', ...progress }
  }
  yield { type: 'progress', ...progress }
  const waiting = yield* skipUnchanged(compare, sorted, progress, signal)
  yield* inParallel(() => {
    const next = waiting[0]
    if (!next) return null
    if (!canBegin(next, running)) return 'wait'
    waiting.shift()
    return importWithProgress(next)
  })
}

/**
 * Yields the outcomes of the sessions that are imported and unchanged, which needs no thread, and counts them without
 * their bytes. Returns the others, in the same order.
 */
async function* skipUnchanged(
  compare: Compare,
  sorted: readonly FoundSession[],
  progress: ImportProgress,
  signal: AbortSignal,
): AsyncGenerator<ImportEvent, FoundSession[]> {
  const others: FoundSession[] = []
  const keys = new Set<string>()
  // A session that another one continues from is before it, and importing it may change the other one.
  const continuesOther = ({ opening, namedEarlier = [] }: FoundSession): boolean =>
    namedEarlier.some((key) => keys.has(key)) || (opening !== undefined && keys.has(opening))
  for (let at = 0; at < sorted.length; at += comparedAtOnce) {
    signal.throwIfAborted()
    const sessions = sorted.slice(at, at + comparedAtOnce)
    const existing = await Promise.all(sessions.map(compare))
    for (const [n, session] of sessions.entries()) {
      const outcome = existing[n]
      if (outcome && !continuesOther(session)) {
        progress.bytesTotal -= sessionBytes(session)
        progress.sessions++
        yield { type: 'session', session: outcome }
        continue
      }
      others.push(session)
      keys.add(session.key)
      if (session.opening !== undefined) keys.add(session.opening)
    }
    yield { type: 'progress', ...progress }
  }
  return others
}

function canBegin(session: FoundSession, running: ReadonlySet<FoundSession>): boolean {
  if (running.size === 0) return true
  const bytes = [session, ...running].reduce((sum, one) => sum + sessionBytes(one), 0)
  if (running.size >= parallelMax || bytes > parallelBytesMax) return false
  // The session that it continues from must be imported first.
  return ![...running].some((one) => continuesFrom(session, one))
}
