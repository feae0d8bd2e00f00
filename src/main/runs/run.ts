/** Executes one run of an agent and records each step in the session, from the prompt to the end of the run. */

import { isAbsolute, join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type {
  AgentHost,
  AgentSession,
  CommandSandbox,
  OpenAgent,
  RunTool,
  SessionHistory,
  ShellState,
  TaskToolsPort,
  ToolResult,
} from '../../shared/agents/agent.ts'
import type { AgentSessionRef } from '../../shared/agents/agent-records.ts'
import { type AgentSpec, usesModel } from '../../shared/agents/agent-specs.ts'
import type { RunPermissions } from '../../shared/agents/permissions.ts'
import { traitsOf } from '../../shared/agents/tool-traits.ts'
import { activityOf } from '../../shared/projections/describe-tool-call.ts'
import type { KnownTree, SessionState } from '../../shared/projections/transcript/session-state.ts'
import type { Cause } from '../../shared/records/causes.ts'
import type { EntryBody } from '../../shared/records/entries.ts'
import { type RunId, runIdOf } from '../../shared/records/ids.ts'
import type { RunSandbox } from '../../shared/records/sandbox.ts'
import type { Task } from '../../shared/records/tasks.ts'
import { addUsage, noUsage, type Usage, unknownUsage } from '../../shared/records/usage.ts'
import type { LearningMasker } from '../secrets/masker.ts'
import type { Session } from '../sessions/session.ts'
import { definitionEntryOf, refusalByDefinition } from './by-definition.ts'
import { createFileChanges, type FileChanges } from './file-changes.ts'
import { givenPrompt, isEmptyPrompt, type Prompt, promptFor } from './first-prompt.ts'
import { causeOf } from './interruption.ts'
import { continuedBy, firstOf, historyOf, type PastSession, pastOfSession } from './past.ts'
import { createPermits } from './permits.ts'
import { addPullRequestLinks, pullRequestLinks } from './pull-request-links.ts'
import { recordedAttributions } from './recorded-attributions.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { createTurnBoundary, messageTo, type RunLimits } from './run-limits.ts'
import { summaryOf } from './run-summary.ts'
import { mayChangeAnyFile } from './session-history.ts'
import { changeOfShell } from './shell-record.ts'
import type { RunSnapshots } from './snapshots.ts'
import { settledUntilStopped, untilStopped } from './until-stopped.ts'

export interface RunOptions {
  task: Task
  /** From 1. */
  run: number
  reason: 'prompt' | 'resume' | 'retry'
  /** Empty: the agent continues with the earlier prompts. */
  prompt: Prompt
  /** The sessions of the tasks that this one continues, oldest first (S3). */
  lineage: PastSession[]
  /** Entries of a resume, written with the start of the run (S7). */
  opening: EntryBody[]
  session: Session
  openAgent: OpenAgent
  runTool: RunTool
  /** Ends the processes that it left running, in any process group (G2). */
  endProcesses: () => Promise<void>
  permissions: RunPermissions
  taskTools: TaskToolsPort
  /** Its tree may read the record. */
  readsRecord?: boolean
  /** The working directory of its workspace. Absolute. */
  workingDir: string
  /** The environment of its shell before the first command. */
  environment: Record<string, string>
  /** Names of the variables that are withheld from agents (K2). */
  withheld: string[]
  /** Of its commands; absent: they run without one. */
  sandbox?: CommandSandbox
  /** Recorded with the start of the run where one was set, also when the system has none; absent: not known. */
  sandboxInForce?: RunSandbox
  secrets: LearningMasker
  signal: AbortSignal
  /** Time between the stop of an agent and the forced end of its run. Absent: `stopGraceMs`. */
  graceMs?: number
  clock: () => number
  gitBranch: () => Promise<string | null>
  /**
   * Prepares the worktree unless that was done. Null: there was nothing to run. `changed`: set-up files that an
   * agent changed; then the command was not run.
   */
  setUpWorktree: () => Promise<{ command: string; changed: string[] } | null>
  /** Records the state of the working directory after each turn. Null outside Git. */
  snapshots: (
    lastTree: KnownTree | null,
    onChanged: FileChanges['byCommands'],
  ) => RunSnapshots | null
  /** Called with what the agent is doing now, in one line. */
  onActivity: (activity: string) => void
  /** Called with each sign that the agent, or one of its tools, is at work. */
  onSign?: () => void
  limits: RunLimits
}

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
  const held: Held = { shell: start.shell, report: null }
  const recorder = createRecorder({
    session,
    sessionId: task.id,
    runId,
    turnsBefore: start.turns,
    cwd: () => held.shell.cwd,
    gitBranch: options.gitBranch,
    clock: options.clock,
    mask: options.secrets,
    beforeTool: async (call) => (await snapshots?.beforeTool(call)) ?? null,
    afterTool: async (call) => (await snapshots?.afterTool(call)) ?? null,
    onUsage: usage.add,
    afterTurn: async (turn) => snapshots?.afterTurn(turn),
  })
  const end = await playRun(options, start, { recorder, held, fileChanges }).catch((error) =>
    interrupted(options, error),
  )
  await recorder.interrupt()
  await snapshots?.atEnd(end.status)
  const summary = held.report && end.status === 'completed' ? [summaryOf(held.report)] : []
  await session.append(...summary, { type: 'run-end', runId, run, ...end })
  return { ...end, usage: usage.total() }
}

