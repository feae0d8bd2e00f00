/**
 * Repairs a history for a provider: results that a crash prevented are added here, never in the log (S3). Pure, and
 * streamed: only the calls of one turn are in memory.
 */
import type { Entry } from '../../records/entries.ts'
import type { MessageEntry } from '../../records/entry-types/messages.ts'
import type { ToolCallEntry, ToolResultEntry } from '../../records/entry-types/tool-calls.ts'

/** The result for a call whose end was not recorded. */
const unknownOutcome =
  'The agent was interrupted during this call: its outcome is unknown, and it was not repeated.'

/**
 * Yields the entries so that every call has exactly one result, the first one recorded after it, without empty
 * interrupted messages and without abandoned branches. Keeps the order; a complete history is unchanged. `unanswered`:
 * the seqs of the calls without a result.
 */
export async function* repairHistory(
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  unanswered: ReadonlySet<number>,
): AsyncGenerator<Entry> {
  /** The answered calls since the last complete turn; no later result belongs to an earlier call. */
  const answered = new Set<string>()
  let forks = 0
  for await (const entry of entries) {
    if (entry.type === 'fork-start') forks++
    else if (entry.type === 'fork-end') forks = Math.max(0, forks - 1)
    else if (forks > 0) continue
    else if (entry.type === 'message') {
      if (hasContent(entry)) yield entry
      if (entry.role === 'assistant' && entry.status === 'complete') answered.clear()
    } else if (entry.type === 'tool-call') {
      // A repeated call has its own result.
      answered.delete(entry.callId)
      yield entry
      if (unanswered.has(entry.seq)) yield unknownResultOf(entry)
    } else if (entry.type === 'tool-result') {
      if (!answered.has(entry.callId)) yield entry
      answered.add(entry.callId)
    } else yield entry
  }
}

/** A turn that ended counts even when it said nothing; one that was cut short does not. */
const hasContent = ({ status, parts }: MessageEntry): boolean =>
  status === 'complete' || parts.some((part) => !('text' in part) || part.text.trim() !== '')

function unknownResultOf(call: ToolCallEntry): ToolResultEntry {
  const { v, seq, at, uuid, messageUuid, runId, turn, callId, name } = call
  return {
    v,
    seq,
    at,
    uuid,
    parentUuid: uuid,
    type: 'tool-result',
    messageUuid,
    runId,
    turn,
    callId,
    name,
    outcome: 'unknown',
    output: unknownOutcome,
    durationMs: 0,
  }
}
