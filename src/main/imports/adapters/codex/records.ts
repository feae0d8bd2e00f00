/** Maps the records of one Codex rollout to entries. */
import type { TranscriptBuilder } from '../../transcript/transcript-builder.ts'
import { asRecord, records, text, timeOf } from '../values.ts'
import { type AgentLinks, createCallMapper } from './calls.ts'
import { createEventMapper } from './events.ts'
import { createItemMapper } from './items.ts'
import type { Mapping, RolloutLine, RolloutMeta } from './lines.ts'
import { createModelOutput } from './model-output.ts'
import { contentParts, hasContent, isPromptEvent, isUserPrompt, looksInjected } from './prompts.ts'
import { createUsageCounter, pricedUsage, totalsOf } from './usage.ts'

export type RecordMapper = ReturnType<typeof createRecordMapper>

interface MapperContext {
  builder: TranscriptBuilder
  links: AgentLinks
  meta: RolloutMeta | null
  /** Preserves a record verbatim. */
  preserve(line: number, record: Record<string, unknown>, isQuiet: boolean): void
}

interface HeldLine {
  line: RolloutLine
  /** Line number in the file. */
  number: number
  record: Record<string, unknown>
  isCopy: boolean
}

/** The branch of a compaction's answer, which is outside the conversation. */
const compactionBranch = (nth: number): number => -1 - nth