type RunEnd = Pick<RunOutcome, 'status' | 'cause'>

/** The history that the run continues, as it was before the run: the session's state changes with it. */
interface Start {
  history: SessionHistory
  /** The highest turn number, including interrupted turns. The next turn continues from it. */
  turns: number
  titled: boolean
  wasAsked: boolean
  inWorktree: boolean
  withheld: string[]
  reported: boolean
  shell: ShellState
  /** The reference to the agent's own record of the conversation, from the last run that has one. */
  agentSession: AgentSessionRef | null
  /** As its own runs left the working directory. */
  lastTree: KnownTree | null
  /** The same, or as the task that it continues left it. */
  treeBefore: string | null
}

function startOf(options: RunOptions, own: PastSession): Start {
  const past = [...options.lineage, own]
  const { state } = own
  return {
    history: historyOf(continuedBy(options.task.spec, past)),
    turns: Math.max(...past.map((one) => one.state.lastTurn)),
    titled: state.titled,
    wasAsked: state.prompt !== null,
    inWorktree: state.worktree !== null,
    withheld: state.withheld ?? [],
    reported: state.reported,
    shell: shellAtStart(options, state),
    agentSession: state.agentSession,
    lastTree: state.tree,
    treeBefore: firstOf(past.toReversed(), (one) => one.state.tree)?.tree ?? null,
  }
}

async function openRun(options: RunOptions, runId: RunId, start: Start): Promise<void> {
  const { session, task, run, reason } = options
  const { workspace } = task
  const opening: EntryBody[] = []
  // Checked separately: an earlier run may have crashed after writing only some of these entries.
  if (!start.titled) opening.push({ type: 'title', title: task.title })
  // A null session records the removal of the workspace. After a restore, the worktree is entered again.
  if (workspace?.isolation === 'worktree' && !start.inWorktree) {
    const worktreeSession = {
      originalCwd: task.projectDir,
      worktreePath: workspace.path,
      worktreeBranch: workspace.branch ?? '',
    }
    opening.push({ type: 'worktree-state', worktreeSession, sessionId: task.id })
  }
  await session.append(
    ...opening,
    {
      type: 'run-start',
      runId,
      run,
      reason,
      agent: task.agent,
      model: task.model,
      ...(options.permissions.mode && { permissions: options.permissions.mode }),
      // Only a sandbox that was asked for is worth a line.
      ...(hasSandboxSet(options) && { sandbox: options.sandboxInForce }),
      ...definitionEntryOf(task),
      ...newlyWithheld(options, start),
    },
    ...options.opening,
    ...(isEmptyPrompt(options.prompt)
      ? []
      : [await messageTo({ ...options, cwd: options.workingDir }, runId, options.prompt)]),
  )
}

/** Recorded once for each tree, in the transcript of its root, and again when the list changes. */
function newlyWithheld({ task, withheld }: RunOptions, start: Start) {
  if (task.parentId !== null) return {}
  return withheld.join() === start.withheld.join() ? {} : { withheld }
}

interface Recording {
  recorder: Recorder
  held: Held
  fileChanges: FileChanges
}

async function playRun(options: RunOptions, start: Start, recording: Recording): Promise<RunEnd> {
  const { signal } = options
  const setUp = await options.setUpWorktree()
  if (setUp) await options.session.append({ type: 'set-up', ...setUp })
  const agent = await opened(options, start)
  const calls = createToolCalls(options, start, recording)
  const cancel = () => void agent.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const failure = await untilItLeaves(agent, options, recording.recorder, calls)
    // What a turn had said that failed from outside is kept as cut short, when the recorder is closed.
    if (failure && failure.kind !== 'said') return { status: 'interrupted', cause: failure }
    await recording.recorder.endTurn()
    if (failure) return { status: 'failed', cause: failure }
  } finally {
    signal.removeEventListener('abort', cancel)
    await withinGrace(options, agent.close())
    await options.endProcesses()
  }
  if (calls.reported() || options.task.parentId === null)
    return { status: 'completed', cause: null }
  return { status: 'failed', cause: { kind: 'no-report' } }
}

