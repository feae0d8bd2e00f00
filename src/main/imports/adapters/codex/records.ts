/** Maps the records of one Codex rollout to entries. */
import type { TranscriptBuilder } from '../../transcript/transcript-builder.ts'
import { asRecord, records, text, timeOf } from '../values.ts'
import { type AgentLinks, createCallMapper } from './calls.ts'
import { createEventMapper } from './events.ts'
import { createItemMapper } from './items.ts'
import type { Mapping, RolloutLine, RolloutMeta } from './lines.ts'
import { contentParts, isPersons, isPersonsEvent, looksAdded } from './prompts.ts'
import { createSpeech } from './speech.ts'
import { createUsageCounter, pricedUsage, totalsOf } from './usage.ts'

export type RecordMapper = ReturnType<typeof createRecordMapper>

interface MapperContext {
  builder: TranscriptBuilder
  links: AgentLinks
  meta: RolloutMeta | null
  /** Preserves a record verbatim. */
  keep(line: number, record: Record<string, unknown>, isQuiet: boolean): void
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
  let hasPersonsEvents = false
  let hasTurnEnds = false
  let isCopying = false
  let lastPrompt = ''
  let compactions = 0
  let isCompactionTold = true
  /** A `user` message that may be a prompt; the next record decides. */
  let maybePrompt: HeldLine | null = null
  /** An answer without an event, with its usage; it may be the summary of a following compaction. */
  let answer: HeldLine[] = []
  const facts = {
    prompt: null as string | null,
    /** The prompt in the copied history. */
    copiedPrompt: null as string | null,
    title: null as string | null,
    version: '',
    endsWithAgent: false,
    report: null as string | null,
  }

  const speech = createSpeech(builder, () => model)
  const calls = createCallMapper(
    builder,
    {
      ...context.links,
      // Sub-agents in a copied history belong to the original thread.
      onAgent: (agent, call) => isCopying || context.links.onAgent(agent, call),
    },
    speech,
  )
  const mapItem = createItemMapper({ calls, speech, meta, prompted })
  const mapEvent = createEventMapper({
    ...{ builder, calls, speech },
    onTitle(title) {
      facts.title = title
    },
    onTurnEnd(isComplete, lastMessage) {
      hasTurnEnds = true
      speech.flush()
      speech.over()
      facts.endsWithAgent = isComplete && (lastMessage ?? speech.lastText) !== null
      facts.report = isComplete ? (lastMessage ?? speech.lastText) : null
    },
    onCompactionEvent() {
      if (isCompactionTold) compacted({ message: '' })
      isCompactionTold = true
      return 'mapped'
    },
  })

  function prompted(payload: Record<string, unknown>, isCopy: boolean): void {
    speech.flush()
    const parts = contentParts(payload.content)
    builder.prompt(parts.length > 0 ? parts : [''], null)
    speech.close()
    lastPrompt = parts.filter((part) => typeof part === 'string').join('\n')
    if (lastPrompt !== '') facts[isCopy ? 'copiedPrompt' : 'prompt'] ??= lastPrompt
    speech.forgetLastText()
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
    const wasPrompt = decidePrompt(line)
    decideAnswer(line)
    builder.place({ atMs: timeOf(line.timestamp), cwd: null, branch: null })
    const mapping = mapLine(held, wasPrompt)
    if (mapping === 'mapped' || mapping === 'held') return true
    context.keep(number, record, mapping === 'quiet')
    return false
  }

  function mapLine(
    { line, number, record, isCopy }: HeldLine,
    wasPrompt: boolean,
  ): Mapping | 'held' {
    const { type, payload } = line
    if (answer.length > 0) {
      answer.push({ line, number, record, isCopy })
      return 'held'
    }
    switch (type) {
      case 'session_meta':
        return mapMeta(payload)
      case 'turn_context':
        model = text(payload.model) ?? model
        builder.place({ atMs: null, cwd: text(payload.cwd), branch: meta?.branch ?? null })
        return 'quiet'
      case 'response_item':
        return mapResponse({ line, number, record, isCopy })
      case 'event_msg':
        if (isPersonsEvent(payload)) return personsEvent(payload, wasPrompt, isCopy)
        return payload.type === 'token_count' ? counted(payload, isCopy) : mapEvent(payload)
      case 'token_usage_record':
        return counted(payload, isCopy)
      case 'compacted':
        compacted(payload)
        context.keep(number, record, true)
        return 'mapped'
      default:
        return 'quiet'
    }
  }