export function createRecordMapper(context: MapperContext) {
  const { builder, meta } = context
  const usage = createUsageCounter()
  let model: string | null = null
  let hasPromptEvents = false
  let hasTurnEnds = false
  let isCopying = false
  let lastPrompt = ''
  let compactions = 0
  let isCompactionEventSeen = true
  /** A `user` message that may be a prompt; the next record decides. */
  let heldPrompt: HeldLine | null = null
  /** An answer without an event, with its usage; it may be the summary of a following compaction. */
  let heldAnswer: HeldLine[] = []
  const facts = {
    prompt: null as string | null,
    /** The prompt in the copied history. */
    copiedPrompt: null as string | null,
    title: null as string | null,
    version: '',
    endsWithAgent: false,
    report: null as string | null,
  }

  const modelOutput = createModelOutput(builder, () => model)
  const calls = createCallMapper(
    builder,
    {
      ...context.links,
      // Sub-agents in a copied history belong to the original thread.
      onAgent: (agent, call) => isCopying || context.links.onAgent(agent, call),
    },
    modelOutput,
  )
  const mapItem = createItemMapper({ calls, modelOutput, meta, addPrompt })
  const mapEvent = createEventMapper({
    builder,
    calls,
    modelOutput,
    onTitle(title) {
      facts.title = title
    },
    onTurnEnd(isComplete, lastMessage) {
      hasTurnEnds = true
      modelOutput.flushEvents()
      modelOutput.endResponse()
      facts.endsWithAgent = isComplete && (lastMessage ?? modelOutput.lastText) !== null
      facts.report = isComplete ? (lastMessage ?? modelOutput.lastText) : null
    },
    onCompactionEvent() {
      if (isCompactionEventSeen) addCompaction({ message: '' })
      isCompactionEventSeen = true
      return 'mapped'
    },
  })

  function addPrompt(payload: Record<string, unknown>, isCopy: boolean): void {
    modelOutput.flushEvents()
    const parts = contentParts(payload.content)
    builder.addPrompt(parts.length > 0 ? parts : [''], null)
    modelOutput.endTurn()
    lastPrompt = parts.filter((part) => typeof part === 'string').join('\n')
    if (lastPrompt !== '') facts[isCopy ? 'copiedPrompt' : 'prompt'] ??= lastPrompt
    modelOutput.clearLastText()
    facts.endsWithAgent = false
    facts.report = null
  }

  /** Adds a record. Returns whether it was mapped; otherwise it was preserved verbatim. */
  function map(
    record: Record<string, unknown>,
    line: RolloutLine,
    number: number,
    isCopy: boolean,
  ) {
    const held: HeldLine = { line, number, record, isCopy }
    isCopying = isCopy
    const wasPrompt = resolveHeldPrompt(line)
    resolveHeldAnswer(line)
    builder.setPlace({ atMs: timeOf(line.timestamp), cwd: null, branch: null })
    const mapping = mapLine(held, wasPrompt)
    if (mapping === 'mapped' || mapping === 'held') return true
    context.preserve(number, record, mapping === 'quiet')
    return false
  }

  function mapLine(
    { line, number, record, isCopy }: HeldLine,
    wasPrompt: boolean,
  ): Mapping | 'held' {
    const { type, payload } = line
    if (heldAnswer.length > 0) {
      heldAnswer.push({ line, number, record, isCopy })
      return 'held'
    }
    switch (type) {
      case 'session_meta':
        return mapMeta(payload)
      case 'turn_context':
        model = text(payload.model) ?? model
        builder.setPlace({ atMs: null, cwd: text(payload.cwd), branch: meta?.branch ?? null })
        return 'quiet'
      case 'response_item':
        return mapResponse({ line, number, record, isCopy })
      case 'event_msg':
        if (isPromptEvent(payload)) return mapPromptEvent(payload, wasPrompt, isCopy)
        return payload.type === 'token_count' ? mapUsage(payload, isCopy) : mapEvent(payload)
      case 'token_usage_record':
        return mapUsage(payload, isCopy)
      case 'compacted':
        addCompaction(payload)
        context.preserve(number, record, true)
        return 'mapped'
      default:
        return 'quiet'
    }
  }

  function mapMeta(payload: Record<string, unknown>): Mapping {
    if (text(payload.id) !== meta?.threadId) return 'quiet'
    facts.version = meta?.version ?? ''
    builder.setPlace({ atMs: null, cwd: meta?.cwd ?? null, branch: meta?.branch ?? null })
    return 'quiet'
  }

  function mapResponse(held: HeldLine): Mapping | 'held' {
    const { payload } = held.line
    const isMessage = payload.type === 'message'
    if (isMessage && payload.role === 'user') {
      const persons = isUserPrompt(payload)
      if (persons === false) return 'preserved'
      if (persons === null) {
        heldPrompt = held
        return 'held'
      }
      addPrompt(payload, held.isCopy)
      return 'mapped'
    }
    if (isMessage && payload.role === 'assistant' && hasPromptEvents && !held.isCopy) {
      const said = contentParts(payload.content).join('\n')
      if (!modelOutput.hasEvent(said)) {
        heldAnswer = [held]
        return 'held'
      }
    }
    return mapItem(payload, held.isCopy)
  }

  /** Decides whether the held message was a user's prompt. Returns true if it was. */
  function resolveHeldPrompt(next: RolloutLine | null): boolean {
    const held = heldPrompt
    if (!held) return false
    heldPrompt = null
    const event = next?.type === 'event_msg' && isPromptEvent(next.payload) ? next.payload : null
    // A message that lost its content repeats nothing: the event has the prompt.
    const isEmpty = !hasContent(held.line.payload)
    const isConfirmed = event !== null && !(isEmpty && eventText(event) !== '')
    // If the confirming event may be missing, a message that does not look added counts as a prompt.
    const mayLackEvent = next === null || (event === null && !hasPromptEvents)
    if (isConfirmed || (mayLackEvent && !looksInjected(held.line.payload)))
      addPrompt(held.line.payload, held.isCopy)
    else context.preserve(held.number, held.record, false)
    return isConfirmed
  }

  /** Decides where the held answer belongs: to a following compaction as its summary, else to the conversation. */
  function resolveHeldAnswer(next: RolloutLine | null): void {
    const [first, ...others] = heldAnswer
    if (!first || (next && isUsage(next))) return
    heldAnswer = []
    const said = contentParts(first.line.payload.content).join('\n').trim()
    const summary = next?.type === 'compacted' ? (text(next.payload.message) ?? '') : ''
    const isSummary = said !== '' && summary.trim().endsWith(said)
    const back = builder.branch
    if (isSummary) {
      modelOutput.endTurn()
      builder.switchTo(compactionBranch(compactions))
    }
    mapItem(first.line.payload, first.isCopy)
    for (const { line, isCopy } of others) mapUsage(line.payload, isCopy)
    if (!isSummary) return
    modelOutput.endTurn()
    modelOutput.clearLastText()
    builder.switchTo(back)
  }

  function mapUsage(payload: Record<string, unknown>, isCopy: boolean): Mapping {
    const totals = totalsOf(payload)
    const tokens = totals && usage.count(totals.total, totals.last)
    if (!totals) return 'quiet'
    if (tokens && !isCopy) {
      const provider = meta?.provider ?? null
      modelOutput.addUsage(
        pricedUsage(tokens, { model: model ?? '', provider, atMs: builder.atMs }),
      )
    }
    return 'mapped'
  }

  /** Handles a prompt event, which repeats a message unless no message has its text. */
  function mapPromptEvent(
    payload: Record<string, unknown>,
    wasPrompt: boolean,
    isCopy: boolean,
  ): Mapping {
    hasPromptEvents = true
    if (!wasPrompt && !lastPrompt.includes(eventText(payload)))
      addPrompt({ content: eventContent(payload) }, isCopy)
    return 'mapped'
  }

  function addCompaction(payload: Record<string, unknown>): void {
    modelOutput.flushEvents()
    modelOutput.endTurn()
    builder.addCompaction(text(payload.message) ?? '')
    compactions++
    isCompactionEventSeen = false
  }

  function resolveHeld(): void {
    resolveHeldPrompt(null)
    resolveHeldAnswer(null)
    modelOutput.flushEvents()
    modelOutput.endTurn()
  }

  return {
    map,
    facts,
    /** Decides the held records; call before switching branches. */
    resolveHeld,
    /** Call for an unreadable line. */
    damaged: (): unknown => resolveHeldPrompt(null),
    end(): void {
      resolveHeld()
      modelOutput.end()
      // In versions without turn-end events, a final message completes the task.
      if (hasTurnEnds || modelOutput.lastText === null || builder.facts().openCalls > 0) return
      facts.report = modelOutput.lastText
      facts.endsWithAgent = true
    },
  }
}

/** The parts of the prompt in an event. */
const eventContent = (payload: Record<string, unknown>): Record<string, unknown>[] =>
  payload.type === 'item_completed'
    ? records(asRecord(payload.item).content)
    : [{ text: payload.message }]

const eventText = (payload: Record<string, unknown>): string =>
  eventContent(payload)
    .flatMap((part) => text(part.text) ?? [])
    .join('\n')

const isUsage = ({ type, payload }: RolloutLine): boolean =>
  type === 'token_usage_record' || (type === 'event_msg' && payload.type === 'token_count')
