/** Reads one session of another tool into transcripts below a folder. Runs in the worker. */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { TaskId } from '../../../shared/records/ids.ts'
import { type Journal, makeDirDurable, openJournal, storeBlob } from '../../journal/index.ts'
import { chatFile } from '../../sessions/session-files.ts'
import type {
  DamagedLine,
  FoundSession,
  ImportAdapter,
  ReadEntry,
  ReadEvent,
} from '../adapters/adapter.ts'
import { hashFiles } from './hash-files.ts'
import type { StagedSession, StagedTask } from './staged-session.ts'

/** Entries that are written, and synced, at once. */
const batchEntries = 2_000
/** Damaged lines that are listed; all are counted. */
const listedDamageMax = 100

interface OpenTranscript {
  dir: string
  journal: Journal
  waiting: ReadEntry[]
  entries: number
  messages: number
}

export async function stageSession(
  adapter: ImportAdapter,
  session: FoundSession,
  deps: {
    dir: string
    idOf(key: string): TaskId
    signal: AbortSignal
    onBytes(bytes: number): void
  },
): Promise<StagedSession> {
  const { dir, idOf, signal, onBytes } = deps
  const transcripts = new Map<TaskId, OpenTranscript>()
  const damage: DamagedLine[] = []
  let ended: Extract<ReadEvent, { kind: 'end' }> | null = null

  async function transcriptOf(task: TaskId): Promise<OpenTranscript> {
    const known = transcripts.get(task)
    if (known) return known
    const name = `task-${transcripts.size}`
    await makeDirDurable(join(dir, name))
    const journal = await openJournal(join(dir, name, chatFile))
    const opened = { dir: name, journal, waiting: [], entries: 0, messages: 0 }
    transcripts.set(task, opened)
    return opened
  }

  async function flush(transcript: OpenTranscript): Promise<void> {
    if (transcript.waiting.length > 0) await transcript.journal.appendAll(transcript.waiting)
    transcript.waiting = []
  }

  try {
    const files = await hashFiles(session.files, signal)
    for await (const event of adapter.read(session, { idOf, signal })) {
      signal.throwIfAborted()
      if (event.kind === 'bytes') onBytes(event.bytes)
      else if (event.kind === 'damage') {
        if (damage.length < listedDamageMax) damage.push(event.damage)
      } else if (event.kind === 'end') ended = event
      else {
        const transcript = await transcriptOf(event.task)
        for (const image of event.images) await storeBlob(join(dir, transcript.dir, 'blobs'), image)
        transcript.entries += event.entries.length
        transcript.messages += event.entries.filter(({ type }) => type === 'message').length
        transcript.waiting.push(...event.entries)
        if (transcript.waiting.length >= batchEntries) await flush(transcript)
      }
    }
    if (ended === null) throw new Error(`${session.key} was not read to its end`)
    const tasks: StagedTask[] = []
    for (const task of ended.tasks) {
      const transcript = transcripts.get(task.id)
      if (transcript) await flush(transcript)
      tasks.push({
        ...task,
        dir: transcript?.dir ?? null,
        transcriptCounts: transcript
          ? {
              entries: transcript.entries,
              messages: transcript.messages,
              bytes: transcript.journal.bytes,
            }
          : null,
      })
    }
    return {
      record: {
        ...{ version: 1, tool: session.tool, toolVersion: ended.version, session: session.key },
        ...{ folder: dirname(session.files[0]?.path ?? ''), files, sha256: digestOf(files) },
        ...{ links: ended.links, damage },
        tasks: tasks.map(({ id, counts }) => ({ taskId: id, ...counts })),
      },
      tasks,
    }
  } finally {
    for (const { journal } of transcripts.values()) await journal.close()
  }
}

function digestOf(files: { name: string; bytes: number; sha256: string }[]): string {
  const digest = createHash('sha256')
  for (const { name, bytes, sha256 } of files) digest.update(`${name}\0${bytes}\0${sha256}\n`)
  return digest.digest('hex')
}
