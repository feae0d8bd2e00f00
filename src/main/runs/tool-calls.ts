/** Checks, executes and records the tool calls of one run. */
import { isAbsolute, relative, sep } from 'node:path'
import type { AgentHost, CallOptions, HostCall } from '../../shared/agents/driver/agent-session.ts'
import type { ShellState, ToolResult } from '../../shared/agents/driver/tool-result.ts'
import { traitsOf } from '../../shared/agents/tool-traits.ts'
import { activityOf } from '../../shared/projections/tool-calls/describe-tool-call.ts'
import { runIdOf } from '../../shared/records/ids.ts'
import { refusalByDefinition } from './by-definition.ts'
import type { FileChanges } from './changes/file-changes.ts'
import { createPermits } from './permissions/permits.ts'
import type { ExecuteCall, ExecutedCall } from './recording/call-recorder.ts'
import { addPullRequestLinks, pullRequestLinks } from './recording/pull-request-links.ts'
import type { Recorder } from './recording/recorder.ts'
import { changeOfShell } from './recording/shell-record.ts'
import { createTurnBoundary } from './run-limits.ts'
import type { RunOptions } from './run-options.ts'
import { mayChangeAnyFile } from './session-history.ts'
import { withinGrace } from './until-stopped.ts'

/** More than twice what a row of the sidebar shows. */
const activityCharsMax = 120

/** State that tool calls change during the run. */
export interface CallState {
  shell: ShellState
  /** True while the agent works outside the task's folder: changes in that folder are not attributed to it. */
  isElsewhere: boolean
  report: { title: string; markdown: string } | null
}

export interface Recording {
  recorder: Recorder
  callState: CallState
  fileChanges: FileChanges
}

export type ToolCalls = ReturnType<typeof createToolCalls>

export function createToolCalls(
  options: RunOptions,
  isReported: boolean,
  { recorder, callState, fileChanges }: Recording,
) {
  const { session, task } = options
  const agentIsOver = new AbortController()
  const signal = AbortSignal.any([options.signal, agentIsOver.signal])
  const inFlight = new Set<Promise<unknown>>()
  const seen = new Set<string>()
  let reported = isReported
  const { permit, forwardQuestion, askPerson, observe } = createPermits(options, recorder)

  const call: AgentHost['callTool'] = async (asked, whileCalled = {}) => {
    const { name } = asked
    signal.throwIfAborted()
    options.onProgress?.()
    const result = await recorder.call(asked, (...recorded) =>
      execute(asked, whileCalled, recorded),
    )
    reported ||= result.endsRun === true
    if (result.detail?.kind === 'report') callState.report = result.detail
    if (name === 'bash') await linkPullRequests(result)
    return result
  }

  /** Runs the tool of a recorded call, if the agent has it and it is permitted. */
  async function execute(
    { name, input }: HostCall,
    { signal: ofCall, onOutput, stopWaiting }: CallOptions,
    [callId, messageUuid]: Parameters<ExecuteCall>,
  ): Promise<ExecutedCall> {
    signal.throwIfAborted()
    const shown = options.secrets.value(input)
    const notItsTool = refusalByDefinition(task, name)
    if (notItsTool !== null) return notRun(notItsTool)
    let answeredMs = 0
    const { cwd, env } = callState.shell
    const { refusal, waitedMs } = await permit(
      { callId, name, input, shown, cwd, programPath: env.PATH },
      signal,
    )
    if (refusal !== null) {
      options.onActivity('Thinking')
      return { ...notRun(refusal), waitedMs }
    }
    signal.throwIfAborted()
    options.onActivity(activityOf(name, shown, activityCharsMax))
    if (mayChangeAnyFile(name)) fileChanges.commandBegins(messageUuid)
    const result = await options.runTool(name, traitsOf(name)?.writesOurRecord ? shown : input, {
      taskId: task.id,
      callId,
      workingDir: options.workingDir,
      environment: options.environment,
      ...(options.sandbox && { sandbox: options.sandbox }),
      shell: callState.shell,
      mask: options.secrets,
      signal: ofCall ? AbortSignal.any([signal, ofCall]) : signal,
      stopWaiting,
      onOutput: (output) => {
        options.onProgress?.()
        session.callProgressed({ callId, output })
        onOutput?.(output)
      },
      files: fileChanges.recorder(messageUuid),
      keepOutput: (output) => session.keepBlob(output),
      recordPlan: (items) => recorder.event({ type: 'plan', items }),
      async askPerson(asked) {
        const { answer, waitedMs } = await askPerson(
          { ...asked, callId, cwd: callState.shell.cwd },
          signal,
        )
        answeredMs += waitedMs
        return answer
      },
      tasks: options.taskTools,
    })
    if (!result.shell) return { ...result, waitedMs: waitedMs + answeredMs }
    const shellChange = changeOfShell(callState.shell, result.shell, options.secrets)
    callState.shell = result.shell
    return { ...result, shellChange, waitedMs }
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

  /** Aborts the calls that are open when the run ends. Calls that outlast the grace period get an unknown outcome. */
  async function settle(): Promise<void> {
    agentIsOver.abort(new Error('The agent ended its run without waiting for this.'))
    if (inFlight.size > 0) await withinGrace(Promise.allSettled(inFlight), options.graceMs)
    await recorder.settleCalls()
  }

  function moved(cwd: string): void {
    callState.shell = { ...callState.shell, cwd }
    callState.isElsewhere = isOutside(relative(options.workingDir, cwd))
  }

  const host: AgentHost = {
    callTool: tracked,
    ask: (question) => forwardQuestion(question, callState.shell.cwd, signal),
    starting: (agent) => options.onStarting?.(agent),
    waitToRetry: options.waitToRetry,
    async adopt(subAgent) {
      signal.throwIfAborted()
      const { title, prompt } = subAgent
      const { text } = options.secrets
      return options.taskTools.adopt({ ...subAgent, title: text(title), prompt: text(prompt) })
    },
    ...createTurnBoundary({
      ...options,
      runId: runIdOf(task.id, options.run),
      place: () => ({
        ...options,
        cwd: callState.shell.cwd,
        ...(callState.isElsewhere && { gitBranch: () => options.gitBranch(callState.shell.cwd) }),
      }),
    }),
  }
  return { host, settle, observe, moved, reported: () => reported }
}

const notRun = (output: string) =>
  ({ outcome: 'error', output, detail: { kind: 'not-run' } }) as const

const isOutside = (path: string): boolean =>
  path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)
