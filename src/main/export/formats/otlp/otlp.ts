/**
 * OpenTelemetry spans of a tree of agents, in OTLP JSON (`TracesData`), following the semantic conventions for
 * generative AI. Spans are generated from the journals, so none is missing: one `invoke_agent` span per task, with a
 * `chat` span per turn and an `execute_tool` span per call below it. A sub-agent's span is a child of the call that
 * started it.
 */

import { formatCause } from '../../../../shared/records/causes.ts'
import type { Entry } from '../../../../shared/records/entries.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { type ExportRun, exportedChildren, redacted } from '../../export-run.ts'
import { conversation, type Turn } from '../../turns.ts'
import { inputMessages, type Message, outputMessages } from './messages.ts'
import {
  type Attributes,
  attributesOf,
  type Span,
  type SpanEvent,
  spanIdOf,
  spanKinds,
  spanText,
  traceIdOf,
  usageAttributes,
} from './spans.ts'

/** The revision of the conventions, which are still in development. Written into every file. */
const conventions =
  'https://github.com/open-telemetry/semantic-conventions-genai/tree/e8fc5751506258db1459d1bde47994e01dee922e'

export async function* otlp(run: ExportRun): AsyncGenerator<string> {
  const root = run.source.task(run.rootId)
  const project = redacted(run, run.source.projectName(root), root.id)
  const resource = {
    attributes: attributesOf({
      'service.name': 'shiplog',
      'service.version': run.version,
      'shiplog.project': project,
    }),
  }
  const scope = {
    name: 'shiplog',
    version: run.version,
    attributes: attributesOf({ 'shiplog.conventions': conventions }),
  }
  yield `{"resourceSpans":[{"resource":${JSON.stringify(resource)},"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[`
  let spans = 0
  for await (const span of taskSpans(run, root, null))
    yield `${spans++ === 0 ? '' : ','}\n${spanText(span)}`
  yield '\n]}]}]}\n'
}

/** The spans of a task and its sub-agents. The task's own span comes last, because it contains events of all turns. */
async function* taskSpans(
  run: ExportRun,
  task: Task,
  parentSpanId: string | null,
): AsyncGenerator<Span> {
  run.result.tasks++
  const about = { traceId: traceIdOf(run.rootId), agentSpanId: spanIdOf(task.id) }
  const startMs = Date.parse(task.startedAt ?? task.createdAt)
  const seen: Seen = { events: [], calls: new Set(), firstMs: startMs, lastMs: startMs }
  const children = exportedChildren(run, task.id)
  const isSummary = run.request.children === 'summary' && task.id !== run.rootId
  if (!isSummary) yield* turnSpans(run, task, about, seen)
  yield {
    traceId: about.traceId,
    spanId: about.agentSpanId,
    parentSpanId,
    name: `invoke_agent ${task.agent}`,
    kind: spanKinds.internal,
    startMs: Math.min(startMs, seen.firstMs),
    endMs: Math.max(task.endedAt === null ? 0 : Date.parse(task.endedAt), seen.lastMs),
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': providerOf(task),
      'gen_ai.agent.id': task.id,
      'gen_ai.agent.name': task.agent,
      'gen_ai.conversation.id': run.rootId,
      'gen_ai.request.model': modelOf(task.model),
      ...usageAttributes(task.usage),
      'shiplog.task.title': redacted(run, task.title, task.id),
      'shiplog.task.status': task.status,
      'shiplog.task.url': `shiplog://task/${task.id}`,
      ...(task.cause && { 'error.type': task.cause.kind }),
    },
    events: seen.events,
    error: task.cause && redacted(run, formatCause(task.cause), task.id),
  }
  for (const child of children) {
    const call = child.callId !== null && seen.calls.has(child.callId) ? child.callId : null
    yield* taskSpans(run, child, call ? spanIdOf(task.id, call) : about.agentSpanId)
  }
}

/** Facts about a task, collected from the spans of its turns. */
interface Seen {
  events: SpanEvent[]
  /** Calls that have a span. */
  calls: Set<string>
  firstMs: number
  lastMs: number
}

