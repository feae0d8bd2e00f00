/** The tools for sub-agents. They decide nothing themselves; the services do (TaskToolsPort). */
import type { ToolContext } from '../../../shared/agents/driver/tool-context.ts'
import type { ToolResult } from '../../../shared/agents/driver/tool-result.ts'
import {
  type ApplyOutcome,
  type AwaitedTask,
  appliedFileLine,
  convertedLines,
} from '../../../shared/agents/tools.ts'
import { untilAborted } from '../../../shared/async/until-aborted.ts'
import { isSettled } from '../../../shared/records/tasks/task-status.ts'
import { notCarriedLines } from '../../../shared/text/not-carried.ts'
import {
  JournalClosedError,
  JournalQueueFullError,
  JournalWriteError,
} from '../../journal/index.ts'
import { durationExpected, parseDuration } from '../duration.ts'
import { describeTask, describeTasks } from './describe-tasks.ts'
import { type Tool, ToolError } from './tool.ts'

/** Starts a sub-agent. Resolves with its report, or at once in the background. */
export const task: Tool<'task'> = async (input, context) => {
  context.signal.throwIfAborted()
  // Not aborted when the run is interrupted, so that the start is recorded or undone before the run ends.
  const { taskId } = await withToolErrors(
    context.tasks.spawn(input, context.callId),
    context.signal,
  )
  const { title, agent } = input
  if (input.background) {
    const started = { taskId, title, agent, status: 'queued', cause: null, report: null } as const
    return {
      outcome: 'ok',
      output: `Started in the background: "${title}" (${agent}), task ${taskId}. task_await gives its report.`,
      detail: { kind: 'tasks', tasks: [started] },
    }
  }
  const { signal, stopWaiting } = context
  const awaited = await callPort(context, (tasks) => tasks.await([taskId], { signal, stopWaiting }))
  // A task that still runs has not failed.
  const isWell = awaited.every(({ status }) => status === 'completed' || isWorking(status))
  return { ...answerOf(awaited, stopWaiting), outcome: isWell ? 'ok' : 'error' }
}

/** Waits for sub-agents and returns their reports; for those unfinished at the timeout, their status. */
export const taskAwait: Tool<'task_await'> = async ({ tasks: wanted, timeout }, context) => {
  const timeoutMs = typeof timeout === 'string' ? parseDuration(timeout) : timeout
  if (timeoutMs === null)
    throw new ToolError(`timeout: expected milliseconds or ${durationExpected}.`)
  const { signal, stopWaiting } = context
  const awaited = await callPort(context, (tasks) =>
    tasks.await(wanted, { timeoutMs, signal, stopWaiting }),
  )
  return answerOf(awaited, stopWaiting)
}

export const taskList: Tool<'task_list'> = async (_input, context) => {
  const tasks = await callPort(context, (port) => port.list())
  return {
    outcome: 'ok',
    output: tasks.map(describeTask).join('\n') || '[no sub-agents]',
    detail: { kind: 'tasks', tasks },
  }
}

export const taskStop: Tool<'task_stop'> = async (input, context) => {
  const stopped = await callPort(context, (tasks) => tasks.stop(input.task))
  return {
    outcome: 'ok',
    output: describeTask(stopped),
    detail: { kind: 'tasks', tasks: [stopped] },
  }
}

/** Applies a sub-agent's changes to the working directory. A conflict changes nothing. */
export const taskApplyPatch: Tool<'task_apply_patch'> = async (input, context) => {
  const applied = await callPort(context, (tasks) => tasks.applyPatch(input.task))
  return {
    outcome: applied.outcome.kind === 'conflict' ? 'error' : 'ok',
    output: describeApplied(applied.title, applied.outcome),
    detail: { kind: 'apply', ...applied },
  }
}

/** Ends the run with a report. Rejects if the report can't be recorded, which ends the run with an error (A6). */
export const agentReport: Tool<'agent_report'> = async (report, context) => {
  context.signal.throwIfAborted()
  // Not aborted when the run is interrupted, because nothing may write to a session that is being removed.
  await context.tasks.report(report)
  const { title, markdown } = report
  return {
    outcome: 'ok',
    output: `Reported: ${title}`,
    detail: { kind: 'report', title, markdown },
    endsRun: true,
  }
}

/** Settles as `call` does, or rejects as soon as the run is interrupted. */
function callPort<T>(
  { tasks, signal }: ToolContext,
  call: (tasks: ToolContext['tasks']) => Promise<T>,
): Promise<T> {
  return withToolErrors(untilAborted(call(tasks), signal), signal)
}

/** Converts a service's refusal to a ToolError, which the agent reads. A failure to write the record ends the run. */
async function withToolErrors<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await call
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Error) || isRecordFailure(error)) throw error
    throw new ToolError(error.message, error)
  }
}

const isRecordFailure = (error: Error): boolean =>
  error instanceof JournalWriteError ||
  error instanceof JournalQueueFullError ||
  error instanceof JournalClosedError

const isWorking = (status: AwaitedTask['status']): boolean =>
  !isSettled(status) && status !== 'blocked'

function answerOf(tasks: AwaitedTask[], stopWaiting?: AbortSignal): ToolResult {
  const blocked = tasks.filter(({ status }) => status === 'blocked').length
  const working = tasks.filter(({ status }) => isWorking(status)).length
  const notes = [
    ...(working > 0 ? [`[${working} of ${tasks.length} still running]`] : []),
    ...(blocked > 0 ? [`[${blocked} of ${tasks.length} blocked]`] : []),
    ...(working > 0 && stopWaiting?.aborted ? [stillRunning] : []),
  ]
  return {
    outcome: 'ok',
    output: [
      tasks.length > 0 ? describeTasks(tasks) : '[no sub-agents to wait for]',
      ...notes,
    ].join('\n\n'),
    detail: { kind: 'tasks', tasks },
  }
}

const stillRunning =
  'Still running, and not stopped. Call task_await to wait for the report; do not start it again.'

function describeApplied(title: string, outcome: ApplyOutcome): string {
  switch (outcome.kind) {
    case 'applied':
      return [
        `Applied the changes of "${title}":`,
        ...outcome.files.map(appliedFileLine),
        ...convertedLines(outcome),
        ...notCarriedLines(outcome.notCarried),
      ].join('\n')
    case 'nothing-to-apply':
      return `"${title}" changed no files.`
    case 'already-applied':
      return `The changes of "${title}" were applied before.`
    case 'conflict':
      return [`${outcome.message}\nIn conflict:`, ...outcome.paths].join('\n')
  }
}
