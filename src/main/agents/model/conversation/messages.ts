/**
 * The messages that a provider is sent, made of the record (G5): whatever the record looks like, no call is without
 * its result, no result without its call, no id comes twice, and no turn is empty.
 */
import { createHash } from 'node:crypto'
import type { JSONValue, ModelMessage, ToolResultPart, UserContent } from 'ai'
import type { ProviderData } from '../../../../shared/agents/agent-records.ts'
import { traitsOf } from '../../../../shared/agents/tool-traits.ts'
import type { Entry } from '../../../../shared/records/entries.ts'
import {
  type ConversationItem,
  conversationOf,
  type ImagePart,
  type TurnCall,
  type TurnItem,
  type TurnPart,
  type UserPart,
} from './conversation.ts'

/** Whom the messages are for, as in `ProviderData`. */
export interface MessageTarget {
  provider: string
  model: string
}

interface MessageOptions {
  target: MessageTarget
  /** The bytes of an image in the record; null: the model is not shown it. */
  imageOf?: (sha256: string) => Uint8Array | null
}

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>
type AssistantParts = Exclude<AssistantMessage['content'], string>
type AssistantPart = AssistantParts[number]
type ToolMessage = Extract<ModelMessage, { role: 'tool' }>
type UserParts = Exclude<UserContent, string>
type ProviderOptions = NonNullable<ModelMessage['providerOptions']>

/** Begins and ends with a message that is not the assistant's; assistant and user take turns. */
export function messagesOf(entries: Iterable<Entry>, options: MessageOptions): ModelMessage[] {
  return messagesOfConversation(conversationOf(entries), options)
}

export function messagesOfConversation(
  conversation: readonly ConversationItem[],
  options: MessageOptions,
): ModelMessage[] {
  const messages: ModelMessage[] = []
  const uniqueId = createIds()
  for (const item of conversation) {
    if (item.type === 'user') addUser(messages, userParts(item.parts, options))
    else addTurn(messages, item, options, uniqueId)
  }
  if (messages[0]?.role !== 'user') messages.unshift(userMessage(unrecordedStart))
  // Some providers continue within a last message of the assistant, others refuse it.
  if (messages.at(-1)?.role === 'assistant') messages.push(userMessage(continuePrompt))
  return messages
}

const unrecordedStart = '[The beginning of this conversation is not in the record.]'
const continuePrompt = '[Continue from here.]'

const userMessage = (text: string): ModelMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
})

function addUser(messages: ModelMessage[], parts: UserParts): void {
  const last = messages.at(-1)
  if (last?.role === 'user' && typeof last.content !== 'string') last.content.push(...parts)
  else messages.push({ role: 'user', content: parts })
}

function userParts(parts: UserPart[], options: MessageOptions): UserParts {
  return parts.map((part): UserParts[number] => {
    if (part.type === 'text') return { type: 'text', text: wellFormed(part.text) }
    return shownImage(part, options) ?? { type: 'text', text: notShown(part) }
  })
}

function shownImage({ mediaType, sha256 }: ImagePart, { imageOf }: MessageOptions) {
  const data = imageOf?.(sha256) ?? null
  return data && { type: 'file' as const, mediaType, data }
}

const notShown = ({ mediaType }: ImagePart): string =>
  `[an image (${mediaType}) that is not shown to you]`

/**
 * Where the images of results go: into the result, or for providers that take only text there, after the results.
 * Older models of Google count the parts of their results.
 */
const takesImagesInResults = ({ provider, model }: MessageTarget): boolean =>
  /^(?:anthropic|openai)(?: |$)/.test(provider) || /gemini-[3-9]/.test(model)

function addTurn(
  messages: ModelMessage[],
  turn: TurnItem,
  options: MessageOptions,
  uniqueId: (id: string) => string,
): void {
  const { target } = options
  const dataOf = dataFor(turn, target)
  const calls = turn.parts.filter((part) => part.type === 'call')
  if (calls.length > 0 && (turn.state === 'lost' || dataOf === null))
    return addUser(messages, [{ type: 'text', text: retold(calls) }])
  const content: AssistantParts = []
  const results: ToolMessage['content'] = []
  const after: UserParts = []
  for (const part of turn.parts) {
    const providerOptions = dataOf?.(part) ?? null
    if (part.type === 'call') {
      const toolCallId = uniqueId(part.callId)
      const toolName = toolNameOf(part.name)
      content.push({
        type: 'tool-call',
        toolCallId,
        toolName,
        input: inputOf(part.input),
        ...(providerOptions && { providerOptions }),
      })
      const images = imagesOf(part, options)
      const inside = takesImagesInResults(target) ? images : []
      if (inside.length < images.length) after.push(...images)
      const output = outputOf(part, inside, imagesNotShown(part, options))
      results.push({ type: 'tool-result', toolCallId, toolName, output })
    } else content.push(...speechOf(part, providerOptions))
  }
  // Reasoning alone is no answer, and some providers refuse it.
  if (content.every(({ type }) => type === 'reasoning')) return
  const last = messages.at(-1)
  if (last?.role === 'assistant') (last.content as AssistantParts).push(...content)
  else messages.push({ role: 'assistant', content })
  if (results.length > 0) messages.push({ role: 'tool', content: results })
  if (after.length > 0) addUser(messages, [{ type: 'text', text: imagesOfResults }, ...after])
}

function speechOf(
  { type, text }: Exclude<TurnPart, TurnCall>,
  providerOptions: ProviderOptions | null,
): AssistantPart[] {
  if (type === 'reasoning') {
    // Without what its provider wants back with it, reasoning is refused or means nothing.
    return providerOptions ? [{ type, text: wellFormed(text), providerOptions }] : []
  }
  if (text.trim() === '') return []
  return [{ type, text: wellFormed(text), ...(providerOptions && { providerOptions }) }]
}