  function mapMeta(payload: Record<string, unknown>): Mapping {
    if (text(payload.id) !== meta?.threadId) return 'quiet'
    facts.version = meta?.version ?? ''
    builder.place({ atMs: null, cwd: meta?.cwd ?? null, branch: meta?.branch ?? null })
    return 'quiet'
  }

  function mapResponse(held: HeldLine): Mapping | 'held' {
    const { payload } = held.line
    const isMessage = payload.type === 'message'
    if (isMessage && payload.role === 'user') {
      const persons = isPersons(payload)
      if (persons === false) return 'kept'
      if (persons === null) {
        maybePrompt = held
        return 'held'
      }
      prompted(payload, held.isCopy)
      return 'mapped'
    }
    if (isMessage && payload.role === 'assistant' && hasPersonsEvents && !held.isCopy) {
      const said = contentParts(payload.content).join('\n')
      if (!speech.isAnnounced(said)) {
        answer = [held]
        return 'held'
      }
    }
    return mapItem(payload, held.isCopy)
  }

  /** Decides whether the held message was a person's prompt. Returns true if it was. */
  function decidePrompt(next: RolloutLine | null): boolean {
    const held = maybePrompt
    if (!held) return false
    maybePrompt = null
    const isConfirmed = next?.type === 'event_msg' && isPersonsEvent(next.payload)
    // If the confirming event may be missing, a message that does not look added counts as a prompt.
    const mayLackEvent = next === null || !hasPersonsEvents
    if (isConfirmed || (mayLackEvent && !looksAdded(held.line.payload)))
      prompted(held.line.payload, held.isCopy)
    else context.keep(held.number, held.record, false)
    return isConfirmed
  }

  /** Decides where the held answer belongs: to a following compaction as its summary, else to the conversation. */
  function decideAnswer(next: RolloutLine | null): void {
    const [first, ...others] = answer
    if (!first || (next && isUsage(next))) return
    answer = []
    const said = contentParts(first.line.payload.content).join('\n').trim()
    const summary = next?.type === 'compacted' ? (text(next.payload.message) ?? '') : ''
    const isSummary = said !== '' && summary.trim().endsWith(said)
    const back = builder.branch
    if (isSummary) {
      speech.close()
      builder.goTo(compactionBranch(compactions))
    }
    mapItem(first.line.payload, first.isCopy)
    for (const { line, isCopy } of others) counted(line.payload, isCopy)
    if (!isSummary) return
    speech.close()
    speech.forgetLastText()
    builder.goTo(back)
  }

  function counted(payload: Record<string, unknown>, isCopy: boolean): Mapping {
    const totals = totalsOf(payload)
    const tokens = totals && usage.count(totals.total, totals.last)
    if (!totals) return 'quiet'
    if (tokens && !isCopy) {
      const provider = meta?.provider ?? null
      speech.used(pricedUsage(tokens, { model: model ?? '', provider, atMs: builder.atMs }))
    }
    return 'mapped'
  }

  /** Handles a prompt event, which repeats a message unless no message has its text. */
  function personsEvent(
    payload: Record<string, unknown>,
    wasPrompt: boolean,
    isCopy: boolean,
  ): Mapping {
    hasPersonsEvents = true
    const content =
      payload.type === 'item_completed'
        ? records(asRecord(payload.item).content)
        : [{ text: payload.message }]
    const said = content.flatMap((part) => text(part.text) ?? []).join('\n')
    if (!wasPrompt && !lastPrompt.includes(said)) prompted({ content }, isCopy)
    return 'mapped'
  }

  function compacted(payload: Record<string, unknown>): void {
    speech.flush()
    speech.close()
    builder.compacted(text(payload.message) ?? '')
    compactions++
    isCompactionTold = false
  }

  function settle(): void {
    decidePrompt(null)
    decideAnswer(null)
    speech.flush()
    speech.close()
  }

  return {
    map,
    facts,
    /** Decides the held records; call before switching branches. */
    settle,
    /** Call for an unreadable line. */
    damaged: (): unknown => decidePrompt(null),
    end(): void {
      settle()
      speech.end()
      // In versions without turn-end events, a final message completes the task.
      if (hasTurnEnds || speech.lastText === null || builder.facts().openCalls > 0) return
      facts.report = speech.lastText
      facts.endsWithAgent = true
    },
  }
}

const isUsage = ({ type, payload }: RolloutLine): boolean =>
  type === 'token_usage_record' || (type === 'event_msg' && payload.type === 'token_count')
