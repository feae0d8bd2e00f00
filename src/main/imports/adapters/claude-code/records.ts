/** Maps the records of one transcript of Claude Code to entries. */

import type { AwaitedTask } from '../../../../shared/agents/tools.ts'
import { setBounded } from '../../../../shared/projections/session/bounded-lists.ts'
import type { ToolCallId } from '../../../../shared/records/ids.ts'
import type { BuiltImage, TranscriptBuilder } from '../../transcript/transcript-builder.ts'
import { asRecord, isRecord, records, text, timeOf, titleOf } from '../values.ts'
import { detailOf, mapCall, planOf } from './tools.ts'
import { usageOfMessage } from './usage.ts'

/** A call that started a sub-agent. */
export interface AgentCall {
  callId: ToolCallId
  title: string
  agent: string
}

interface MapperContext {
  builder: TranscriptBuilder
  /** The summary of a sub-agent with a transcript; null: no transcript. */
  agentSummary(agentId: string, call: AgentCall, report: string | null): AwaitedTask | null
  /** Called for a call that references a sub-agent. */
  onAgent(agentId: string, call: AgentCall): void
  /** The whole text of a result that was stored in a separate file; null: the file is missing. */
  stored(path: string): Promise<string | null>
  /** Called for each compaction. */
  onCompacted(): void
}

export type RecordMapper = ReturnType<typeof createRecordMapper>