const hasSandboxSet = ({ sandboxInForce }: RunOptions): boolean =>
  sandboxInForce !== undefined && sandboxInForce.setting !== 'off'

function opened(options: RunOptions, start: Start): Promise<AgentSession> {
  const { signal, graceMs = stopGraceMs } = options
  const opening = options.openAgent({
    taskId: options.task.id,
    cwd: options.workingDir,
    env: options.environment,
    history: start.history,
    changedMeanwhile: options.opening.flatMap((entry) =>
      entry.type === 'resume' ? entry.drift : [],
    ),
    mustReport: options.task.parentId !== null,
    readsRecord: options.readsRecord ?? false,
    permissions: options.permissions.mode,
    ...(options.sandboxInForce && { sandbox: options.sandboxInForce }),
    resume: start.agentSession,
    signal,
  })
  const onLate = (agent: AgentSession) => void agent.close().catch(() => undefined)
  return settledUntilStopped(opening, { signal, graceMs, onLate })
}

/** Handles the agent's events. Resolves with the cause of a failure, else null. Rejects with the signal's reason. */
async function untilItLeaves(
  agent: AgentSession,
  options: RunOptions,
  recorder: Recorder,
  calls: ReturnType<typeof createToolCalls>,
): Promise<Cause | null> {
  const { signal } = options
  try {
    const running = agent.run(await givenPrompt(options.prompt, options.session), calls.host)
    for await (const event of untilStopped(running, signal, options.graceMs ?? stopGraceMs)) {
      signal.throwIfAborted()
      if (event.type === 'failed') return event.cause
      options.onSign?.()
      if (event.type === 'turn-started') options.onActivity('Thinking')
      if (event.type === 'retrying') options.onActivity('Waiting to try again')
      if (event.type === 'part-delta' && event.kind === 'text') options.onActivity('Writing')
      calls.said(event)
      await recorder.event(event)
    }
    signal.throwIfAborted()
    return null
  } finally {
    // No tool call may outlive the run, however it ends.
    await calls.settle()
  }
}

/** Waits for `ended`, at most for the grace period. Never rejects. */
async function withinGrace({ graceMs = stopGraceMs }: RunOptions, ended: Promise<unknown>) {
  const late = new AbortController()
  await Promise.race([
    ended.catch(() => undefined),
    wait(graceMs, undefined, { signal: late.signal }).catch(() => undefined),
  ])
  late.abort()
}

/** State that tool calls change during the run. */
interface Held {
  shell: ShellState
  report: { title: string; markdown: string } | null
}

