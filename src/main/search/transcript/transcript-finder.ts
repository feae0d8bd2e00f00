/** Searches or filters one transcript in a separate thread, so that neither recording nor the window is blocked. */
import type { FilterAnswer } from '../../../shared/contract/transcripts/filter.ts'
import type { FindEvent } from '../../../shared/contract/transcripts/find.ts'
import { FailureError } from '../../../shared/failure.ts'
import { createFilterFold } from '../../../shared/projections/transcript/filter-transcript.ts'
import type { TranscriptFilter } from '../../../shared/projections/transcript/filter-units.ts'
import type { RecordedEdits } from '../../../shared/projections/transcript/recorded-edits.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { type FindQuery, findPatternOf } from '../../../shared/text/find-pattern.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import { type IndexThread, startIndexThread } from '../index/index-thread.ts'

/** How long an idle thread is reused. While a user types, searches follow each other. */
const idleMs = 10_000
/** A regular expression may backtrack practically forever on one text. Long enough to tolerate a slow disk. */
const stalledMsDefault = 20_000

export interface TranscriptFinder {
  /**
   * Yields matches in the task's transcript as they are found; the last event is `done`, and the only one if there is
   * no transcript. Throws FailureError: invalid (field `query`), and not-found for an unknown task.
   */
  find(taskId: TaskId, asked: FindRequest, signal?: AbortSignal): AsyncGenerator<FindEvent>
  /** Throws FailureError (not-found) for an unknown task. */
  filter(taskId: TaskId, filter: TranscriptFilter, signal?: AbortSignal): Promise<FilterAnswer>
  /**
   * Reads the whole transcript for the files that it tells were changed; null if there is no transcript. Throws
   * FailureError (not-found) for an unknown task.
   */
  edits(taskId: TaskId, signal?: AbortSignal): Promise<RecordedEdits | null>
  close(): Promise<void>
}

interface FindRequest {
  query: FindQuery
  fromSeq: number
  nearSeq: number
  limit: number
  snippets: boolean
}

const nothing: FindEvent = {
  places: [],
  matches: 0,
  placeCount: 0,
  searched: 0,
  lastSeq: 0,
  done: true,
}

export function createTranscriptFinder({
  archive,
  indexFile,
  stalledMs = stalledMsDefault,
}: {
  archive: Pick<ArchiveReader, 'transcriptFile'>
  /** The search index, which the thread opens only for a search of everything. */
  indexFile: string
  stalledMs?: number
}): TranscriptFinder {
  let idle: IndexThread | null = null
  let ending: NodeJS.Timeout | undefined
  const started = new Set<IndexThread>()

  function takeThread(): IndexThread {
    clearTimeout(ending)
    const thread = idle ?? startIndexThread(indexFile)
    idle = null
    started.add(thread)
    return thread
  }

  async function endThread(thread: IndexThread): Promise<void> {
    started.delete(thread)
    await thread.end()
  }

  async function keepThread(thread: IndexThread): Promise<void> {
    if (idle) return endThread(thread)
    idle = thread
    ending = setTimeout(() => {
      idle = null
      void endThread(thread)
    }, idleMs).unref()
  }

  /** Yields null if the transcript is not there any more. */
  async function* findIn(
    file: string,
    asked: FindRequest,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<FindEvent | null> {
    const thread = takeThread()
    let isDone = false
    try {
      const events = await thread.calls.findInTranscript({ file, ...asked }, { signal })
      while (!isDone) {
        const next = await withinTime(events.next(), signal)
        if (next.done) return
        isDone = next.value === null || next.value.done
        yield next.value
      }
    } finally {
      // A thread in the middle of a text can't be cancelled, so it is terminated.
      await (isDone ? keepThread(thread) : endThread(thread))
    }
  }

  /** Reads the whole transcript in a thread. Returns null if there is none. */
  async function readWhole<Answer>(
    taskId: TaskId,
    read: (calls: IndexThread['calls'], file: string) => Promise<Answer | null>,
  ): Promise<Answer | null> {
    for (let seenIn: string | null = null; ; ) {
      const file = await archive.transcriptFile(taskId)
      // If the file was moved in between, its path is looked up once more.
      if (file === null || file === seenIn) return null
      seenIn = file
      const answer = await inThread(({ calls }) => read(calls, file))
      if (answer !== null) return answer
    }
  }

  async function inThread<Answer>(work: (thread: IndexThread) => Promise<Answer>): Promise<Answer> {
    const thread = takeThread()
    let isDone = false
    try {
      const answer = await work(thread)
      isDone = true
      return answer
    } finally {
      await (isDone ? keepThread(thread) : endThread(thread))
    }
  }

  /** Rejects if `value` does not settle in time, or `signal` aborts. */
  async function withinTime<Value>(
    value: Promise<Value>,
    signal: AbortSignal | undefined,
  ): Promise<Value> {
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () =>
        reject(
          new FailureError({
            kind: 'invalid',
            field: 'query',
            message:
              'This search takes too long on a single text. Use an expression without a repetition within a repetition.',
          }),
        ),
      stalledMs,
    )
    const onAbort = () => reject(signal?.reason)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    value.catch(() => {})
    try {
      return await Promise.race([value, stopped])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  return {
    async *find(taskId, asked, signal) {
      findPatternOf(asked.query)
      for (let seenIn: string | null = null; ; ) {
        const file = await archive.transcriptFile(taskId)
        // If the file was moved in between, its path is looked up once more.
        if (file === null || file === seenIn) return yield nothing
        seenIn = file
        for await (const event of findIn(file, asked, signal)) {
          if (event === null) break
          yield event
          if (event.done) return
        }
      }
    },
    async filter(taskId, filter, signal) {
      const answer = await readWhole(taskId, (calls, file) =>
        calls.filterTranscript({ file, filter }, { signal }),
      )
      return answer ?? createFilterFold(filter).answer()
    },
    edits: (taskId, signal) =>
      readWhole(taskId, (calls, file) => calls.editsInTranscript({ file }, { signal })),
    async close() {
      clearTimeout(ending)
      idle = null
      await Promise.all([...started].map(endThread))
    },
  }
}
