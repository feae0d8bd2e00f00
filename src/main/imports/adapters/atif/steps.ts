/** Maps the steps of one ATIF trajectory to entries. */
import type { AwaitedTask } from '../../../../shared/agents/tools.ts'
import type { ToolCallId } from '../../../../shared/records/ids.ts'
import { noUsage, type Usage } from '../../../../shared/records/usage.ts'
import type { BuiltImage, TranscriptBuilder } from '../../transcript/transcript-builder.ts'
import { asRecord, count, isRecord, records, text, timeOf } from '../values.ts'

/** A result's reference to the sub-agent that its call started. */
interface SubAgentRef {
  trajectoryId: string | null
  path: string | null
}

interface MapperContext {
  builder: TranscriptBuilder
  /** The model of the trajectory's agent; null: unknown. */
  model: string | null
  /** Called for a result that references a sub-agent. Returns its summary; null: not in the document. */
  onSubAgent(ref: SubAgentRef, callId: ToolCallId | null, report: string | null): AwaitedTask | null
  /** The image at a path in the step; null: missing. */
  image(path: string): BuiltImage | null
}

/** Fields that the format defines for steps, calls and results; others are preserved verbatim. */
const stepFields = new Set([
  'step_id',
  'timestamp',
  'source',
  'model_name',
  'message',
  'reasoning_content',
  'tool_calls',
  'observation',
  'metrics',
  'is_copied_context',
])
const callFields = new Set(['tool_call_id', 'function_name', 'arguments'])
const resultFields = new Set(['source_call_id', 'content', 'subagent_trajectory_ref'])

export type StepMapper = ReturnType<typeof createStepMapper>

export function createStepMapper({ builder, model: ownModel, onSubAgent, image }: MapperContext) {
  const facts = {
    prompt: null as string | null,
    /** Text of the agent's last message; null if other steps follow it. */
    lastText: null as string | null,
    hasMetrics: false,
    startedAtMs: null as number | null,
  }

  /** Returns false for an unmapped step, which the caller preserves verbatim. */
  function map(line: number, step: Record<string, unknown>): boolean {
    const at = timeOf(step.timestamp)
    facts.startedAtMs ??= at
    builder.setPlace({ atMs: at, cwd: null, branch: null })
    if (step.source === 'agent') agent(line, step)
    else if (step.source === 'user') user(step)
    else if (step.source === 'system' && isCompaction(step))
      builder.addCompaction(shown(step.message))
    else return false
    const others = without(step, stepFields)
    if (others) builder.preserve(line, { step_id: step.step_id, ...others }, { isQuiet: true })
    return true
  }

  function user(step: Record<string, unknown>): void {
    const parts = partsOf(step.message)
    const said = parts.filter((part) => typeof part === 'string').join('\n')
    builder.addPrompt(
      parts.some((part) => typeof part !== 'string') ? parts.filter((part) => part !== '') : [said],
      null,
    )
    facts.prompt ??= said
    facts.lastText = null
    results(step, [], 0)
  }

  function agent(line: number, step: Record<string, unknown>): void {
    const messageId = `step ${line} ${JSON.stringify(step.step_id)}`
    const origin = { messageId, uuid: null }
    const model = text(step.model_name) ?? ownModel
    const isCopied = step.is_copied_context === true
    // The usage of copied steps is counted in the original trajectory.
    const usage = isCopied ? null : usageOf(step.metrics)
    facts.hasMetrics ||= usage !== null
    builder.setUsage(messageId, { usage, model, stop: null, uuid: null })
    const thought = shown(step.reasoning_content)
    if (thought !== '') builder.addText({ type: 'reasoning', text: thought }, origin)
    const said = shown(step.message)
    if (said !== '') builder.addText({ type: 'text', text: said }, origin)
    const calls: string[] = []
    for (const call of records(step.tool_calls)) {
      const callId = text(call.tool_call_id) ?? `${messageId} call ${calls.length}`
      const name = text(call.function_name) ?? 'tool'
      builder.beginCall({ callId, name, input: call.arguments }, origin)
      calls.push(callId)
      const others = without(call, callFields)
      if (others) builder.preserve(line, { tool_call_id: callId, ...others }, { isQuiet: true })
    }
    results(step, calls, line)
    facts.lastText = calls.length === 0 && said !== '' ? said : null
  }

  function results(step: Record<string, unknown>, calls: string[], line: number): void {
    for (const result of records(asRecord(step.observation).results)) {
      const [only] = calls
      const callId = text(result.source_call_id) ?? (calls.length === 1 ? only : undefined)
      const open = callId === undefined ? null : builder.openCall(callId)
      const parts = partsOf(result.content)
      const output = parts.filter((part) => typeof part === 'string').join('\n')
      const agents = records(result.subagent_trajectory_ref).flatMap((ref) => {
        const { trajectory_id, trajectory_path, session_id } = ref
        // Versions before 1.7 reference the session id.
        const trajectoryId = text(trajectory_id) ?? text(session_id)
        const given = { trajectoryId, path: text(trajectory_path) }
        return onSubAgent(given, open?.id ?? null, output === '' ? null : output) ?? []
      })
      if (open && callId !== undefined)
        builder.endCall({
          callId,
          output,
          outcome: 'ok',
          images: parts.filter((part) => typeof part !== 'string'),
          detail: agents.length > 0 ? { kind: 'tasks', tasks: agents } : null,
        })
      const others = open ? without(result, resultFields) : result
      if (others) builder.preserve(line, { step_id: step.step_id, result: others })
    }
  }

  /** Texts and images; a missing image is replaced by its name. */
  function partsOf(given: unknown): (string | BuiltImage)[] {
    if (!Array.isArray(given)) return [shown(given)]
    return given.map((part: unknown) => {
      const path = imagePath(part)
      return (path === null ? null : image(path)) ?? shown([part])
    })
  }

  return { map, facts }
}

