/** The progress of a script, according to the entries of earlier runs. */
import type { SessionHistory } from '../../../shared/agents/driver/agent-place.ts'
import { isRepeatedAfterCrash } from '../../../shared/agents/tool-traits.ts'
import type { Entry } from '../../../shared/records/entries.ts'
import type { MessageEntry } from '../../../shared/records/entry-types/messages.ts'
import type { EntryId, ToolCallId } from '../../../shared/records/ids.ts'

interface Progress {
  completedTurns: number
  /** Output of the last tool result within the completed turns; empty if there was none. */
  lastOutput: string
  /** The newest prompt; null when there is none in the history. */
  prompt: string | null
  /** Whether the latest run failed. */
  failed: boolean
  /** The completed steps of the next turn, over all attempts at it, in order. */
  interruptedTurn: DoneStep[]
}

export type DoneStep =
  | { kind: 'text' | 'reasoning'; text: string }
  | { kind: 'call'; callId: ToolCallId; name: string; outcome: CallOutcome; output: string }

/** `unknown` if the call may have run or not. */
type CallOutcome = 'ok' | 'error' | 'unknown'

/** Whether a call is made again when its outcome is unknown: the services have its result (S3). */
export const isReconciled = isRepeatedAfterCrash

/** Reads a script's progress from the necessary parts of its history: a prompt, a result, and the interrupted turn. */
export async function progressOf(history: SessionHistory): Promise<Progress> {
  const { completedTurns, failed } = history
  const unfinished: Entry[] = []
  for await (const entry of history.entries('unfinished')) unfinished.push(entry)
  return {
    completedTurns,
    lastOutput: (await history.lastResult())?.output ?? '',
    prompt: textOf(await history.prompt()),
    failed,
    interruptedTurn: doneSince(unfinished),
  }
}

const textOf = (prompt: MessageEntry | null): string | null =>
  prompt?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? null

type DoneCall = Extract<DoneStep, { kind: 'call' }>

function doneSince(entries: Entry[]): DoneStep[] {
  const calls = callsOf(entries)
  const attempts = new Map<EntryId, DoneStep[]>()
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

function partsOf(message: MessageEntry, calls: Map<ToolCallId, { call: DoneCall }>): DoneStep[] {
  return message.parts.flatMap((part): DoneStep[] => {
    if (part.type === 'image') return []
    if (part.type !== 'tool-call') return [{ kind: part.type, text: part.text }]
    const known = calls.get(part.callId)
    return known ? [known.call] : []
  })
}

function attemptOf(attempts: Map<EntryId, DoneStep[]>, messageUuid: EntryId): DoneStep[] {
  const attempt = attempts.get(messageUuid) ?? []
  attempts.set(messageUuid, attempt)
  return attempt
}

/**
 * The steps without the calls that were made again. A call of unknown outcome is the last one of its attempt. When it
 * was made again, the next call is that repetition, under the same id or another, and replaces it.
 */
function withoutRepeated(done: DoneStep[]): DoneStep[] {
  const calls = done.filter((item) => item.kind === 'call')
  return done.filter((item, index) => {
    if (item.kind !== 'call') return true
    if (done.indexOf(item) !== index) return false
    const next = calls[calls.lastIndexOf(item) + 1]
    return !(item.outcome === 'unknown' && isReconciled(item.name) && next?.name === item.name)
  })
}
