/** Indexes the messages of archived sessions that others may continue from. Runs in the worker. */
import { createColumn } from '../../../shared/collections/number-column.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { readLines, systemCode } from '../../journal/index.ts'
import type { EarlierSession } from '../adapters/adapter.ts'
import { createIdTable, hashOf } from '../adapters/compact-ids.ts'
import { asRecord, parseJson } from '../adapters/values.ts'

/** Transcripts of one imported session. */
export interface EarlierTranscripts {
  taskId: TaskId
  isNamed: boolean
  /** The transcript of the session itself; `subAgents`: those of its sub-agents. */
  own: string
  subAgents: string[]
}

export async function readEarlier(
  transcripts: readonly EarlierTranscripts[],
  signal: AbortSignal,
): Promise<EarlierSession[]> {
  const sessions: EarlierSession[] = []
  for (const { taskId, isNamed, own, subAgents } of transcripts) {
    const ids = createIdTable()
    const seqs = createColumn((length) => new Float64Array(length))
    const times = createColumn((length) => new Float64Array(length))
    let lastSeq = 0
    const read = async (file: string, isOwn: boolean) => {
      for await (const { uuid, seq, at } of messagesIn(file, signal)) {
        ids.add(hashOf(uuid), seqs.length)
        seqs.push(isOwn ? seq : 0)
        times.push(at)
        if (isOwn) lastSeq = seq
      }
    }
    await read(own, true)
    for (const file of subAgents) await read(file, false)
    sessions.push({
      taskId,
      isNamed,
      lastSeq,
      has: (id) => ids.find(hashOf(id)) !== -1,
      seqOf(id) {
        const index = ids.find(hashOf(id))
        return index === -1 ? null : seqs.at(index) || null
      },
      seqUntil(atMs) {
        for (let index = seqs.length - 1; index >= 0; index--)
          if (seqs.at(index) !== 0 && times.at(index) <= atMs) return seqs.at(index)
        return 0
      },
    })
  }
  return sessions
}

/** Yields the messages of a transcript. Skips damaged lines; yields none if the file is missing. */
async function* messagesIn(file: string, signal: AbortSignal) {
  try {
    for await (const line of readLines(file)) {
      signal.throwIfAborted()
      // Avoids parsing other lines, which are the majority and longer.
      if (!line?.includes('"message"')) continue
      const { type, uuid, seq, at } = asRecord(parseJson(line))
      if (type === 'message' && typeof uuid === 'string' && typeof seq === 'number')
        yield { uuid, seq, at: typeof at === 'number' ? at : 0 }
    }
  } catch (error) {
    signal.throwIfAborted()
    if (systemCode(error) !== 'ENOENT') throw error
  }
}