/** The paths of the images in a step. */
export const imagesIn = (step: Record<string, unknown>): string[] =>
  [step.message, ...records(asRecord(step.observation).results).map(({ content }) => content)]
    .flatMap((content) => (Array.isArray(content) ? content : []))
    .flatMap((part: unknown) => imagePath(part) ?? [])

const imagePath = (part: unknown): string | null =>
  isRecord(part) && part.type === 'image' ? text(asRecord(part.source).path) : null

const isCompaction = ({ extra }: Record<string, unknown>): boolean =>
  asRecord(asRecord(extra).context_management).type === 'compaction'

/** Converts a text, or text and image parts, to text. Images are replaced by their paths. */
function shown(given: unknown): string {
  if (typeof given === 'string') return given
  if (given === null || given === undefined) return ''
  if (!Array.isArray(given)) return JSON.stringify(given)
  return given
    .map((part: unknown) => {
      if (!isRecord(part)) return text(part) ?? JSON.stringify(part)
      const { media_type, path } = asRecord(part.source)
      if (part.type === 'image') return `[${text(media_type) ?? 'image'}: ${text(path) ?? '?'}]`
      return text(part.text) ?? JSON.stringify(part)
    })
    .join('\n')
}

/** The fields that are not in `known`; null: none. */
function without(
  record: Record<string, unknown>,
  known: ReadonlySet<string>,
): Record<string, unknown> | null {
  const others = Object.entries(record).filter(
    ([key, value]) => !known.has(key) && value !== null && value !== undefined,
  )
  return others.length === 0 ? null : Object.fromEntries(others)
}

/** In US dollars. Larger numbers are no costs, and sums of them could be infinite. */
const costMax = 1e9

/** Null: no metrics. Uses the cost in the document, because its models are in no price list. */
function usageOf(given: unknown): Usage | null {
  if (!isRecord(given)) return null
  const cost = given.cost_usd
  const costUsd = typeof cost === 'number' && cost >= 0 && cost <= costMax ? cost : null
  const [inputTokens, outputTokens] = [count(given.prompt_tokens), count(given.completion_tokens)]
  return {
    ...noUsage,
    inputTokens,
    outputTokens,
    costUsd,
    cacheReadTokens: Math.min(count(given.cached_tokens), inputTokens),
    pricedBy: costUsd === null ? null : 'agent',
    unpriced: costUsd === null && inputTokens + outputTokens > 0,
    complete: given.prompt_tokens !== undefined && given.completion_tokens !== undefined,
  }
}

/**
 * The usage of a whole trajectory, used if its steps have none. Null: no metrics. Its total cost includes that of its
 * sub-agents, whose totals are `below`.
 */
export function totalUsageOf(given: unknown, below: unknown[]): Usage | null {
  if (!isRecord(given)) return null
  const total = given.total_cost_usd
  const costBelow = below.reduce<number>((sum, one) => sum + costOf(asRecord(one)), 0)
  return usageOf({
    prompt_tokens: given.total_prompt_tokens,
    completion_tokens: given.total_completion_tokens,
    cached_tokens: given.total_cached_tokens,
    // A tool that leaves the sub-agents out of the total is not charged for them.
    cost_usd: typeof total === 'number' && total >= costBelow ? total - costBelow : total,
  })
}

const costOf = ({ total_cost_usd: cost }: Record<string, unknown>): number =>
  typeof cost === 'number' && Number.isFinite(cost) ? cost : 0