async function* turnSpans(
  run: ExportRun,
  task: Task,
  about: { traceId: string; agentSpanId: string },
  seen: Seen,
): AsyncGenerator<Span> {
  /** The earliest start of the next turn, in milliseconds since the epoch; null: unknown. */
  let readyMs: number | null = null
  let news: Message[] = []
  let turns = 0
  for await (const part of conversation(run, task)) {
    if (part.kind === 'prompt') {
      const ms = Date.parse(part.message.timestamp)
      readyMs = reach(seen, ms)
      if (run.request.content) news.push(...inputMessages(part.message))
      continue
    }
    if (part.kind === 'other') {
      const event = eventOf(run, task.id, part.entry)
      if (event) seen.events.push(event)
      if (part.entry.type === 'run-start') readyMs = reach(seen, part.entry.at)
      if (part.entry.type === 'run-end') reach(seen, part.entry.at)
      continue
    }
    const tools = part.calls.map((call) => toolSpan(run, task, about, call))
    const chat = chatSpan(part, tools, readyMs, news)
    for (const span of [chat, ...tools]) {
      reach(seen, span.startMs)
      readyMs = reach(seen, span.endMs)
      yield span
    }
    for (const { call } of part.calls) if (call) seen.calls.add(call.callId)
    news = run.request.content ? inputMessages(part) : []
  }

  function chatSpan(turn: Turn, tools: Span[], fromMs: number | null, input: Message[]): Span {
    const { message } = turn
    const firstCallMs = tools[0]?.startMs
    const endMs =
      message && (firstCallMs === undefined || isAgentSide(turn))
        ? Date.parse(message.timestamp)
        : (firstCallMs ?? fromMs ?? 0)
    const model = modelOf(message?.model ?? task.model)
    const isWhole = message?.status === 'complete'
    return {
      traceId: about.traceId,
      spanId: spanIdOf(task.id, 'turn', `${turns++}`),
      parentSpanId: about.agentSpanId,
      name: model === undefined ? 'chat' : `chat ${model}`,
      kind: spanKinds.client,
      startMs: Math.min(fromMs ?? endMs, endMs),
      endMs,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerOf(task, message?.model),
        'gen_ai.conversation.id': run.rootId,
        'gen_ai.request.model': modelOf(task.model) ?? model,
        'gen_ai.response.model': model,
        'gen_ai.response.finish_reasons': message?.stop === undefined ? undefined : [message.stop],
        ...usageAttributes(message?.usage),
        ...(message && { 'shiplog.entry.seq': message.seq }),
        ...(!isWhole && { 'error.type': message?.status ?? 'interrupted' }),
        ...(run.request.content && {
          'gen_ai.input.messages': JSON.stringify(input),
          'gen_ai.output.messages': JSON.stringify([outputMessages(turn)]),
        }),
      },
      events: [],
      error: isWhole ? null : 'The turn was cut short.',
    }
  }
}

function toolSpan(
  run: ExportRun,
  task: Task,
  about: { traceId: string; agentSpanId: string },
  { call, result }: Turn['calls'][number],
): Span {
  const name = call?.name ?? result?.name ?? 'unknown'
  const callId = call?.callId ?? result?.callId ?? ''
  const endMs = result?.at ?? call?.at ?? 0
  const startMs = call?.at ?? endMs - (result?.durationMs ?? 0)
  const isOk = result?.outcome === 'ok'
  return {
    traceId: about.traceId,
    spanId: spanIdOf(task.id, callId),
    parentSpanId: about.agentSpanId,
    name: `execute_tool ${name}`,
    kind: spanKinds.internal,
    startMs: Math.min(startMs, endMs),
    endMs,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': callId,
      // In the conventions, `function` is a tool that the agent runs, not its provider.
      'gen_ai.tool.type': 'function',
      ...(call && { 'shiplog.entry.seq': call.seq }),
      ...(!isOk && { 'error.type': result?.outcome ?? 'unknown' }),
      ...(run.request.content && {
        'gen_ai.tool.call.arguments': call ? JSON.stringify(call.input) : undefined,
        'gen_ai.tool.call.result': result?.output,
      }),
    },
    events: [],
    error: isOk
      ? null
      : result?.outcome === 'error'
        ? 'The call failed.'
        : 'The outcome is unknown.',
  }
}

/** Whether the agent executed the calls itself, in which case its turn includes their duration. */
const isAgentSide = ({ calls }: Turn): boolean => calls.some(({ call }) => call?.by === 'agent')

/** Converts an entry between turns to a span event. Null: the entry has no event. */
function eventOf(run: ExportRun, taskId: TaskId, entry: Entry): SpanEvent | null {
  const event = (name: string, attributes: Attributes = {}): SpanEvent => ({
    name: `shiplog.${name}`,
    ms: entry.at,
    attributes: { 'shiplog.entry.seq': entry.seq, ...attributes },
  })
  switch (entry.type) {
    case 'run-start':
      return event('run.start', { 'shiplog.run': entry.run, 'shiplog.run.reason': entry.reason })
    case 'run-end':
      return event('run.end', {
        'shiplog.run': entry.run,
        'shiplog.run.status': entry.status,
        ...(entry.cause && {
          'error.type': entry.cause.kind,
          'shiplog.run.cause': redacted(run, formatCause(entry.cause), taskId),
        }),
      })
    case 'resume':
      return event('resume', { 'shiplog.drift': entry.drift })
    case 'compaction':
      return event('compaction')
    case 'retrying':
      return event('retry', { 'error.type': entry.cause.kind })
    default:
      return null
  }
}

function reach(seen: Seen, ms: number): number {
  seen.firstMs = Math.min(seen.firstMs, ms)
  seen.lastMs = Math.max(seen.lastMs, ms)
  return ms
}

/** Provider names in the conventions; our own name where they define none. */
const providers: Record<string, string> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'gcp.gemini',
}

/** The provider, which every span requires. An agent without a known model is its own provider. */
function providerOf(task: Task, model: string | null | undefined = task.model): string {
  const slash = (model ?? task.model ?? '').indexOf('/')
  const named = (model ?? task.model ?? '').slice(0, Math.max(slash, 0))
  if (named !== '') return providers[named] ?? named
  return task.spec.kind === 'scripted' ? 'shiplog' : task.agent
}

/** The model without its provider, which is a separate attribute. */
function modelOf(model: string | null | undefined): string | undefined {
  if (model == null) return undefined
  const slash = model.indexOf('/')
  return Object.hasOwn(providers, model.slice(0, Math.max(slash, 0)))
    ? model.slice(slash + 1)
    : model
}
