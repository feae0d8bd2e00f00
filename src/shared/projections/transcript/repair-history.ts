/**
 * A history as a provider takes it: what a crash left open is closed here, never in the log (S3). Pure, and streamed:
 * no more than the calls of one turn is held.
 */
import type { Entry } from '../../records/entries.ts'
import type { MessageEntry } from '../../records/entry-types/messages.ts'
import type { ToolCallEntry, ToolResultEntry } from '../../records/entry-types/tool-calls.ts'

/** The result that an agent gets for a call whose end was not recorded. */
const unknownOutcome =
  'The agent was interrupted during this call: its outcome is unknown, and it was not repeated.'

/**
 * Every call has exactly one result, the first that was recorded after it, no message is empty that was cut short,
 * and branches that were left again are not in it. The order stays as it is; a whole history comes back as it is.
 * `unanswered`: seqs of the calls without a result.
 */
export async function* repairHistory(
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  unanswered: ReadonlySet<number>,
): AsyncGenerator<Entry> {
  /** Calls since the last turn that ended whole: no later result is one of an earlier call. */
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
      // The same call made again has a result of its own.
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
