/** Reads one session of another tool into transcripts below a folder. Runs in the worker. */
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TaskId } from '../../../shared/records/ids.ts'
import { createStagedJournal, type StagedJournal, storeBlob } from '../../journal/index.ts'
import { chatFile } from '../../sessions/session-files.ts'
import type {
  DamagedLine,
  FoundSession,
  ImportAdapter,
  ReadEntry,
  ReadEvent,
  ReadTask,
} from '../adapters/adapter.ts'
import { createRewrittenIds, sameIds } from '../rewritten-ids.ts'
import { type EarlierTranscripts, readEarlier } from './earlier-sessions.ts'
import { createExportedTranscript, type ExportedTranscript } from './exported-transcript.ts'
import { hashFiles } from './hash-files.ts'
import type { StagedSession, StagedTask } from './staged-session.ts'

/** Entries per write. */
const batchEntries = 500
/** Folder of the transcripts that become part of their root when the session is published. */
export const partsFolder = 'parts'
/** Limit of listed damaged lines; all are counted. */
const listedDamageMax = 100

interface OpenTranscript {
  dir: string
  journal: StagedJournal
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
    /** The version of the session; see session-ids.ts. */
    version: number
    signal: AbortSignal
    onBytes(bytes: number): void
    /** Archived sessions that it may continue from. */
    earlier: readonly EarlierTranscripts[]
  },
): Promise<StagedSession> {
  const { dir, idOf, version, signal, onBytes } = deps
  const rootId = idOf('')
  const transcripts = new Map<TaskId, OpenTranscript>()
  const exported = new Map<TaskId, { dir: string; transcript: ExportedTranscript }>()
  const damage: DamagedLine[] = []
  let ended: Extract<ReadEvent, { kind: 'end' }> | null = null

  async function transcriptOf(task: TaskId): Promise<OpenTranscript> {
    const known = transcripts.get(task)
    if (known) return known
    const name = task === rootId ? '' : await newFolder(transcripts.size)
    const journal = createStagedJournal(join(dir, name, chatFile))
    const opened = { dir: name, journal, waiting: [], entries: 0, messages: 0 }
    transcripts.set(task, opened)
    return opened
  }

  async function newFolder(n: number): Promise<string> {
    const name = join(partsFolder, String(n))
    await mkdir(join(dir, name), { recursive: true, mode: 0o700 })
    return name
  }

  async function exportedOf(task: TaskId): Promise<ExportedTranscript> {
    const known = exported.get(task)
    if (known) return known.transcript
    const name = await newFolder(exported.size)
    const transcript = createExportedTranscript(join(dir, name))
    exported.set(task, { dir: name, transcript })
    return transcript
  }

  async function flush(transcript: OpenTranscript): Promise<void> {
    if (transcript.waiting.length > 0) await transcript.journal.write(transcript.waiting)
    transcript.waiting = []
  }

  async function finishTranscripts(read: ReadTask[]): Promise<StagedTask[]> {
    const tasks: StagedTask[] = []
    for (const task of read) {
      const transcript = transcripts.get(task.id)
      if (transcript) await flush(transcript)
      const counts = transcript && {
        entries: transcript.entries,
        messages: transcript.messages,
        bytes: transcript.journal.bytes,
      }
      tasks.push({ ...task, dir: transcript?.dir ?? null, transcriptCounts: counts ?? null })
    }
    return tasks
  }

  try {
    const { hashed, files } = await hashFiles(session.files, signal)
    const earlier = await readEarlier(deps.earlier, signal)
    for await (const event of adapter.read({ ...session, files }, { idOf, signal, earlier })) {
      signal.throwIfAborted()
      if (event.kind === 'bytes') onBytes(event.bytes)
      else if (event.kind === 'damage') {
        if (damage.length < listedDamageMax) damage.push(event.damage)
      } else if (event.kind === 'end') ended = event
      else if (event.kind === 'exported') await (await exportedOf(event.task)).add(event.part)
      else {
        const transcript = await transcriptOf(event.task)
        for (const image of event.images) await storeBlob(join(dir, transcript.dir, 'blobs'), image)
        transcript.entries += event.entries.length
        transcript.messages += event.entries.filter(({ type }) => type === 'message').length
        transcript.waiting.push(...event.entries)
        if (transcript.waiting.length >= batchEntries) await flush(transcript)
      }
    }
    if (ended === null) throw new Error(`${session.key} was not read completely`)
    const sha256 = digestOf(hashed)
    const tasks = ended.tasks[0]?.exported
      ? await finishExport(ended.tasks, exported, { version, sha256 })
      : await finishTranscripts(ended.tasks)
    return {
      record: {
        version: 1,
        tool: session.tool,
        toolVersion: ended.version,
        session: session.key,
        folder: dirname(session.files[0]?.path ?? ''),
        files: hashed,
        sha256,
        links: ended.links,
        damage,
        continues: ended.continues ?? null,
        redacted: ended.isRedacted === true,
        ...(ended.withoutFiles === true && { withoutFiles: true }),
        tasks: tasks.map(({ id, counts, edited }) => ({ taskId: id, ...counts, edited })),
      },
      tasks,
    }
  } finally {
    const closing = [...transcripts.values()].map(({ journal }) => journal.close())
    for (const { transcript } of exported.values()) closing.push(transcript.close())
    // Waits for all before reporting a failure: closing a journal syncs it, which may fail.
    await Promise.allSettled(closing)
    await Promise.all(closing)
  }
}

/** Completes the transcripts of an export. Version 0 keeps the export's ids; later versions get derived ids (I3). */
async function finishExport(
  read: ReadTask[],
  transcripts: Map<TaskId, { dir: string; transcript: ExportedTranscript }>,
  { version, sha256 }: { version: number; sha256: string },
): Promise<StagedTask[]> {
  const ids =
    version === 0
      ? sameIds
      : createRewrittenIds(
          read.map(({ id }) => id),
          `${sha256}${version === 1 ? '' : version - 1}`,
        )
  const tasks: StagedTask[] = []
  for (const task of read) {
    const { dir = null, transcript } = transcripts.get(task.id) ?? {}
    const counts = await transcript?.finish(ids)
    tasks.push({
      ...(JSON.parse(ids.inText(JSON.stringify(task))) as ReadTask),
      dir: task.exported?.hasTranscript ? dir : null,
      transcriptCounts: counts ?? null,
      ...(transcript && { last: transcript.last }),
    })
  }
  return tasks
}

/** Hash over names and hashes of all files. A single file's hash ignores its name, which may differ. */
function digestOf(files: { name: string; bytes: number; sha256: string }[]): string {
  const [only, ...others] = files
  if (only && others.length === 0) return only.sha256
  const digest = createHash('sha256')
  for (const { name, bytes, sha256 } of files) digest.update(`${name}\0${bytes}\0${sha256}\n`)
  return digest.digest('hex')
}
