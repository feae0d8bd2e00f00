/**
 * A history as a provider takes it: what a crash left open is closed here, never in the log (S3). Pure.
 */
import type { Entry, MessageEntry, ToolCallEntry, ToolResultEntry } from '../entries.ts'

/** What an agent is told of a call that nobody saw end. */
const unknownOutcome =
  'The agent was interrupted during this call: its outcome is unknown, and it was not repeated.'

/**
 * Every call has exactly one result, the first that was recorded, and no message is empty that was cut short. The
 * order stays as it is; whole histories come back as they are.
 */
export function repairHistory(entries: Entry[]): Entry[] {
  const results = new Set<string>()
  const answered = new Set<string>()
  for (const entry of entries) if (entry.type === 'tool-result') answered.add(entry.callId)
  return entries.flatMap((entry): Entry[] => {
    if (entry.type === 'message') return saysSomething(entry) ? [entry] : []
    if (entry.type === 'tool-result') {
      if (results.has(entry.callId)) return []
      results.add(entry.callId)
    }
    if (entry.type !== 'tool-call' || answered.has(entry.callId)) return [entry]
    return [entry, unknownResultOf(entry)]
  })
}

/** A turn that ended counts even when it said nothing; one that was cut short does not. */
const saysSomething = ({ status, parts }: MessageEntry): boolean =>
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
