/** Reads one session of another tool into a folder that then becomes its place in the archive. Runs in the worker. */
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { allEnded } from '../../../shared/async/all-ended.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { transcriptsDir } from '../../artifacts/index.ts'
import {
  createStagedFiles,
  createStagedJournal,
  type StagedJournal,
  storeBlob,
} from '../../journal/index.ts'
import { chatFile } from '../../sessions/session-files.ts'
import type {
  DamagedLine,
  FoundSession,
  ImportAdapter,
  ReadEntry,
  ReadEvent,
  ReadTask,
} from '../adapters/adapter.ts'
import { completeFolder } from './complete-folder.ts'
import { type EarlierTranscripts, readEarlier } from './earlier-sessions.ts'
import { createExportedTranscript, type ExportedTranscript } from './exported-transcript.ts'
import { exportsFolder, finishExport } from './finish-export.ts'
import { hashFiles, inRoom } from './hash-files.ts'
import type { ImportRecord, StagedSession, StagedTask } from './staged-session.ts'

/** Entries per write: few, because V8 copies those that wait for long. */
const batchEntries = 64
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
    /** As ISO 8601. */
    importedAt: string
  },
): Promise<StagedSession> {
  const { dir, idOf, version, signal, onBytes, importedAt } = deps
  const folder = createStagedFiles(dir)
  const rootId = idOf('')
  const transcripts = new Map<TaskId, OpenTranscript>()
  const exported = new Map<TaskId, { dir: string; transcript: ExportedTranscript }>()
  const damage: DamagedLine[] = []

  function transcriptOf(task: TaskId): OpenTranscript {
    const known = transcripts.get(task)
    if (known) return known
    const name = task === rootId ? '' : join(transcriptsDir, task)
    folder.addFolder(name)
    const journal = createStagedJournal(join(dir, name, chatFile))
    const opened = { dir: name, journal, waiting: [], entries: 0, messages: 0 }
    transcripts.set(task, opened)
    return opened
  }

  async function exportedOf(task: TaskId): Promise<ExportedTranscript> {
    const known = exported.get(task)
    if (known) return known.transcript
    const name = join(exportsFolder, String(exported.size))
    await mkdir(join(dir, name), { recursive: true, mode: 0o700 })
    const transcript = createExportedTranscript(join(dir, name))
    exported.set(task, { dir: name, transcript })
    return transcript
  }

  async function flush(transcript: OpenTranscript): Promise<void> {
    if (transcript.waiting.length > 0) await transcript.journal.write(transcript.waiting)
    transcript.waiting = []
  }

  /** Reads all of the session, into journals and exported transcripts. `room`: memory for its content. */
  async function readInto(room: Buffer) {
    let ended: Extract<ReadEvent, { kind: 'end' }> | null = null
    const { hashed, files } = await hashFiles(session.files, room, signal)
    const earlier = await readEarlier(deps.earlier, signal)
    for await (const event of adapter.read({ ...session, files }, { idOf, signal, earlier })) {
      signal.throwIfAborted()
      if (event.kind === 'bytes') onBytes(event.bytes)
      else if (event.kind === 'damage') {
        if (damage.length < listedDamageMax) damage.push(event.damage)
      } else if (event.kind === 'end') ended = event
      else if (event.kind === 'exported') await (await exportedOf(event.task)).add(event.part)
      else {
        const transcript = transcriptOf(event.task)
        for (const image of event.images) await storeBlob(join(dir, transcript.dir, 'blobs'), image)
        transcript.entries += event.entries.length
        transcript.messages += event.entries.filter(({ type }) => type === 'message').length
        transcript.waiting.push(...event.entries)
        if (transcript.waiting.length >= batchEntries) await flush(transcript)
      }
    }
    if (ended === null) throw new Error(`${session.key} was not read completely`)
    return { hashed, ended }
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
      const hasFolder = transcript !== undefined
      tasks.push({ ...task, hasFolder, hasPartial: false, transcriptCounts: counts ?? null })
    }
    return tasks
  }

  /** Syncs the journals, which may fail. Further calls have the outcome of the first. */
  async function closeTranscripts(): Promise<void> {
    await allEnded([
      ...[...transcripts.values()].map(({ journal }) => journal.close()),
      ...[...exported.values()].map(({ transcript }) => transcript.close()),
    ])
  }

  try {
    const { hashed, ended } = await inRoom(readInto)
    const sha256 = digestOf(hashed)
    const tasks = ended.tasks[0]?.exported
      ? await finishExport(ended.tasks, { folder, dir, exported, version, sha256 })
      : await finishTranscripts(ended.tasks)
    const record: ImportRecord = {
      version: 1,
      tool: session.tool,
      toolVersion: ended.version,
      session: session.key,
      folder: dirname(session.files[0]?.path ?? ''),
      files: hashed,
      sha256,
      importedAt,
      links: ended.links,
      damage,
      continues: ended.continues ?? null,
      redacted: ended.isRedacted === true,
      ...(ended.withoutFiles === true && { withoutFiles: true }),
      tasks: tasks.map(({ id, counts, edited }) => ({ taskId: id, ...counts, edited })),
    }
    // What waits for the disk waits together.
    const [completed] = await allEnded([
      completeFolder(folder, { record, tasks }),
      closeTranscripts(),
    ])
    return completed
  } finally {
    await closeTranscripts()
  }
}

/** Hash over names and hashes of all files. A single file's hash ignores its name, which may differ. */
function digestOf(files: { name: string; bytes: number; sha256: string }[]): string {
  const [only, ...others] = files
  if (only && others.length === 0) return only.sha256
  const digest = createHash('sha256')
  for (const { name, bytes, sha256 } of files) digest.update(`${name}\0${bytes}\0${sha256}\n`)
  return digest.digest('hex')
}
