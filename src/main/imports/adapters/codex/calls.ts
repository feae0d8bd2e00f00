/** Maps the calls of one Codex thread: results, and additional facts from events. */
import type { AwaitedTask } from '../../../../shared/agents/tools.ts'
import { setBounded } from '../../../../shared/projections/session/bounded-lists.ts'
import type { ToolCallId } from '../../../../shared/records/ids.ts'
import type { TranscriptBuilder } from '../../transcript/transcript-builder.ts'
import { asRecord, isRecord, text, titleOf } from '../values.ts'
import { type Edit, patchEdits, patchOf } from './edits.ts'
import {
  argumentsOf,
  type CallOutput,
  type MappedCall,
  mapCall,
  outputOf,
  planOf,
} from './tools.ts'

/** A call that started a sub-agent. */
export interface AgentCall {
  callId: ToolCallId
  title: string
  agent: string
}

export interface AgentLinks {
  /** A call started the sub-agent with this id, or with this path. */
  onAgent(agent: { threadId: string } | { path: string }, call: AgentCall): unknown
  /** The summary of a sub-agent with a rollout; null: no rollout. */
  agentSummary(
    agent: { threadId: string } | { path: string },
    call: AgentCall,
    report: string | null,
  ): AwaitedTask | null
}

/** Facts from events about a call whose output follows later. */
interface CallFacts {
  exitCode?: number | null
  edits?: Edit[]
  agentId?: string
}

interface OpenCall extends MappedCall {
  id: ToolCallId
  facts: CallFacts
  agent: AgentCall | null
}

/** Limit of calls kept until their output; the oldest are dropped. */
const openCallsMax = 1_000
/** Limit of ended calls kept for late events. */
const closedCallsMax = 1_000

export type CallMapper = ReturnType<typeof createCallMapper>

export function createCallMapper(
  builder: TranscriptBuilder,
  links: AgentLinks,
  /** Ids of the response being read, and of the response whose calls are open. */
  responses: { responseId(): string; openTurnId(): string },
) {
  const open = new Map<string, OpenCall>()
  const closed = new Set<string>()
  const agents = new Map<string, AgentCall>()

  function begin(callId: string, name: string, given: unknown): void {
    const mapped = mapCall(name, argumentsOf(given))
    const id = builder.beginCall(
      { callId, ...mapped },
      { messageId: responses.responseId(), uuid: null },
    )
    const agent = mapped.name === 'task' ? agentCall(id, mapped.input) : null
    setBounded(open, callId, { ...mapped, id, facts: {}, agent }, openCallsMax)
    const plan = planOf(name, mapped.input)
    if (plan) builder.setPlan(plan)
  }

  /** Returns false if no open call has this id. */
  function end(callId: string, given: unknown): boolean {
    const call = open.get(callId)
    if (!call || !builder.openCall(callId)) return false
    open.delete(callId)
    closed.add(callId)
    const [oldest] = closed
    if (closed.size > closedCallsMax && oldest !== undefined) closed.delete(oldest)
    const output = outputOf(given)
    const edits = call.facts.edits ?? editsOf(call, output)
    const isPatch = edits.length > 0
    builder.endCall({
      callId,
      outcome: output.isError ? 'error' : 'ok',
      output: output.text,
      images: output.images,
      detail: isPatch ? (edits.length === 1 ? (edits[0] ?? null) : null) : detailOf(call, output),
    })
    if (edits.length > 1) for (const [at, edit] of edits.entries()) addEdit(`${callId}/${at}`, edit)
    return true
  }

  function editsOf(call: OpenCall, output: CallOutput): Edit[] {
    const patch = output.isError ? null : patchOf(call.name, call.input)
    return patch === null ? [] : patchEdits(patch, builder.cwd)
  }

  /** Records one of several edits of a call as a separate call, so that its file is attributed. */
  function addEdit(callId: string, edit: Edit): void {
    const name = edit.change === 'created' ? 'write_file' : 'edit_file'
    beginInner(callId, { name, input: { path: edit.path }, kind: 'edit' })
    builder.endCall({ callId, outcome: 'ok', output: `Changed ${edit.path}.`, detail: edit })
  }

  const beginInner = (callId: string, call: MappedCall): void => {
    builder.beginCall({ callId, ...call }, { messageId: responses.openTurnId(), uuid: null })
  }

  function detailOf(call: OpenCall, output: CallOutput) {
    if (output.isRefused) return { kind: 'not-run' as const }
    return agentDetail(call, output.text) ?? commandDetail(call, output)
  }

  function commandDetail(call: OpenCall, output: CallOutput) {
    const exitCode = call.facts.exitCode ?? output.exitCode
    if (call.name !== 'bash' || exitCode === null) return null
    return { kind: 'bash' as const, exitCode, timedOut: false, omittedBytes: 0 }
  }

  function agentDetail(call: OpenCall, output: string) {
    const answer = asRecord(argumentsOf(output))
    if (call.agent) {
      const threadId = call.facts.agentId ?? text(answer.agent_id)
      const path = text(answer.task_name)
      const agent = threadId !== null ? { threadId } : path !== null ? { path } : null
      if (!agent) return null
      if (threadId !== null) agents.set(threadId, call.agent)
      links.onAgent(agent, call.agent)
      const agentSummary = links.agentSummary(agent, call.agent, null)
      return agentSummary && { kind: 'tasks' as const, tasks: [agentSummary] }
    }
    if (call.name !== 'wait_agent' && call.name !== 'wait') return null
    const tasks = Object.entries(asRecord(answer.status)).flatMap(([threadId, status]) => {
      const agent = agents.get(threadId)
      const report = text(asRecord(status).completed)
      return (agent && report !== null && links.agentSummary({ threadId }, agent, report)) || []
    })
    return tasks.length > 0 ? { kind: 'tasks' as const, tasks } : null
  }

  return {
    begin,
    end,
    /** Records a call and its output at once. */
    addCompleted(callId: string, call: MappedCall, output: CallOutput): void {
      beginInner(callId, call)
      const { text: shown, images, isError } = output
      builder.endCall({
        callId,
        output: shown,
        images,
        outcome: isError ? 'error' : 'ok',
        detail: detailOf({ ...call, id: callId as ToolCallId, facts: {}, agent: null }, output),
      })
    },
    addEdit,
    /** Adds facts to an open call. Returns false if no open call has this id. */
    addFacts(callId: string, facts: CallFacts): boolean {
      const call = open.get(callId)
      if (call) Object.assign(call.facts, facts)
      return call !== undefined
    },
    isClosed: (callId: string): boolean => closed.has(callId),
  }
}

function agentCall(callId: ToolCallId, input: unknown): AgentCall {
  const given = asRecord(isRecord(input) ? input : {})
  const title = text(given.title) ?? text(given.prompt) ?? 'Sub-agent'
  return { callId, title: titleOf(title), agent: text(given.agent) ?? 'agent' }
}