export function createRecordMapper(context: MapperContext) {
  const { builder } = context
  /** Mapped inputs of calls without a result so far. */
  const inputs = new Map<string, { name: string; input: unknown }>()
  const agents = new Map<string, AgentCall>()
  let isCompacting = false
  const facts = {
    prompt: null as string | null,
    /** The first prompt of the session that this one continues from. */
    copiedPrompt: null as string | null,
    /** Titles set by a user or the tool, best first. */
    titles: { custom: null, ai: null, summary: null } as Record<
      'custom' | 'ai' | 'summary',
      string | null
    >,
    version: '',
    /** The agent's last message. */
    lastText: null as { messageId: string | null; text: string } | null,
    endsWithAgent: false,
  }

  /** Returns false for an unmapped record, which the caller preserves verbatim. */
  function map(record: Record<string, unknown>, isCopy = false): boolean | Promise<boolean> {
    const version = text(record.version)
    if (version !== null) facts.version = version
    builder.setPlace({
      atMs: timeOf(record.timestamp),
      cwd: text(record.cwd),
      branch: text(record.gitBranch) || null,
    })
    switch (record.type) {
      case 'assistant':
        return mapAssistant(record, isCopy)
      case 'user':
        return mapUser(record, isCopy)
      case 'system':
        if (record.subtype !== 'compact_boundary') return false
        isCompacting = true
        return true
      case 'summary':
        return title('summary', record.summary)
      case 'custom-title':
        return title('custom', record.customTitle)
      case 'ai-title':
        return title('ai', record.aiTitle)
      case 'pr-link':
        return link(record.prUrl)
      case 'progress':
        noteProgress(record)
        return false
      case 'attachment':
        return queued(record)
      default:
        return false
    }
  }

  function title(kind: keyof typeof facts.titles, given: unknown): boolean {
    const value = text(given)
    if (value === null || value.trim() === '') return false
    facts.titles[kind] = titleOf(value)
    builder.setTitle(titleOf(value))
    return true
  }

  function link(given: unknown): boolean {
    const url = text(given)
    if (url === null || !URL.canParse(url)) return false
    builder.addLink(url)
    return true
  }

  /** Maps a prompt that a user sent while the agent was working. */
  function queued(record: Record<string, unknown>): boolean {
    const { type, prompt } = asRecord(record.attachment)
    const said = text(prompt)
    if (type !== 'queued_command' || said === null || isToolOutput(said)) return false
    builder.addPrompt([said], record.uuid)
    return true
  }

  function noteProgress({ data, parentToolUseID }: Record<string, unknown>): void {
    const agentId = text(asRecord(data).agentId)
    const call = agents.get(text(parentToolUseID) ?? '')
    if (agentId !== null && call) context.onAgent(agentId, call)
  }

  function mapAssistant(record: Record<string, unknown>, isCopy: boolean): boolean {
    const { message } = record
    if (!isRecord(message)) return false
    const content =
      typeof message.content === 'string'
        ? [{ type: 'text', text: message.content }]
        : records(message.content)
    flushCompaction(null)
    const messageId = text(message.id)
    const origin = { messageId, uuid: isCopy ? null : record.uuid }
    const said = text(message.model)
    // A name in angle brackets marks text of the tool itself, such as an API error.
    const model = said === null || said.startsWith('<') ? null : said
    builder.setUsage(messageId, {
      usage: usageOfMessage(message.usage, model, builder.atMs),
      model,
      uuid: origin.uuid,
      stop: text(message.stop_reason),
    })
    if (!isCopy) facts.endsWithAgent = true
    for (const block of content) {
      const spoken = text(block.text)
      const thought = text(block.thinking)
      if (block.type === 'text' && spoken !== null) {
        builder.addText({ type: 'text', text: spoken }, origin)
        if (isCopy) continue
        const before = facts.lastText
        const isSame = messageId !== null && before?.messageId === messageId
        facts.lastText = { messageId, text: isSame ? `${before.text}${spoken}` : spoken }
      } else if (block.type === 'thinking' && thought !== null)
        builder.addText({ type: 'reasoning', text: thought }, origin)
      else if (block.type === 'tool_use' && text(block.id) !== null && text(block.name) !== null)
        call(String(block.id), String(block.name), block.input, origin)
      else builder.preserve(0, { partOf: messageId, block })
    }
    return true
  }

  function call(
    id: string,
    name: string,
    input: unknown,
    origin: { messageId: string | null; uuid: unknown },
  ): void {
    const mapped = mapCall(name, input)
    const callId = builder.beginCall({ callId: id, ...mapped }, origin)
    setBounded(inputs, id, mapped, waitingInputsMax)
    facts.lastText = null
    const given = asRecord(input)
    if (mapped.name === 'task')
      agents.set(id, {
        callId,
        title: titleOf(text(given.description) ?? text(given.prompt) ?? name),
        agent: text(given.subagent_type) ?? 'agent',
      })
    const plan = planOf(name, input)
    if (plan) builder.setPlan(plan)
  }

  function mapUser(record: Record<string, unknown>, isCopy: boolean): boolean | Promise<boolean> {
    const { message } = record
    const content = isRecord(message) ? message.content : undefined
    if (record.isCompactSummary === true) {
      flushCompaction(typeof content === 'string' ? content : textOf(records(content)))
      return true
    }
    // Text that the tool adds for the model, such as a skill.
    if (record.isMeta === true) return false
    const blocks =
      typeof content === 'string' ? [{ type: 'text', text: content }] : records(content)
    if (blocks.length === 0) return false
    const results = blocks.filter(({ type }) => type === 'tool_result')
    const said = blocks.filter(({ type }) => type !== 'tool_result')
    const stored = results.some((block) => storedIn(block) !== null)
    if (!stored) {
      const mapped = results.map((block) => result(block, record.toolUseResult, null))
      return mapSaid(said, record, isCopy) && mapped.every(Boolean)
    }
    return (async () => {
      let isMapped = true
      for (const block of results) {
        const path = storedIn(block)
        const whole = path === null ? null : await context.stored(path)
        isMapped = result(block, record.toolUseResult, whole) && isMapped
      }
      return mapSaid(said, record, isCopy) && isMapped
    })()
  }

  /** Maps the parts of a user record that are not results of calls. */
  function mapSaid(
    said: Record<string, unknown>[],
    record: Record<string, unknown>,
    isCopy: boolean,
  ): boolean {
    if (said.length === 0) return true
    flushCompaction(null)
    const parts = said.map((block) => imageOf(block) ?? text(block.text) ?? JSON.stringify(block))
    const [only] = parts
    if (parts.length === 1 && typeof only === 'string') {
      // A marker of an interruption, not a prompt.
      const isStop = stopPattern.test(only)
      if (isStop && !isCopy) facts.endsWithAgent = false
      if (isStop || isToolOutput(only)) return false
    }
    const shown = parts.map((part) => (typeof part === 'string' ? commandText(part) : part))
    builder.addPrompt(shown, isCopy ? null : record.uuid)
    const [first] = shown
    if (typeof first === 'string' && !first.startsWith('/')) facts.prompt ??= isCopy ? null : first
    if (!isCopy) facts.endsWithAgent = false
    return true
  }

  /** `whole`: the complete result from a separate file; null: not stored separately. */
  function result(
    block: Record<string, unknown>,
    structured: unknown,
    whole: string | null,
  ): boolean {
    const id = text(block.tool_use_id) ?? ''
    const open = builder.openCall(id)
    if (!open) return false
    const isError = block.is_error === true
    const parts = partsOf(block)
    const shown = textOf(parts)
    const output = whole ?? shown
    const { name, input } = inputs.get(id) ?? { name: open.name, input: {} }
    inputs.delete(id)
    const started = agents.get(id)
    const agentId =
      text(asRecord(structured).agentId) ?? agentIdPattern.exec(shown.slice(-400))?.[1] ?? null
    if (started && agentId !== null) context.onAgent(agentId, started)
    const status = text(asRecord(structured).status)
    const agentSummary =
      started && agentId !== null && !isError
        ? context.agentSummary(agentId, started, status === 'async_launched' ? null : output)
        : null
    return builder.endCall({
      callId: id,
      outcome: isError ? 'error' : 'ok',
      output,
      detail: agentSummary
        ? { kind: 'tasks', tasks: [agentSummary] }
        : detailOf(name, input, { isError, output: shown, structured }, builder.cwd),
      images: parts.flatMap((part) => imageOf(part) ?? []),
    })
  }

  /** The summary may come with the record after the boundary, or not at all. */
  function flushCompaction(summary: string | null): void {
    if (!isCompacting && summary === null) return
    isCompacting = false
    builder.addCompaction(summary ?? '')
    context.onCompacted()
  }

  return { map, facts, flushCompaction }
}

