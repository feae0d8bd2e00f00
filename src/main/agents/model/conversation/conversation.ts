/**
 * Folds a record into the conversation with an agent, in the order in which a provider gets it: prompts, and turns with
 * their calls and results. Pure. `messages.ts` converts it for one provider.
 */
import type { PlanItem, ProviderData } from '../../../../shared/agents/agent-records.ts'
import { isRepeatedAfterCrash } from '../../../../shared/agents/tool-traits.ts'
import type { Entry } from '../../../../shared/records/entries.ts'
import type { MessageEntry, MessagePart } from '../../../../shared/records/entry-types/messages.ts'
import type {
  ToolCallEntry,
  ToolResultEntry,
} from '../../../../shared/records/entry-types/tool-calls.ts'
import type { EntryId, ToolCallId } from '../../../../shared/records/ids.ts'

export type ConversationItem = UserItem | TurnItem

export interface UserItem {
  type: 'user'
  parts: UserPart[]
  /** The kind of a message by Shiplog; absent for a user's prompt. */
  ours?: 'note' | 'resume' | 'summary'
}

export type UserPart = { type: 'text'; text: string } | ({ type: 'image' } & ImagePart)

export interface ImagePart {
  mediaType: string
  sha256: string
  /** Absent if `data` is present, which has the length. */
  bytes?: number
  /** Absent if the image is in the record only. */
  data?: Uint8Array
}

export interface TurnItem {
  type: 'turn'
  parts: TurnPart[]
  /** `cut`: it ended early, with the text until then. `lost`: only its calls are in the record. */
  state: 'whole' | 'cut' | 'lost'
}

export type TurnPart = SpokenPart<'text'> | SpokenPart<'reasoning'> | TurnCall

interface SpokenPart<Type> {
  type: Type
  text: string
  providerData?: ProviderData | undefined
}

export interface TurnCall {
  type: 'call'
  callId: ToolCallId
  name: string
  /** JSON. */
  input: unknown
  providerData?: ProviderData | undefined
  /** Null if the record has none. */
  result: CallResult | null
}

interface CallResult extends Pick<ToolResultEntry, 'outcome' | 'output'> {
  images?: readonly ImagePart[] | undefined
}

/**
 * `entries` are those of one or more sessions in sequence, each in file order. Leaves out superseded attempts, forks,
 * results without a call, and items that a compaction replaced.
 */
export function conversationOf(entries: Iterable<Entry>): ConversationItem[] {
  const fold = createFold()
  for (const entry of entries) fold.add(entry)
  return fold.items()
}

/**
 * Folds entries that are read on demand. Also returns the latest plan, and every call that `isWanted` selects,
 * including calls that a compaction replaced.
 */
export async function readConversation(
  entries: AsyncIterable<Entry>,
  isWanted: (call: TurnCall) => boolean,
): Promise<{ items: ConversationItem[]; plan: PlanItem[]; calls: TurnCall[] }> {
  const fold = createFold()
  let plan: PlanItem[] = []
  const calls = new Map<ToolCallId, TurnCall>()
  for await (const entry of entries) {
    fold.add(entry)
    if (entry.type === 'plan') plan = entry.items
    if (entry.type === 'tool-call') {
      const { callId, name, input } = entry
      const call: TurnCall = { type: 'call', callId, name, input, result: null }
      if (isWanted(call)) calls.set(callId, call)
    }
    const answered = entry.type === 'tool-result' && calls.get(entry.callId)
    if (answered) answered.result = { outcome: entry.outcome, output: entry.output }
  }
  return { items: fold.items(), plan, calls: [...calls.values()] }
}

/** The item that replaces the compacted part of a conversation. `images` are those of the prompts in the summary. */
export const summaryItem = (summary: string, images: readonly ImagePart[] = []): UserItem => ({
  type: 'user',
  ours: 'summary',
  parts: [
    ...images.map((image) => ({ type: 'image' as const, ...image })),
    {
      type: 'text',
      text: `[The conversation so far is replaced by this summary of it.]\n\n${summary}`,
    },
  ],
})

/** A message from Shiplog to the agent, in brackets like all text that is not the user's. */
export const noteItem = (text: string): UserItem => ({
  type: 'user',
  ours: 'note',
  parts: [{ type: 'text', text: `[${text}]` }],
})

/** A turn whose message arrives after its calls, or never. */
interface Draft {
  type: 'draft'
  calls: TurnCall[]
  message: MessageEntry | null
}

interface Placed {
  item: UserItem | Draft
  /** The seq of its last entry. */
  seq: number
  session: number
}

type CompactionEntry = Extract<Entry, { type: 'compaction' }>

