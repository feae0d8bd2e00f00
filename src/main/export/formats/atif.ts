/**
 * ATIF-v1.7, Harbor's Agent Trajectory Interchange Format (RFC 0001): one JSON document. Each sub-agent is a separate
 * trajectory, embedded in its parent's and referenced by the result of its call. Data without a field in the format is
 * stored under `extra`.
 */
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { addUsage, type Usage } from '../../../shared/records/usage.ts'
import { type ExportRun, exportedChildren, redacted } from '../export-run.ts'
import { type Conversation, conversation, type Turn, textOf } from '../turns.ts'

export async function* atif(run: ExportRun): AsyncGenerator<string> {
  yield* trajectory(run, run.source.task(run.rootId))
  yield '\n'
}

async function* trajectory(run: ExportRun, task: Task): AsyncGenerator<string> {
  run.result.tasks++
  const children = exportedChildren(run, task.id)
  const about = {
    schema_version: 'ATIF-v1.7',
    session_id: run.rootId,
    trajectory_id: task.id,
    agent: {
      name: task.agent,
      version: run.version,
      ...(task.model !== null && { model_name: task.model }),
    },
  }
  yield `${JSON.stringify(about).slice(0, -1)},"steps":[`
  const isSummary = run.request.children === 'summary' && task.id !== run.rootId
  let steps = 0
  for await (const step of isSummary ? summarySteps(run, task) : stepsOf(run, task, children))
    yield `${steps++ === 0 ? '' : ','}\n${JSON.stringify({ step_id: steps, ...step })}`
  // The format requires at least one step per trajectory.
  if (steps === 0) {
    steps++
    yield JSON.stringify({ step_id: 1, source: 'system', message: 'No entries.' })
  }
  yield `],"final_metrics":${JSON.stringify(finalMetrics(run, task, steps))}`
  if (children.length > 0) {
    yield ',"subagent_trajectories":['
    for (const [nth, child] of children.entries()) {
      if (nth > 0) yield ','
      yield* trajectory(run, child)
    }
    yield ']'
  }
  const title = redacted(run, task.title, task.id)
  const { status, startedAt, endedAt } = task
  const report = task.hasReport ? await run.source.report(task.id) : null
  const extra = {
    title,
    status,
    startedAt,
    endedAt,
    ...(report && { report: redacted(run, report.reportMarkdown, task.id) }),
  }
  yield `,"extra":${JSON.stringify(extra)}}`
}

async function* stepsOf(run: ExportRun, task: Task, children: Task[]): AsyncGenerator<object> {
  for await (const part of conversation(run, task)) {
    const step = stepOf(run, part, children)
    if (step) yield step
  }
}

async function* summarySteps(run: ExportRun, task: Task): AsyncGenerator<object> {
  yield { source: 'user', message: redacted(run, task.prompt, task.id) }
  const report = await run.source.report(task.id)
  if (report) yield { source: 'agent', message: redacted(run, report.reportMarkdown, task.id) }
}

/** Null: the entry is not part of the conversation. */
function stepOf(run: ExportRun, part: Conversation, children: Task[]): object | null {
  if (part.kind === 'prompt') {
    const { message } = part
    const source = message.by === 'shiplog' ? 'system' : 'user'
    return { timestamp: message.timestamp, source, message: textOf(message, 'text') }
  }
  if (part.kind === 'turn') return turnStep(run, part, children)
  const { entry } = part
  if (entry.type !== 'compaction') return null
  const timestamp = new Date(entry.at).toISOString()
  const extra = { context_management: { type: 'compaction', boundary: 'replace' } }
  return { timestamp, source: 'system', message: entry.summary, extra }
}

function turnStep(run: ExportRun, { message, calls }: Turn, children: Task[]): object {
  const reasoning = message ? textOf(message, 'reasoning') : ''
  const at = calls[0]?.call?.at ?? calls[0]?.result?.at ?? 0
  const named = calls.flatMap(({ call }) => call ?? [])
  return {
    timestamp: message?.timestamp ?? new Date(at).toISOString(),
    source: 'agent',
    ...(message?.model && { model_name: message.model }),
    message: message ? textOf(message, 'text') : '',
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(named.length > 0 && {
      tool_calls: named.map(({ callId, name, input }) => ({
        tool_call_id: callId,
        function_name: name,
        arguments: asObject(input),
      })),
    }),
    ...(calls.length > 0 && { observation: { results: calls.map(resultOf) } }),
    ...(message?.usage && { metrics: metrics(message.usage) }),
    ...(message?.status !== 'complete' && { extra: { status: message?.status ?? 'interrupted' } }),
  }

  function resultOf({ call, result }: Turn['calls'][number]): object {
    const callId = call?.callId ?? result?.callId
    const started = children.filter((child) => child.callId === callId)
    return {
      source_call_id: call?.callId ?? null,
      content: result?.output ?? null,
      ...(started.length > 0 && {
        subagent_trajectory_ref: started.map(({ id }) => ({
          trajectory_id: id,
          session_id: run.rootId,
        })),
      }),
    }
  }
}

const asObject = (input: unknown): object =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input }

const metrics = (usage: Usage): object => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  cached_tokens: usage.cacheReadTokens,
  ...(usage.costUsd !== null && { cost_usd: usage.costUsd }),
})

/** The tokens are the trajectory's own; the cost includes its sub-agents, exported or not, as the format requires. */
function finalMetrics(run: ExportRun, task: Task, steps: number): object {
  const { usage } = task
  const { costUsd } = usageBelow(run, task)
  return {
    total_prompt_tokens: usage.inputTokens,
    total_completion_tokens: usage.outputTokens,
    total_cached_tokens: usage.cacheReadTokens,
    ...(costUsd !== null && { total_cost_usd: costUsd }),
    total_steps: steps,
  }
}

const usageBelow = (run: ExportRun, { id, usage }: Task): Usage =>
  run.source
    .children(id)
    .map((child) => usageBelow(run, child))
    .reduce(addUsage, usage)
