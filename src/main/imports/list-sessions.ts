/** The sessions of one folder, to choose from. */
import { type FoundImportSession, listedSessionsMax } from '../../shared/contract/imports.ts'
import { redactPatterns } from '../secrets/redact-patterns.ts'
import type { FoundSession } from './adapters/adapter.ts'
import { expiresSoon, lastOf, sessionBytes } from './found-sources.ts'
import type { SessionPlaces } from './session-places.ts'
import { type ImportThread, orThreadEnd } from './stage/import-thread.ts'

/** The most recent first. Titles are only read for the sessions that are listed. */
export async function listSessions(
  deps: {
    thread: ImportThread
    places: Pick<SessionPlaces, 'isImportedUnchanged'>
    nowMs: number
  },
  found: readonly FoundSession[],
  signal: AbortSignal,
): Promise<{ sessions: FoundImportSession[]; more: number }> {
  const { thread, places, nowMs } = deps
  const listed = found.toSorted((a, b) => lastOf(b) - lastOf(a)).slice(0, listedSessionsMax)
  const prompts = await thread.calls.firstPrompts(listed, { signal: orThreadEnd(thread, signal) })
  const sessions: FoundImportSession[] = []
  for (const [at, session] of listed.entries()) {
    const title = session.title ?? prompts[at] ?? null
    sessions.push({
      session: session.key,
      title: title && redactPatterns(title),
      bytes: sessionBytes(session),
      lastAt: new Date(lastOf(session)).toISOString(),
      expiringSoon: expiresSoon(session, nowMs),
      imported: await places.isImportedUnchanged(session),
    })
  }
  return { sessions, more: found.length - listed.length }
}
