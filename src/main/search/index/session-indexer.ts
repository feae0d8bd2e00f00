/** Brings the index up to date with one transcript: only what was added since is read. */
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import type { TaskId } from '../../../shared/records/ids.ts'
import { readJournalSum } from '../../journal/index.ts'
import { readDocuments } from '../read-documents.ts'
import type { IndexDb, NewDocument } from './index-db.ts'

export interface SessionToIndex {
  taskId: TaskId
  title: string
  /** When the task was created, in milliseconds since the epoch: the time of its title. */
  createdAt: number
  /** Its `chat.jsonl`; null: its transcript is not kept. */
  file: string | null
  /** A report whose transcript is not kept. */
  report: { title: string; markdown: string; at: number } | null
}

/** Added at a time: a search waits for it. */
const batchChars = 1 << 18
const batchDocuments = 200

/** Returns how long to rest after so many milliseconds of work; see `recording-signal.ts`. */
type Pace = (workedMs: number) => number

/** Returns how many documents were added. */
export async function indexSession(
  db: IndexDb,
  session: SessionToIndex,
  pace: Pace = () => 0,
): Promise<number> {
  try {
    return await addSession(db, session, pace)
  } finally {
    // What was added before a transcript could not be read any further stays.
    db.commit()
  }
}

async function addSession(db: IndexDb, session: SessionToIndex, pace: Pace): Promise<number> {
  const { taskId, title, file } = session
  let known = db.session(taskId)
  if (known && !(await continues(file, known))) {
    db.remove(taskId)
    known = null
  }
  if (known && known.title !== title) db.retitle(taskId, titleOf(session))
  const first = known ? [] : [titleOf(session), ...reportOf(session)]
  const lastSeq = known?.lastSeq ?? 0
  if (file === null) {
    if (!known) db.add({ taskId, title, lastSeq: 0, lastSum: null }, first)
    return first.length
  }
  return addEntries(db, { ...session, file }, { first, afterSeq: lastSeq, pace })
}

/** Whether the transcript still begins with what the index has of it. */
async function continues(
  file: string | null,
  { lastSeq, lastSum }: { lastSeq: number; lastSum: string | null },
): Promise<boolean> {
  if (lastSeq === 0) return file === null
  return file !== null && (await readJournalSum(file, lastSeq)) === lastSum
}

async function addEntries(
  db: IndexDb,
  { taskId, title, file }: { taskId: TaskId; title: string; file: string },
  { first, afterSeq, pace }: { first: NewDocument[]; afterSeq: number; pace: Pace },
): Promise<number> {
  let added = 0
  let documents = first
  let chars = 0
  let seq = afterSeq
  let workingSince = performance.now()
  const flush = async () => {
    // Read from the file, because a record that was damaged meanwhile has no checksum.
    const lastSum = seq === 0 ? null : await readJournalSum(file, seq)
    db.add({ taskId, title, lastSeq: lastSum === null ? 0 : seq, lastSum }, documents)
    added += documents.length
    documents = []
    chars = 0
    // A search that came meanwhile is answered first.
    const restMs = pace(performance.now() - workingSince)
    await (restMs > 0 ? delay(restMs) : setImmediate())
    workingSince = performance.now()
  }
  for await (const { entry, documents: ofEntry } of readDocuments(file, afterSeq + 1)) {
    for (const document of ofEntry) {
      documents.push({ ...document, seq: entry.seq, at: entry.at })
      chars += document.text.length
    }
    seq = entry.seq
    if (chars >= batchChars || documents.length >= batchDocuments) await flush()
  }
  if (documents.length > 0 || seq > afterSeq || afterSeq === 0) await flush()
  return added
}

const base = { part: 0, paths: '', tool: null, model: null, isError: false, seq: null }

const titleOf = ({ title, createdAt }: SessionToIndex): NewDocument => ({
  ...{ ...base, kind: 'title', text: title },
  at: createdAt,
})

const reportOf = ({ report }: SessionToIndex): NewDocument[] =>
  report
    ? [{ ...base, kind: 'report', text: `${report.title}\n${report.markdown}`, at: report.at }]
    : []
