/** Executes one run of an agent and records each step in the session, from the prompt to the end of the run. */

import type { AgentSession } from '../../shared/agents/driver/agent-session.ts'
import type { Cause } from '../../shared/records/causes.ts'
import { runIdOf } from '../../shared/records/ids.ts'
import type { Usage } from '../../shared/records/usage.ts'
import { createFileChanges } from './changes/file-changes.ts'
import { recordedAttributions } from './changes/recorded-attributions.ts'
import { givenPrompt, promptFor } from './first-prompt.ts'
import { causeOf } from './interruption.ts'
import { pastOfSession } from './past.ts'
import { createRecorder, type Recorder } from './recording/recorder.ts'
import { createUsageSum } from './recording/run-usage.ts'
import type { RunOptions } from './run-options.ts'
import { openRun, type RunStart, startOf } from './run-start.ts'
import { summaryOf } from './run-summary.ts'
import { type CallState, createToolCalls, type Recording, type ToolCalls } from './tool-calls.ts'
import { settledUntilStopped, stopGraceMs, untilStopped, withinGrace } from './until-stopped.ts'

export interface RunOutcome {
  status: 'completed' | 'interrupted' | 'failed'
  cause: Cause | null
  usage: Usage
}

/**
 * Runs the agent and records how its run ended. An external cause (stop, quit, disk error) makes the run
 * `interrupted`; `failed` means that the agent reported a failure, or that a sub-agent ended without a report (T3).
 * Rejects only if the end of the run can't be recorded.
 */
export async function executeRun(request: RunOptions): Promise<RunOutcome> {
  const { session, task, run } = request
  const runId = runIdOf(task.id, run)
  const own = await pastOfSession(session)
  const start = startOf(request, own)
  const prompt = promptFor(task, request.prompt, start.wasAsked)
  // The agent gets the same text as the record (K3).
  const options = { ...request, prompt: { ...prompt, text: request.secrets.text(prompt.text) } }
  await openRun(options, runId, start)
  const usage = createUsageSum(task.spec, options.limits.used)
  const fileChanges = createFileChanges({
    session,
    recorded: recordedAttributions([...options.lineage, own]),
    treeBefore: start.treeBefore,
    readTexts: async (names) => (await snapshots?.readTexts(names)) ?? new Map(),
  })
  const snapshots = options.snapshots(start.lastTree, fileChanges.byCommands)
  const callState: CallState = { shell: start.shell, isElsewhere: false, report: null }
  const snapshotsHere = () => (callState.isElsewhere ? null : snapshots)
  const recorder = createRecorder({
    session,
    sessionId: task.id,
    runId,
    turnsBefore: start.turns,
    cwd: () => callState.shell.cwd,
    gitBranch: () => options.gitBranch(callState.isElsewhere ? callState.shell.cwd : undefined),
    clock: options.clock,
    mask: options.secrets,
    beforeTool: async (call) => (await snapshotsHere()?.beforeTool(call)) ?? null,
    afterTool: async (call) => (await snapshotsHere()?.afterTool(call)) ?? null,
    onUsage: usage.add,
    afterTurn: async (turn) => snapshotsHere()?.afterTurn(turn),
  })
  const end = await playRun(options, start, { recorder, callState, fileChanges }).catch((error) =>
    interrupted(options, error),
  )
  await recorder.interrupt()
  await snapshots?.atEnd(end.status)
  const summary =
    callState.report && end.status === 'completed' ? [summaryOf(callState.report)] : []
  await session.append(...summary, { type: 'run-end', runId, run, ...end })
  return { ...end, usage: usage.total() }
}

type RunEnd = Pick<RunOutcome, 'status' | 'cause'>

async function playRun(
  options: RunOptions,
  start: RunStart,
  recording: Recording,
): Promise<RunEnd> {
  const { signal } = options
  const setUp = await options.setUpWorktree()
  if (setUp) await options.session.append({ type: 'set-up', ...setUp })
  const agent = await openAgentSession(options, start)
  const calls = createToolCalls(options, start.reported, recording)
  const cancel = () => void agent.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const failure = await playEvents(agent, options, recording.recorder, calls)
    // The recorder's `interrupt` keeps the text of a turn that was ended from outside.
    if (failure && failure.kind !== 'said') return { status: 'interrupted', cause: failure }
    await recording.recorder.endTurn()
    if (failure) return { status: 'failed', cause: failure }
  } finally {
    signal.removeEventListener('abort', cancel)
    await withinGrace(agent.close(), options.graceMs)
    await options.endProcesses()
  }
  if (calls.reported() || options.task.parentId === null)
    return { status: 'completed', cause: null }
  return { status: 'failed', cause: { kind: 'no-report' } }
}

function openAgentSession(options: RunOptions, start: RunStart): Promise<AgentSession> {
  const { signal, graceMs = stopGraceMs } = options
  const opening = options.openAgent({
    taskId: options.task.id,
    run: options.run,
    cwd: options.workingDir,
    env: options.environment,
    history: start.history,
    changesSinceStop: options.opening.flatMap((entry) =>
      entry.type === 'resume' ? entry.drift : [],
    ),
    mustReport: options.task.parentId !== null,
    readsRecord: options.readsRecord ?? false,
    permissions: options.permissions.mode,
    ...(options.sandboxInForce && { sandbox: options.sandboxInForce }),
    resume: start.agentSession,
    resumeCost: start.agentSessionCost,
    signal,
  })
  const onLate = (agent: AgentSession) => void agent.close().catch(() => undefined)
  return settledUntilStopped(opening, { signal, graceMs, onLate })
}

/** Handles the agent's events. Resolves with the cause of a failure, else null. Rejects with the signal's reason. */
async function playEvents(
  agent: AgentSession,
  options: RunOptions,
  recorder: Recorder,
  calls: ToolCalls,
): Promise<Cause | null> {
  const { signal } = options
  try {
    const running = agent.run(await givenPrompt(options.prompt, options.session), calls.host)
    for await (const event of untilStopped(running, signal, options.graceMs ?? stopGraceMs)) {
      signal.throwIfAborted()
      if (event.type === 'failed') return event.cause
      options.onProgress?.()
      if (event.type === 'moved') {
        calls.moved(event.cwd)
        continue
      }
      if (event.type === 'turn-started') options.onActivity('Thinking')
      if (event.type === 'retrying') options.onActivity('Waiting to try again')
      if (event.type === 'part-delta' && event.kind === 'text') options.onActivity('Writing')
      calls.observe(event)
      await recorder.event(event)
    }
    signal.throwIfAborted()
    return null
  } finally {
    // No tool call may outlive the run, however it ends.
    await calls.settle()
  }
}

function interrupted(options: RunOptions, error: unknown): RunEnd {
  const { signal } = options
  return { status: 'interrupted', cause: causeOf(signal.aborted ? signal.reason : error) }
}