/**
 * What the provider of `target` gave with each part, and wants back with it (G3). Reasoning comes back whole or not
 * at all, and providers refuse calls without the reasoning that led to them: null where it can't be given back.
 */
function dataFor(
  { parts }: TurnItem,
  target: MessageTarget,
): ((part: TurnPart) => ProviderOptions | null) | null {
  const own = ({ providerData }: TurnPart): OwnData | null =>
    providerData?.provider === target.provider && providerData.model === target.model
      ? readData(providerData)
      : null
  const reasoning = parts.flatMap((part) => (part.type === 'reasoning' ? [part] : []))
  const ownReasoning = reasoning.filter((part) => own(part) !== null)
  const isIntact = ownReasoning.every((part) => own(part)?.sha256 === textHash(part.text))
  const isOwn = parts.some((part) => own(part) !== null)
  if (isOwn && !(isIntact && ownReasoning.length === reasoning.length)) return null
  return (part) => own(part)?.options ?? null
}

/** For the calls of a turn of which too little is left to be returned as a turn. */
function retold(calls: TurnCall[]): string {
  const lines = calls.map((call) => {
    const { value } = textOutputOf(call)
    return `${call.name} ${JSON.stringify(wellFormedValue(call.input as JSONValue))}\n${value}`
  })
  return [
    '[You were interrupted here, and what you had said is lost. These calls of yours were made, with these results:]',
    ...lines,
  ].join('\n\n')
}

interface OwnData {
  options: ProviderOptions
  /** Hash of the text as the provider sent it. Masking a secret in the record would break its signature. */
  sha256?: string | undefined
}

/** What the record keeps of a part, for this provider and model. `text`: of reasoning. */
export function writeData(
  target: MessageTarget,
  options: ProviderOptions | undefined,
  text?: string,
): ProviderData | undefined {
  if (options === undefined && text === undefined) return undefined
  const { provider, model } = target
  const data = {
    options: options ?? {},
    ...(text !== undefined && { sha256: textHash(text) }),
  }
  return { provider, model, data: JSON.parse(JSON.stringify(data)) }
}

function readData({ data }: ProviderData): OwnData | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null
  const { options, sha256 } = data
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return null
  return {
    options: options as ProviderOptions,
    sha256: typeof sha256 === 'string' ? sha256 : undefined,
  }
}

const textHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Ids as every provider takes them, none twice. The same history gives the same ids, or no cache would hit. */
function createIds(): (id: string) => string {
  const used = new Set<string>()
  let count = 0
  return (id) => {
    count++
    let unique = /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `call_${count}`
    for (let n = count; used.has(unique); n++) unique = `call_${n}_again`
    used.add(unique)
    return unique
  }
}

function toolNameOf(name: string): string {
  const allowed = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
  return /^[A-Za-z_]/.test(allowed) ? allowed : `_${allowed}`.slice(0, 64)
}

/** Every provider takes an object here, and some nothing else. */
function inputOf(input: unknown): JSONValue {
  const value = wellFormedValue(input as JSONValue)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? value
    : { input: value ?? null }
}

function imagesOf({ result }: TurnCall, options: MessageOptions) {
  return (result?.images ?? []).flatMap((image) => shownImage(image, options) ?? [])
}

/** Without this note, a model takes its own words about the image for what it sees. */
const imagesNotShown = ({ result }: TurnCall, options: MessageOptions): string[] =>
  (result?.images ?? []).filter((image) => !shownImage(image, options)).map(notShown)

const imagesOfResults = '[The images of the results above:]'

type ImageFile = ReturnType<typeof imagesOf>[number]

function outputOf(
  call: TurnCall,
  images: readonly ImageFile[],
  notes: readonly string[],
): ToolResultPart['output'] {
  const { type, value } = textOutputOf(call)
  const said = { type, value: [value, ...notes].join('\n') }
  if (images.length === 0) return said
  const files = images.map(({ type, mediaType, data }) => ({
    ...{ type, mediaType },
    data: { type: 'data' as const, data },
  }))
  // Beside images, providers refuse a text of spaces.
  const words = said.value.trim() === '' ? [] : [{ type: 'text' as const, text: said.value }]
  return { type: 'content', value: [...words, ...files] }
}

function textOutputOf({ name, result }: TurnCall): { type: 'text' | 'error-text'; value: string } {
  if (result === null || result.outcome === 'unknown') {
    const { afterCrash = 'unknown' } = traitsOf(name) ?? {}
    return { type: 'error-text', value: cutOff[afterCrash] }
  }
  const value = wellFormed(result.output) || '[no output]'
  return { type: result.outcome === 'ok' ? 'text' : 'error-text', value }
}

const unknownOutcome =
  'Interrupted during this call: its outcome is unknown, and it was not run again. Look at what it did before you repeat it.'
const askLedger =
  'Interrupted during this call: its outcome is unknown, and it was not run again. task_list shows your sub-agents as they are now.'

const notAnswered =
  'Interrupted before there was an answer, and nothing was done. Ask again if it still matters.'
const cutOff = { ledger: askLedger, again: notAnswered, unknown: unknownOutcome } as const

/** Lone surrogates are no UTF-8, and providers refuse a request with one. */
const wellFormed = (text: string): string => text.toWellFormed()

function wellFormedValue(value: JSONValue): JSONValue {
  if (typeof value === 'string') return wellFormed(value)
  if (Array.isArray(value)) return value.map(wellFormedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [wellFormed(key), wellFormedValue(one as JSONValue)]),
  )
}
