/** Appends entries to a transcript outside its runs. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Entry } from '../../shared/records/entries.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { TranscriptCounts } from '../../shared/records/tasks/transcript-status.ts'
import { type Session, SessionMissingError } from './session.ts'
import { chatFile } from './session-files.ts'
import type { Sessions } from './sessions.ts'

/**
 * Nothing is written to a transcript that is missing, damaged or shorter than its stored counts.
 */
type Appended =
  /** `counts` are the new counts; null if some of the transcript can't be read. */
  | { kind: 'appended'; added: number; counts: TranscriptCounts | null }
  | { kind: 'missing' }
  | { kind: 'damaged' }

/**
 * Lets `add` append to the transcript in `dir`; `add` resolves with the durable entries. A
 * transcript that is damaged or shorter than `counted` is left unchanged, because another entry
 * would hide the loss.
 */
export async function appendBetweenRuns(
  sessions: Sessions,
  transcript: { id: TaskId; dir: string; counted: TranscriptCounts | undefined },
  add: (session: Session) => Promise<Entry[]>,
): Promise<Appended> {
  const { id, dir, counted } = transcript
  const session = await openExisting(sessions, id, dir)
  if (!session) return { kind: 'missing' }
  try {
    const bytesNow = async () => (await stat(join(dir, chatFile))).size
    const bytes = await bytesNow()
    if (session.damage.length > 0 || bytes < (counted?.bytes ?? 0)) return { kind: 'damaged' }
    const added = (await add(session)).length
    const counts =
      // A long transcript is not read only to count it.
      counted?.bytes === bytes
        ? { ...counted, entries: counted.entries + added, bytes: await bytesNow() }
        : await session.counts()
    return { kind: 'appended', added, counts }
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