function createFold() {
  let placed: Placed[] = []
  const drafts = new Map<EntryId, Placed & { item: Draft }>()
  let session = 0
  let last: Entry | null = null
  let forks = 0

  function add(entry: Entry): void {
    if (last && isOfNextSession(last, entry)) {
      session++
      forks = 0
    }
    last = entry
    if (entry.type === 'fork-start') forks++
    else if (entry.type === 'fork-end') forks = Math.max(0, forks - 1)
    else if (forks === 0) addToConversation(entry)
  }

  function addToConversation(entry: Entry): void {
    if (entry.type === 'message' && entry.role === 'user') {
      const parts = entry.parts.flatMap(userPartOf)
      if (entry.by === 'shiplog') put(noteItem(textOf(parts)), entry.seq)
      else if (parts.length > 0) put({ type: 'user', parts }, entry.seq)
    } else if (entry.type === 'message') draftOf(entry.uuid, entry.seq).message = entry
    else if (entry.type === 'tool-call') addCall(entry)
    else if (entry.type === 'tool-result') addResult(entry)
    else if (entry.type === 'resume' && entry.drift.length > 0)
      put(resumedItem(entry.drift), entry.seq)
    else if (entry.type === 'compaction') compact(entry)
  }

  function put(item: UserItem, seq: number): void {
    placed.push({ item, seq, session })
  }

  function draftOf(messageUuid: EntryId, seq: number): Draft {
    let known = drafts.get(messageUuid)
    if (!known) {
      known = { item: { type: 'draft', calls: [], message: null }, seq, session }
      drafts.set(messageUuid, known)
      placed.push(known)
    }
    known.seq = seq
    return known.item
  }

  function addCall({ messageUuid, seq, callId, name, input, providerData }: ToolCallEntry): void {
    const call: TurnCall = { type: 'call', callId, name, input, providerData, result: null }
    const before = earlierAttempt(call)
    // A call that was repeated to get its outcome (S3) is one call for the provider.
    if (before) before.result = null
    draftOf(messageUuid, seq).calls.push(before ?? call)
  }

  function earlierAttempt({ callId, name, input }: TurnCall): TurnCall | undefined {
    if (!isRepeatedAfterCrash(name)) return undefined
    return placed
      .flatMap(({ item }) => (item.type === 'draft' ? item.calls : []))
      .findLast(
        (call) =>
          call.callId === callId &&
          call.name === name &&
          (call.result?.outcome ?? 'unknown') === 'unknown' &&
          JSON.stringify(call.input) === JSON.stringify(input),
      )
  }

  /** Only the first result after a call belongs to it; others are ignored. */
  function addResult({
    messageUuid,
    seq,
    callId,
    outcome,
    output,
    images,
    revised,
  }: ToolResultEntry): void {
    const draft = drafts.get(messageUuid)
    const call = draft?.item.calls.findLast((one) => one.callId === callId)
    if (!draft || !call || call.result !== null) return
    draft.seq = seq
    call.result = { outcome, output, images }
    if (revised?.input !== undefined) call.input = revised.input
  }

  function compact({ seq, summary, keptFromSeq, images }: CompactionEntry): void {
    const from = keptFromSeq ?? seq
    const kept = placed.filter((one) => one.session === session && one.seq >= from)
    for (const [uuid, draft] of drafts) if (!kept.includes(draft)) drafts.delete(uuid)
    placed = [{ item: summaryItem(summary, images), seq, session }, ...kept]
  }

  function items(): ConversationItem[] {
    const taken = new Set<TurnCall>()
    return placed.flatMap(({ item }): ConversationItem[] => {
      if (item.type === 'user') return [item]
      const turn = turnOf(item, taken)
      return turn ? [turn] : []
    })
  }

  return { add, items }
}

/** `changes` are sentences about what changed since the interruption. */
export const resumedItem = (changes: readonly string[]): UserItem => ({
  type: 'user',
  ours: 'resume',
  parts: [
    {
      type: 'text',
      text: `[The work was interrupted and is resumed. What changed in the meantime: ${changes.join(' ')}]`,
    },
  ],
})

/** Each session counts from 1. Equal seqs of different entries are of two sessions; a repaired result has its call's seq. */
const isOfNextSession = (last: Entry, next: Entry): boolean =>
  next.seq < last.seq || (next.seq === last.seq && next.uuid !== last.uuid)

/** Returns the parts as text, with a placeholder for each image. */
export const textOf = (parts: readonly UserPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '[an image]')).join('\n')

function userPartOf(part: MessagePart): UserPart[] {
  if (part.type === 'text')
    return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
  if (part.type !== 'image') return []
  const { mediaType, sha256, bytes } = part
  return [{ type: 'image', mediaType, sha256, bytes }]
}

/** `taken` are calls of earlier turns: a repeated call stays in its first turn. */
function turnOf({ message, calls }: Draft, taken: Set<TurnCall>): TurnItem | null {
  if (message?.status === 'superseded') return null
  const left = calls.filter((call) => !taken.has(call))
  for (const call of left) taken.add(call)
  const parts = (message?.parts ?? []).flatMap((part): TurnPart[] => {
    if (part.type === 'text' || part.type === 'reasoning') {
      const { type, text, providerData } = part
      return [{ type, text, providerData }]
    }
    if (part.type !== 'tool-call') return []
    const index = left.findIndex(({ callId }) => callId === part.callId)
    return index === -1 ? [] : left.splice(index, 1)
  })
  const all = [...parts, ...left]
  if (all.length === 0) return null
  const state = message ? (message.status === 'complete' ? 'whole' : 'cut') : 'lost'
  return { type: 'turn', parts: all, state }
}
