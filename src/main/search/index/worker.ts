// The search index thread. The index has its own thread so that it never blocks the thread that records.
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { basename } from 'node:path'
import { type MessagePort, workerData } from 'node:worker_threads'
import { os, type } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import type { FindEvent } from '../../../shared/contract/transcripts/find.ts'
import { messageOf } from '../../../shared/error-message.ts'
import type { TranscriptFilter } from '../../../shared/projections/transcript/filter-units.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { JournalReadError } from '../../journal/index.ts'
import { rpcPort } from '../../threads/rpc-port.ts'
import '../../threads/without-form-data.ts'
import { type ScanRequest, scan } from '../scan.ts'
import {
  editsInTranscript,
  filterTranscript,
  scanTranscript,
  type TranscriptScanRequest,
} from '../transcript/transcript-scan.ts'
import { type FindRequest, find } from './find.ts'
import type { IndexDb } from './index-db.ts'
import { deleteIndexDb, isDamaged, NoFullTextSearchError, openIndexDb } from './index-file.ts'
import { createPace } from './recording-signal.ts'
import { indexSession, type SessionToIndex } from './session-indexer.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A vocabulary of up to this many words is reread after every added document, a larger one less often. */
const quicklyReadWords = 50_000

// Recording has priority. Only Linux supports a priority for a single thread.
if (process.platform === 'linux') {
  const thread = Number(basename(readlinkSync('/proc/thread-self')))
  setPriority(thread, constants.priority.PRIORITY_LOW)
}

const { file, port, recording } = workerData as {
  file: string
  port: MessagePort
  recording: Int32Array
}
const pace = createPace(recording)

let db: IndexDb | null = null
let vocabulary: { words: Vocabulary; age: number } | null = null

export type Outcome<Result> =
  | { kind: 'done'; result: Result }
  /** The index was damaged and has been emptied; all sessions must be added again. */
  | { kind: 'emptied'; reason: string }
  /** The call changed nothing and may succeed later. */
  | { kind: 'failed'; reason: string }
  /** The index can't be used on this machine. */
  | { kind: 'unavailable'; reason: string }

async function onIndex<Result>(
  work: (db: IndexDb) => Result | Promise<Result>,
): Promise<Outcome<Result>> {
  try {
    db ??= await openIndexDb(file)
    return { kind: 'done', result: await work(db) }
  } catch (error) {
    const reason = messageOf(error)
    if (error instanceof NoFullTextSearchError) return { kind: 'unavailable', reason }
    if (!isDamaged(error)) return { kind: 'failed', reason }
    close()
    deleteIndexDb(file)
    return { kind: 'emptied', reason }
  }
}

function close(): void {
  db?.close()
  db = null
  vocabulary = null
}

function wordsOf(open: IndexDb): Vocabulary {
  const { words, age } = vocabulary ?? { words: null, age: 0 }
  const ageMax = words && words.size > quicklyReadWords ? words.size / 20 : 0
  if (words && age <= ageMax) return words
  vocabulary = { words: open.vocabulary(), age: 0 }
  return vocabulary.words
}

/** Yields null if the file is missing, because it may be moved at any moment. */
async function* scanUnlessGone(request: TranscriptScanRequest): AsyncGenerator<FindEvent | null> {
  try {
    yield* scanTranscript(request)
  } catch (error) {
    if (!(error instanceof JournalReadError && error.code === 'ENOENT')) throw error
    yield null
  }
}

/** Returns null if the file is missing. */
async function unlessGone<Answer>(read: Promise<Answer>): Promise<Answer | null> {
  try {
    return await read
  } catch (error) {
    if (error instanceof JournalReadError && error.code === 'ENOENT') return null
    throw error
  }
}

const router = {
  sessions: os.handler(() => onIndex((open) => open.sessions())),
  index: os.input(type<SessionToIndex>()).handler(({ input }) =>
    onIndex(async (open) => {
      const added = await indexSession(open, input, pace)
      if (vocabulary) vocabulary.age += added
      return added
    }),
  ),
  commit: os.handler(() =>
    onIndex((open) => {
      open.commit()
      return true
    }),
  ),
  remove: os.input(type<{ taskId: TaskId }>()).handler(({ input }) =>
    onIndex((open) => {
      open.remove(input.taskId)
      return true
    }),
  ),
  find: os
    .input(type<FindRequest>())
    .handler(({ input }) => onIndex((open) => find(open, wordsOf(open), input))),
  scan: os.input(type<ScanRequest>()).handler(({ input }) => scan(input)),
  findInTranscript: os
    .input(type<TranscriptScanRequest>())
    .handler(({ input }) => scanUnlessGone(input)),
  filterTranscript: os
    .input(type<{ file: string; filter: TranscriptFilter }>())
    .handler(({ input }) => unlessGone(filterTranscript(input.file, input.filter))),
  editsInTranscript: os
    .input(type<{ file: string }>())
    .handler(({ input }) => unlessGone(editsInTranscript(input.file))),
  tools: os.handler(() => onIndex((open) => open.tools())),
  tasksUsing: os
    .input(type<{ tool: string }>())
    .handler(({ input }) => onIndex((open) => open.tasksUsing(input.tool))),
  close: os.handler(close),
}
export type SearchWorkerRouter = typeof router

new RPCHandler(router).upgrade(rpcPort(port))
port.start()
