/**
 * Finds rolled-back turns: `thread_rolled_back` removes the last prompts and everything after them from the
 * conversation. The records stay in the file and become forks (I5).
 */
import { linesOf } from '../../../journal/index.ts'
import type { SourceFile } from '../adapter.ts'
import { readPieces } from '../json-lines.ts'
import { contentOf } from '../source-content.ts'
import { count } from '../values.ts'
import { isCodexRecord, lineOf } from './lines.ts'
import { isPromptEvent } from './prompts.ts'

interface Rollbacks {
  /** The branch of a record; 0 is the conversation. Records count from 0. */
  branchOf(record: number): number
  parentOf(branch: number): { branch: number; record: number } | null
}

const none: Rollbacks = { branchOf: () => 0, parentOf: () => null }
const marker = Buffer.from('"thread_rolled_back"')

export async function surveyRollbacks(file: SourceFile, signal: AbortSignal): Promise<Rollbacks> {
  // Few files have rollbacks; a text search avoids parsing the others twice.
  if (!(await hasMarker(file, signal))) return none
  /** Records at which the turns of the conversation begin. */
  const starts: number[] = []
  const ranges: { from: number; to: number }[] = []
  let index = -1
  let lastUserItem = -1
  for await (const pieces of readPieces(file, isCodexRecord, signal))
    for (const { record } of pieces) {
      index++
      if (!record) continue
      const { type, payload } = lineOf(record)
      if (type === 'response_item' && payload.type === 'message' && payload.role === 'user')
        lastUserItem = index
      if (type !== 'event_msg') continue
      if (isPromptEvent(payload)) starts.push(lastUserItem === index - 1 ? lastUserItem : index)
      if (payload.type !== 'thread_rolled_back') continue
      const turns = Math.min(count(payload.num_turns), starts.length)
      const [from] = turns > 0 ? starts.splice(starts.length - turns) : []
      if (from !== undefined) ranges.push({ from, to: index })
    }
  // Ranges are nested or disjoint, and inner ranges come first.
  const innermost = (record: number): number =>
    ranges.findIndex(({ from, to }) => record >= from && record < to) + 1
  return {
    branchOf: innermost,
    parentOf(branch) {
      const range = ranges[branch - 1]
      if (!range) return null
      const outer = ranges.findIndex(
        ({ from, to }, at) => at > branch - 1 && from <= range.from && to >= range.to,
      )
      return { branch: outer + 1, record: -1 }
    },
  }
}

async function hasMarker({ path, content }: SourceFile, signal: AbortSignal): Promise<boolean> {
  if (content) return content.includes(marker)
  for await (const line of linesOf(contentOf(path), { lineBytesMax: 1 << 20, tail: true })) {
    signal.throwIfAborted()
    if (line?.includes(marker)) return true
  }
  return false
}
