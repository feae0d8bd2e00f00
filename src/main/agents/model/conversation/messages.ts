/**
 * Converts the record to a provider's messages (G5). For any record, each call has a result and each result a call, ids
 * are distinct, and no turn is empty.
 */
import { createHash } from 'node:crypto'
import type { JSONValue, ModelMessage, ToolResultPart, UserContent } from 'ai'
import type { ProviderData } from '../../../../shared/agents/agent-records.ts'
import { traitsOf } from '../../../../shared/agents/tool-traits.ts'
import { lostOutputIn, withLostOutput } from '../../../../shared/records/lost-output.ts'
import type {
  ConversationItem,
  ImagePart,
  TurnCall,
  TurnItem,
  TurnPart,
  UserPart,
} from './conversation.ts'

/** The provider and model that get the messages, as in `ProviderData`. */
export interface MessageTarget {
  provider: string
  model: string
}

interface MessageOptions {
  target: MessageTarget
  /** Returns the bytes of an image in the record; null if the model is not shown it. */
  imageOf?: (sha256: string) => Uint8Array | null
}

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>
type AssistantParts = Exclude<AssistantMessage['content'], string>
type AssistantPart = AssistantParts[number]
type ToolMessage = Extract<ModelMessage, { role: 'tool' }>
type UserParts = Exclude<UserContent, string>
type ProviderOptions = NonNullable<ModelMessage['providerOptions']>

/** The first and last messages are not the assistant's, and no two of the same role follow each other. */
export function messagesOf(
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
  // Some providers continue the text of a last assistant message, others refuse it.
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
 * Reports whether results may contain images. For other providers, which accept only text there, images follow the
 * results. Older models of Google accept one part per result.
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
    return addUser(messages, [{ type: 'text', text: lostTurnText(calls) }])
  const content: AssistantParts = []
  const results: ToolMessage['content'] = []
  const imagesAfter: UserParts = []
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
      if (inside.length < images.length) imagesAfter.push(...images)
      const output = outputOf(part, inside, imagesNotShown(part, options))
      results.push({ type: 'tool-result', toolCallId, toolName, output })
    } else content.push(...speechOf(part, providerOptions))
  }
  // Some providers refuse a turn of reasoning alone.
  if (content.every(({ type }) => type === 'reasoning')) return
  const last = messages.at(-1)
  if (last?.role === 'assistant') (last.content as AssistantParts).push(...content)
  else messages.push({ role: 'assistant', content })
  if (results.length > 0) messages.push({ role: 'tool', content: results })
  if (imagesAfter.length > 0)
    addUser(messages, [{ type: 'text', text: imagesOfResults }, ...imagesAfter])
}

function speechOf(
  { type, text }: Exclude<TurnPart, TurnCall>,
  providerOptions: ProviderOptions | null,
): AssistantPart[] {
  if (type === 'reasoning') {
    // Reasoning without its provider's data is refused or ignored.
    return providerOptions ? [{ type, text: wellFormed(text), providerOptions }] : []
  }
  if (text.trim() === '') return []
  return [{ type, text: wellFormed(text), ...(providerOptions && { providerOptions }) }]
}

/**
 * Returns a function for the data that the provider of `target` sent with each part, and gets back (G3). Null if the
 * turn's reasoning is incomplete: providers then refuse it, and refuse calls without the reasoning that led to them.
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

/** Renders the calls of a turn as text, because too little of it is left to be sent as a turn. */
function lostTurnText(calls: TurnCall[]): string {
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

/** Returns the data to record with a part, for this provider and model. `text` is that of reasoning. */
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

/** Returns distinct ids that every provider accepts. Equal histories get equal ids, so that prompt caches hit. */
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

/** Wraps other values in an object, because some providers accept nothing else. */
function inputOf(input: unknown): JSONValue {
  const value = wellFormedValue(input as JSONValue)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? value
    : { input: value ?? null }
}

function imagesOf({ result }: TurnCall, options: MessageOptions) {
  return (result?.images ?? []).flatMap((image) => shownImage(image, options) ?? [])
}

/** Without these notes, a model takes its own earlier words about an image for the image. */
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
  const textOutput = { type, value: [value, ...notes].join('\n') }
  if (images.length === 0) return textOutput
  const files = images.map(({ type, mediaType, data }) => ({
    type,
    mediaType,
    data: { type: 'data' as const, data },
  }))
  // Beside images, providers refuse a blank text.
  const texts =
    textOutput.value.trim() === '' ? [] : [{ type: 'text' as const, text: textOutput.value }]
  return { type: 'content', value: [...texts, ...files] }
}

function textOutputOf({ name, result }: TurnCall): { type: 'text' | 'error-text'; value: string } {
  if (result === null || result.outcome === 'unknown') {
    const { afterCrash = 'unknown' } = traitsOf(name) ?? {}
    const printed = afterCrash === 'unknown' ? lostOutputIn(result?.output ?? '') : null
    return {
      type: 'error-text',
      value: withLostOutput(interruptedOutputs[afterCrash], wellFormed(printed ?? '')),
    }
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
const interruptedOutputs = {
  ledger: askLedger,
  again: notAnswered,
  unknown: unknownOutcome,
} as const

/** Replaces lone surrogates, because providers refuse a request with one. */
const wellFormed = (text: string): string => text.toWellFormed()

function wellFormedValue(value: JSONValue): JSONValue {
  if (typeof value === 'string') return wellFormed(value)
  if (Array.isArray(value)) return value.map(wellFormedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [wellFormed(key), wellFormedValue(one as JSONValue)]),
  )
}
