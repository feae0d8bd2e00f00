/** An entry that comes when no run writes the transcript. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Entry, type EntryBody, parseEntry } from '../../shared/entries.ts'
import type { TaskId } from '../../shared/ids.ts'
import type { TranscriptCounts } from '../../shared/tasks.ts'
import { type Session, SessionMissingError } from './session.ts'
import { chatFile } from './session-files.ts'
import type { Sessions } from './sessions.ts'

/**
 * Appends `body` to the transcript in `dir`, durable when it resolves, unless `isThere` says so of its last entry.
 * Resolves with how long the transcript is then. Null, and nothing is written, when there is no transcript, or it
 * is damaged or shorter than was `counted`: one entry more would hide what is lost.
 */
export async function appendBetweenRuns(
  sessions: Sessions,
  transcript: { id: TaskId; dir: string; counted: TranscriptCounts | undefined },
  body: EntryBody,
  isThere: (last: Entry) => boolean,
): Promise<TranscriptCounts | null> {
  const { id, dir, counted } = transcript
  const session = await openExisting(sessions, id, dir)
  if (!session) return null
  try {
    const bytesNow = async () => (await stat(join(dir, chatFile))).size
    const bytes = await bytesNow()
    if (session.damage.length > 0 || bytes < (counted?.bytes ?? 0)) return null
    const [last] = (await session.page({ last: 1 })).records.map(parseEntry)
    const added = last && isThere(last) ? 0 : (await session.append(body)).length
    // Long ones are not read only to be counted.
    if (counted?.bytes !== bytes) return await session.counts()
    return { ...counted, entries: counted.entries + added, bytes: await bytesNow() }
  } finally {
    await sessions.close(id)
  }
}

async function openExisting(sessions: Sessions, id: TaskId, dir: string): Promise<Session | null> {
  try {
    return await sessions.open(id, dir, { mustExist: true })
  } catch (error) {
    if (error instanceof SessionMissingError) return null
    throw error
  }
}
