/** Reads the trees that a transcript records, in order, each with the author of its changes. */
import { toolDetailSchema } from '../../shared/agents/tools.ts'
import { readPages } from '../../shared/async/read-pages.ts'
import type { ChangeAuthor } from '../../shared/contract/changes/review.ts'
import type { Entry } from '../../shared/records/entries.ts'
import type { ToolCallEntry } from '../../shared/records/entry-types/tool-calls.ts'
import type { TaskId, ToolCallId } from '../../shared/records/ids.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'

export interface FileState {
  tree: string
  /** The entry that records it. */
  seq: number
  /** The author of the changes since the previous state. */
  author: ChangeAuthor
}

interface Reading {
  states: FileState[]
  nextSeq: number
  open: Map<ToolCallId, ToolCallEntry>
  /** The entry of the last state, and its turn. */
  last: { callId: ToolCallId | null; turn: number | null; runId: string; seq: number } | null
}

const pageEntries = 500
/** Transcripts whose states are kept; the oldest are read again. */
const readingsMax = 20

/** Reads a transcript once, and later only what was added. Throws FailureError as `ArchiveReader.transcriptPage`. */
export function createFileStates(archive: Pick<ArchiveReader, 'transcriptPage'>) {
  const readings = new Map<TaskId, Reading>()
  const reading = new Map<TaskId, Promise<readonly FileState[]>>()

  async function read(taskId: TaskId): Promise<readonly FileState[]> {
    const known = readings.get(taskId) ?? { states: [], nextSeq: 1, open: new Map(), last: null }
    readings.delete(taskId)
    const pages = readPages(known.nextSeq, (fromSeq) =>
      archive.transcriptPage(taskId, { fromSeq, limit: pageEntries, previews: true }),
    )
    for await (const page of pages) {
      for (const entry of page.entries) {
        add(known, entry)
        known.nextSeq = entry.seq + 1
      }
    }
    readings.set(taskId, known)
    for (const oldest of [...readings.keys()].slice(0, Math.max(0, readings.size - readingsMax)))
      readings.delete(oldest)
    return known.states
  }

  return (taskId: TaskId): Promise<readonly FileState[]> => {
    const underWay = reading.get(taskId)
    if (underWay) return underWay
    const begun = read(taskId).finally(() => reading.delete(taskId))
    reading.set(taskId, begun)
    return begun
  }
}

function add(reading: Reading, entry: Entry): void {
  const { last, open } = reading
  if (entry.type === 'tool-call') {
    if (entry.tree === undefined) return
    // Within a turn, changes between two calls can't be attributed to a single call.
    const isSameTurn = last?.runId === entry.runId && last.turn === entry.turn
    const author = isSameTurn ? turnOf(entry) : outsideAfter(reading)
    open.set(entry.callId, entry)
    reading.states.push({ tree: entry.tree, seq: entry.seq, author })
    reading.last = { callId: entry.callId, ...placeOf(entry) }
  } else if (entry.type === 'tool-result') {
    const call = open.get(entry.callId)
    const isAlone = open.size === 1 && last?.callId === entry.callId
    open.delete(entry.callId)
    if (entry.tree === undefined) return
    const author: ChangeAuthor =
      call && isAlone
        ? {
            by: 'call',
            turn: entry.turn,
            seq: call.seq,
            at: entry.at,
            tool: entry.name,
            applied: appliedBy(entry.detail),
          }
        : turnOf(entry)
    reading.states.push({ tree: entry.tree, seq: entry.seq, author })
    reading.last = { callId: null, ...placeOf(entry) }
  } else if (entry.type === 'workspace-snapshot') {
    const { tree, turn } = entry
    const author = turn === null ? outsideAfter(reading) : turnOf({ ...entry, turn })
    reading.states.push({ tree, seq: entry.seq, author })
    // A snapshot without a turn keeps the last turn, to which later outside changes refer.
    reading.last = { callId: null, ...placeOf(entry), turn: turn ?? last?.turn ?? null }
  } else if (entry.type === 'run-start') open.clear()
}

const placeOf = ({ turn, runId, seq }: { turn: number | null; runId: string; seq: number }) => ({
  turn,
  runId,
  seq,
})

const turnOf = ({ turn, seq, at }: { turn: number; seq: number; at: number }): ChangeAuthor => ({
  by: 'turn',
  turn,
  seq,
  at,
  tool: null,
  applied: null,
})

const outsideAfter = ({ last }: Reading): ChangeAuthor => ({
  by: 'outside',
  turn: last?.turn ?? null,
  seq: last?.seq ?? null,
  at: null,
  tool: null,
  applied: null,
})

function appliedBy(detail: unknown): ChangeAuthor['applied'] {
  const parsed = toolDetailSchema.safeParse(detail)
  if (!parsed.success || parsed.data.kind !== 'apply') return null
  return { taskId: parsed.data.taskId, title: parsed.data.title }
}
