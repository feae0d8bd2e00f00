/** Stages the transcript of one exported task in a separate folder. */
import { createHash, type Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { invalid } from '../../../shared/failure.ts'
import { newEntryId } from '../../../shared/records/ids.ts'
import type { TranscriptCounts } from '../../../shared/records/tasks/transcript-status.ts'
import type { ExportLine } from '../../export/formats/shiplog-file.ts'
import {
  blobDirectory,
  type JournalRecord,
  makeDirDurable,
  openDataFile,
  openJournal,
  type RecordBody,
  readLines,
  removeDurable,
  renameDurable,
  restoreBlobs,
  writeFileDurable,
} from '../../journal/index.ts'
import { chatFile, fileHistoryFolder, partialFile } from '../../sessions/session-files.ts'
import type { ExportedPart } from '../adapters/adapter.ts'
import type { RewrittenIds } from '../rewritten-ids.ts'

/** The lines as read. The journal is written once it is known whether any record was withheld. */
const linesFile = 'imported.jsonl'
/** Bytes per batch when the journal is rewritten. */
const batchBytes = 4 << 20

export type ExportedTranscript = ReturnType<typeof createExportedTranscript>

export function createExportedTranscript(dir: string) {
  const counts = { mapped: 0, withheld: 0, messages: 0 }
  /** The last record, which identifies the transcript. */
  const last = { seq: 0, sum: '' }
  let unfinished: object | null = null
  /** Size of the lines in bytes; null if there are none or they are not sealed. */
  let size: number | null = null
  const linesPath = join(dir, linesFile)
  let lines: FileHandle | null = null
  let openFile: { handle: FileHandle; hash: Hash; name: string } | null = null

  async function addLine(bytes: Uint8Array): Promise<void> {
    lines ??= await openDataFile(linesPath, 'append')
    await lines.appendFile(bytes)
    await lines.appendFile('\n')
  }

  async function addRecord(bytes: Buffer, withheld: boolean): Promise<void> {
    counts[withheld ? 'withheld' : 'mapped']++
    const { type, seq, sum } = parsed(bytes)
    if (!withheld && type === 'message') counts.messages++
    Object.assign(last, { seq, sum })
    await addLine(bytes)
  }

  async function addCopy(part: Extract<ExportLine, { shiplog: 'redacted' }>): Promise<void> {
    if (part.record.type === 'message') counts.messages++
    await addLine(Buffer.from(JSON.stringify(part)))
  }

  async function addChunk(part: Extract<ExportLine, { shiplog: 'blob' | 'file' }>): Promise<void> {
    const path = pathOf(part)
    if (path === null) return
    if (part.offset === 0) {
      await makeDirDurable(dirname(join(dir, path)))
      const handle = await openDataFile(join(dir, path), 'overwrite')
      openFile = { handle, hash: createHash('sha256'), name: path }
    }
    if (!openFile) return
    const data = Buffer.from(part.data, 'base64')
    await openFile.handle.appendFile(data)
    openFile.hash.update(data)
    if (part.offset + data.length < part.bytes) return
    await openFile.handle.sync()
    await openFile.handle.close()
    const hashMatches = openFile.name.endsWith(openFile.hash.digest('hex'))
    if (!hashMatches) invalid('path', `The content of ${openFile.name} does not match its name.`)
    openFile = null
  }

  /** Syncs and closes all files after the last line. */
  async function seal(): Promise<void> {
    if (!lines) return
    await lines.sync()
    size = (await lines.stat()).size
    await lines.close()
    lines = null
  }

  return {
    last,
    async add(part: ExportedPart): Promise<void> {
      if (part.kind === 'record') return addRecord(part.bytes, part.withheld)
      const { line } = part
      if (line.shiplog === 'redacted') await addCopy(line)
      else if (line.shiplog === 'blob' || line.shiplog === 'file') await addChunk(line)
      else if (line.shiplog === 'partial') unfinished = line.message
      else if (line.shiplog === 'task-end') await seal()
    },
    /**
     * Writes `chat.jsonl`, byte for byte as the original unless records were withheld or ids rewritten. Undefined: the
     * task has no transcript.
     */
    async finish(ids: RewrittenIds): Promise<TranscriptCounts | undefined> {
      if (unfinished) {
        const text = ids.inText(JSON.stringify(unfinished))
        await writeFileDurable(join(dir, partialFile), `${text}\n`)
      }
      if (size === null) return undefined
      const chat = join(dir, chatFile)
      const entries = counts.mapped + counts.withheld
      const { messages } = counts
      if (counts.withheld === 0 && ids.isEmpty) {
        await renameDurable(linesPath, chat)
        return { entries, messages, bytes: size }
      }
      const bytes = await rewriteJournal(linesPath, chat, ids)
      await removeDurable(linesPath)
      return { entries, messages, bytes }
    },
    async close(): Promise<void> {
      await openFile?.handle.close().catch(() => {})
      await lines?.close().catch(() => {})
    },
  }
}

/**
 * The path of an exported file in the transcript's folder. Null: not imported, such as a patch, which has no use here.
 */
function pathOf(part: Extract<ExportLine, { shiplog: 'blob' | 'file' }>): string | null {
  if (part.shiplog === 'blob') return join('blobs', part.sha256)
  const [, sha256] = /^file-history\/([0-9a-f]{64})$/.exec(part.name) ?? []
  return sha256 === undefined ? null : join(fileHistoryFolder, sha256)
}

/** Rewrites the journal and preserves the seq of every record. Returns the size of the new journal in bytes. */
async function rewriteJournal(from: string, chat: string, ids: RewrittenIds): Promise<number> {
  const journal = await openJournal(chat)
  let batch: RecordBody[] = []
  let bytes = 0
  const flush = async () => {
    if (batch.length > 0) await journal.write(batch)
    batch = []
    bytes = 0
  }
  const add = async (record: JournalRecord) => {
    await restoreBlobs(blobDirectory(chat), record)
    const { seq: _, salt: __, prev: ___, sum: ____, blobs: _____, ...body } = record
    batch.push(body as RecordBody)
  }
  try {
    /** A stub whose copy may follow. */
    let stub: { seq: number } | null = null
    for await (const line of readLines(from)) {
      if (!line) continue
      const read = parsed(Buffer.from(ids.inText(line.toString('utf8'))))
      bytes += line.length
      if (read.shiplog === 'redacted') {
        stub = null
        await add(read.record as JournalRecord)
      } else {
        if (stub) batch.push(omittedEntry(stub.seq))
        stub = read.withheld === undefined ? null : { seq: Number(read.seq) }
        if (!stub) await add(read as JournalRecord)
      }
      if (bytes >= batchBytes) await flush()
    }
    if (stub) batch.push(omittedEntry(stub.seq))
    await flush()
    return journal.bytes
  } finally {
    await journal.close()
  }
}

const omittedEntry = (seq: number): RecordBody => ({
  type: 'foreign',
  uuid: newEntryId(),
  parentUuid: null,
  source: 'shiplog export',
  content: { leftOut: `Entry ${seq} is not in the export.` },
})

const parsed = (line: Buffer): Record<string, unknown> => JSON.parse(line.toString('utf8'))