function createToolCalls(
  options: RunOptions,
  start: Start,
  { recorder, held, fileChanges }: Recording,
) {
  const { session, task } = options
  const agentIsOver = new AbortController()
  const signal = AbortSignal.any([options.signal, agentIsOver.signal])
  const inFlight = new Set<Promise<unknown>>()
  const seen = new Set<string>()
  let { reported } = start
  const { permit, askFor, askPerson, said } = createPermits(options, recorder)

  const call: AgentHost['callTool'] = async (
    asked,
    { signal: ofCall, onOutput, stopWaiting } = {},
  ) => {
    const { name, input } = asked
    signal.throwIfAborted()
    options.onSign?.()
    const result = await recorder.call(asked, async (id, messageUuid) => {
      signal.throwIfAborted()
      const shown = options.secrets.value(input)
      const notItsTool = refusalByDefinition(task, name)
      if (notItsTool !== null) return { outcome: 'error', output: notItsTool }
      let answeredMs = 0
      const { refusal, waitedMs } = await permit(
        { callId: id, name, input, shown, cwd: held.shell.cwd },
        signal,
      )
      if (refusal !== null) {
        options.onActivity('Thinking')
        return { outcome: 'error', output: refusal, waitedMs }
      }
      signal.throwIfAborted()
      options.onActivity(activityOf(name, shown, activityCharsMax))
      if (mayChangeAnyFile(name)) fileChanges.commandBegins(messageUuid)
      const result = await options.runTool(name, traitsOf(name)?.writesOurRecord ? shown : input, {
        taskId: task.id,
        callId: id,
        workingDir: options.workingDir,
        environment: options.environment,
        ...(options.sandbox && { sandbox: options.sandbox }),
        shell: held.shell,
        mask: options.secrets,
        signal: ofCall ? AbortSignal.any([signal, ofCall]) : signal,
        stopWaiting,
        onOutput: (output) => {
          options.onSign?.()
          session.callProgressed({ callId: id, output })
          onOutput?.(output)
        },
        files: fileChanges.recorder(messageUuid),
        keepOutput: (output) => session.keepBlob(output),
        recordPlan: (items) => recorder.event({ type: 'plan', items }),
        async askPerson(asked) {
          const { answer, waitedMs } = await askPerson(
            { ...asked, callId: id, cwd: held.shell.cwd },
            signal,
          )
          answeredMs += waitedMs
          return answer
        },
        tasks: options.taskTools,
      })
      if (!result.shell) return { ...result, waitedMs: waitedMs + answeredMs }
      const shellChange = changeOfShell(held.shell, result.shell, options.secrets)
      held.shell = result.shell
      return { ...result, shellChange, waitedMs }
    })
    reported ||= result.endsRun === true
    if (result.detail?.kind === 'report') held.report = result.detail
    if (name === 'bash') await linkPullRequests(result)
    return result
  }

  async function linkPullRequests(result: ToolResult): Promise<void> {
    // Each URL is recorded once, however many commands print it.
    const urls = pullRequestLinks(result.output).filter((url) => !seen.has(url))
    for (const url of urls) seen.add(url)
    await addPullRequestLinks(session, urls, 'tool-output')
  }

  const tracked: AgentHost['callTool'] = async (...args) => {
    const result = call(...args)
    inFlight.add(result)
    try {
      return await result
    } finally {
      inFlight.delete(result)
    }
  }

  /** Aborts the calls that are open when the run ends. Those that don't end in time get an unknown outcome. */
  async function settle(): Promise<void> {
    agentIsOver.abort(new Error('The agent ended its run without waiting for this.'))
    if (inFlight.size > 0) await withinGrace(options, Promise.allSettled(inFlight))
    await recorder.settleCalls()
  }

  const host: AgentHost = {
    callTool: tracked,
    ask: (question) => askFor(question, held.shell.cwd, signal),
    ...createTurnBoundary({
      ...options,
      runId: runIdOf(task.id, options.run),
      place: () => ({ ...options, cwd: held.shell.cwd }),
    }),
  }
  return { host, settle, said, reported: () => reported }
}

/** The directory and exported variables of the last command of the task, in this run or an earlier one. */
function shellAtStart(options: RunOptions, { shell, prompt }: SessionState): ShellState {
  const { workingDir } = options
  const cwd = shell.cwd === null ? workingDir : movedAlong(shell.cwd, prompt?.cwd, workingDir)
  return { cwd, env: Object.fromEntries(shell.env) }
}

/**
 * Maps a directory below the old workspace path to the current path: the data directory may have been moved. `top`:
 * the `cwd` of the last prompt, which is the top of the workspace.
 */
function movedAlong(cwd: string, top: string | undefined, workingDir: string): string {
  if (top === undefined || top === workingDir) return cwd
  const below = relative(top, cwd)
  return below.startsWith('..') || isAbsolute(below) ? cwd : join(workingDir, below)
}

/** Agents react to the abort signal within milliseconds; after this time the agent is taken to ignore it. */
const stopGraceMs = 5_000

/** More than twice what a row of the sidebar shows. */
const activityCharsMax = 120

function interrupted(options: RunOptions, error: unknown): RunEnd {
  const { signal } = options
  return { status: 'interrupted', cause: causeOf(signal.aborted ? signal.reason : error) }
}

interface UsageSum {
  /** `usage`: undefined if the agent did not report it, which a whole turn of most models does. */
  add(usage: Usage | undefined, of: 'turn' | 'cut-turn' | 'run'): void
  total(): Usage
}

/** The sum is marked complete only if every turn reported its usage. */
function createUsageSum(spec: AgentSpec, onUsed: RunLimits['used']): UsageSum {
  let sum = noUsage
  let isMeasured = true
  return {
    add(usage, of) {
      sum = addUsage(sum, usage ?? (usesModel(spec) ? unknownUsage : noUsage))
      // A connection that was cut says nothing about the model.
      if (of === 'turn' && usesModel(spec) && !usage?.complete) isMeasured = false
      onUsed(sum, isMeasured)
    },
    total: () => sum,
  }
}
