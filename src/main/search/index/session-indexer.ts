/** Updates the index with one transcript, reading only the entries added since the last update. */
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import type { TaskId } from '../../../shared/records/ids.ts'
import { readJournalSum } from '../../journal/index.ts'
import { readDocuments } from '../read-documents.ts'
import type { IndexDb, NewDocument } from './index-db.ts'

export interface SessionToIndex {
  taskId: TaskId
  title: string
  /** When the task was created, in milliseconds since the epoch; used as the time of its title. */
  createdAt: number
  /** Path of its `chat.jsonl`; null: the transcript was deleted. */
  file: string | null
  /** The report of a task whose transcript was deleted; null: none. */
  report: { title: string; markdown: string; at: number } | null
}

/** Limits of one batch. A search waits until the current batch is added. */
const batchChars = 1 << 18
const batchDocuments = 200

/** Maps work time to rest time, both in milliseconds; see `recording-signal.ts`. */
type Pace = (workedMs: number) => number

/**
 * Returns the number of documents added, which are found but may not be committed. Throws JournalReadError if the
 * transcript can't be read.
 */
export async function indexSession(
  db: IndexDb,
  session: SessionToIndex,
  pace: Pace = () => 0,
): Promise<number> {
  const { taskId, title, file } = session
  let known = db.session(taskId)
  if (known && !(await isIndexedPartUnchanged(file, known))) {
    db.remove(taskId)
    known = null
  }
  if (known && known.title !== title) db.retitle(taskId, titleOf(session))
  const headDocuments = known ? [] : [titleOf(session), ...reportOf(session)]
  const lastSeq = known?.lastSeq ?? 0
  if (file === null) {
    if (!known) db.add({ taskId, title }, headDocuments)
    return headDocuments.length
  }
  return addEntries(db, { ...session, file }, { headDocuments, afterSeq: lastSeq, pace })
}

/** Whether the indexed part of the transcript is unchanged. */
async function isIndexedPartUnchanged(
  file: string | null,
  { lastSeq, lastSum }: { lastSeq: number; lastSum: string | null },
): Promise<boolean> {
  if (lastSeq === 0) return file === null
  return file !== null && (await readJournalSum(file, lastSeq)) === lastSum
}

async function addEntries(
  db: IndexDb,
  { taskId, title, file }: { taskId: TaskId; title: string; file: string },
  { headDocuments, afterSeq, pace }: { headDocuments: NewDocument[]; afterSeq: number; pace: Pace },
): Promise<number> {
  let added = 0
  let documents = headDocuments
  let chars = 0
  let [readSeq, addedSeq] = [afterSeq, afterSeq]
  let workingSince = performance.now()
  const add = () => {
    db.add({ taskId, title }, documents)
    added += documents.length
    addedSeq = readSeq
    documents = []
    chars = 0
  }
  const savePosition = async () => {
    let lastSum: string | null = null
    try {
      // Read from the file again: a record that was damaged in the meantime has no checksum.
      if (addedSeq > 0) lastSum = await readJournalSum(file, addedSeq)
    } finally {
      db.savePosition({ taskId, lastSeq: lastSum === null ? 0 : addedSeq, lastSum })
    }
  }
  try {
    for await (const { entry, documents: ofEntry } of readDocuments(file, afterSeq + 1)) {
      for (const document of ofEntry) {
        documents.push({ ...document, seq: entry.seq, at: entry.at })
        chars += document.text.length
      }
      readSeq = entry.seq
      if (chars < batchChars && documents.length < batchDocuments) continue
      add()
      if (db.isCommitDue()) await savePosition()
      // Yields to searches that arrived during the batch.
      const restMs = pace(performance.now() - workingSince)
      await (restMs > 0 ? delay(restMs) : setImmediate())
      workingSince = performance.now()
    }
    if (documents.length > 0 || readSeq > afterSeq || afterSeq === 0) add()
  } finally {
    // Documents added before a read error stay in the index. A failed `add` has ended its transaction.
    await savePosition()
  }
  return added
}

const base = { part: 0, paths: '', tool: null, model: null, isError: false, seq: null }

const titleOf = ({ title, createdAt }: SessionToIndex): NewDocument => ({
  ...base,
  kind: 'title',
  text: title,
  at: createdAt,
})

const reportOf = ({ report }: SessionToIndex): NewDocument[] =>
  report
    ? [{ ...base, kind: 'report', text: `${report.title}\n${report.markdown}`, at: report.at }]
    : []