/** Limit of inputs kept for calls without a result; the oldest are dropped. */
const waitingInputsMax = 1_000

const stopPattern = /^\[Request interrupted by user[^\]\n]{0,40}\]$/

/** Claude Code's reference to a large result that it stored in a file. */
const storedPattern =
  /^<persisted-output>[\s\S]{0,200}?Full output saved to: ([^\n]{1,4000}\.(?:txt|json))\n/
const agentIdPattern = /\bagentId: ([\w-]{1,80})/

/** The path of the file with the complete result; null: the record has all of it. */
const storedIn = (block: Record<string, unknown>): string | null =>
  storedPattern.exec(textOf(partsOf(block)))?.[1] ?? null

const partsOf = ({ content }: Record<string, unknown>): Record<string, unknown>[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : records(content)

const textOf = (blocks: Record<string, unknown>[]): string =>
  blocks.flatMap((block) => (typeof block.text === 'string' ? block.text : [])).join('\n')

function imageOf({ type, source }: Record<string, unknown>): BuiltImage | null {
  const { type: form, media_type, data } = asRecord(source)
  if (type !== 'image' || form !== 'base64') return null
  if (typeof media_type !== 'string' || typeof data !== 'string') return null
  return { mediaType: media_type, data: Buffer.from(data, 'base64') }
}

/** Whether a text is output of a built-in command or of a background task, not a prompt. */
const isToolOutput = (value: string): boolean =>
  /^\s*<(?:local-command-(?:stdout|stderr|caveat)|task-notification)>/.test(value)

/** Restores a slash command, `/name arguments`, from its recorded form. */
function commandText(value: string): string {
  const [, name] =
    /^\s*(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>([^<]+)<\/command-name>/.exec(
      value,
    ) ?? []
  if (name === undefined) return value
  const [, args = ''] = /<command-args>([\s\S]*?)<\/command-args>/.exec(value) ?? []
  return `${name.startsWith('/') ? '' : '/'}${name} ${args}`.trim()
}
