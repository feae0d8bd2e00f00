/** The progress of a script, according to the entries of earlier runs. */
import type { SessionHistory } from '../../../shared/agents/driver/agent-place.ts'
import { isMadeAgain } from '../../../shared/agents/tool-traits.ts'
import type { Entry } from '../../../shared/records/entries.ts'
import type { MessageEntry } from '../../../shared/records/entry-types/messages.ts'
import type { EntryId, ToolCallId } from '../../../shared/records/ids.ts'

interface Progress {
  completedTurns: number
  /** Output of the last tool result within the completed turns; empty if there was none. */
  lastOutput: string
  /** The newest prompt; null when there is none in the history. */
  prompt: string | null
  /** Its latest run ended by failing. */
  failed: boolean
  /** The completed steps of the next turn, over all attempts at it, in order. */
  cutShort: Done[]
}

export type Done =
  | { kind: 'text' | 'reasoning'; text: string }
  | { kind: 'call'; callId: ToolCallId; name: string; outcome: CallOutcome; output: string }

/** `unknown`: it may have run or not. */
type CallOutcome = 'ok' | 'error' | 'unknown'

/** True of a call that is made again when its outcome is unknown: the services have its result (S3). */
export const isReconciled = isMadeAgain

/** Reads only the necessary parts of the history: a prompt, a result, and the interrupted turn. */
export async function progressOf(history: SessionHistory): Promise<Progress> {
  const { completedTurns, failed } = history
  const unfinished: Entry[] = []
  for await (const entry of history.entries('unfinished')) unfinished.push(entry)
  return {
    completedTurns,
    lastOutput: (await history.lastResult())?.output ?? '',
    prompt: textOf(await history.prompt()),
    failed,
    cutShort: doneSince(unfinished),
  }
}

const textOf = (prompt: MessageEntry | null): string | null =>
  prompt?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? null

type DoneCall = Extract<Done, { kind: 'call' }>

function doneSince(entries: Entry[]): Done[] {
  const calls = callsOf(entries)
  const attempts = new Map<EntryId, Done[]>()
  for (const entry of entries) {
    if (entry.type === 'tool-call') attemptOf(attempts, entry.messageUuid)
    if (entry.type === 'message' && entry.role === 'assistant')
      attempts.set(entry.uuid, partsOf(entry, calls))
  }
  // Calls that no message names: it was lost with the process that was writing it.
  for (const { messageUuid, call } of calls.values()) {
    const named = [...attempts.values()].flat().includes(call)
    if (!named) attemptOf(attempts, messageUuid).push(call)
  }
  return withoutRepeated([...attempts.values()].flat())
}

function callsOf(entries: Entry[]): Map<ToolCallId, { messageUuid: EntryId; call: DoneCall }> {
  const calls = new Map<ToolCallId, { messageUuid: EntryId; call: DoneCall }>()
  for (const entry of entries) {
    if (entry.type !== 'tool-call' && entry.type !== 'tool-result') continue
    const { callId, name, messageUuid } = entry
    const known = calls.get(callId) ?? {
      messageUuid,
      call: { kind: 'call', callId, name, outcome: 'unknown', output: '' },
    }
    calls.set(callId, known)
    if (entry.type === 'tool-result')
      Object.assign(known.call, { outcome: entry.outcome, output: entry.output })
  }
  return calls
}

function partsOf(message: MessageEntry, calls: Map<ToolCallId, { call: DoneCall }>): Done[] {
  return message.parts.flatMap((part): Done[] => {
    if (part.type === 'image') return []
    if (part.type !== 'tool-call') return [{ kind: part.type, text: part.text }]
    const known = calls.get(part.callId)
    return known ? [known.call] : []
  })
}

function attemptOf(attempts: Map<EntryId, Done[]>, messageUuid: EntryId): Done[] {
  const attempt = attempts.get(messageUuid) ?? []
  attempts.set(messageUuid, attempt)
  return attempt
}

/**
 * A call of unknown outcome is the last one of its attempt. When it was made again, the next call is that repetition,
 * under the same id or another, and replaces it.
 */
function withoutRepeated(done: Done[]): Done[] {
  const calls = done.filter((item) => item.kind === 'call')
  return done.filter((item, index) => {
    if (item.kind !== 'call') return true
    if (done.indexOf(item) !== index) return false
    const next = calls[calls.lastIndexOf(item) + 1]
    return !(item.outcome === 'unknown' && isReconciled(item.name) && next?.name === item.name)
  })
}
