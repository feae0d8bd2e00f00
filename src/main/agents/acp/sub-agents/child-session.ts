/**
 * The session of a sub-agent that runs in the process of its parent. Its task is run, recorded, asked about and stopped
 * like any other. It ends when the agent reports that it is idle.
 */
import { resolve } from 'node:path'
import { methods, RequestError } from '@agentclientprotocol/sdk/unstable'
import type { AgentEvent } from '../../../../shared/agents/driver/agent-events.ts'
import type { AgentPlace } from '../../../../shared/agents/driver/agent-place.ts'
import type {
  AgentHost,
  AgentSession,
  OpenAgent,
} from '../../../../shared/agents/driver/agent-session.ts'
import type { Cause } from '../../../../shared/records/causes.ts'
import type { AcpAgent } from '../acp-agent.ts'
import { isRecord, text } from '../content.ts'
import { causeOfError, causeOfStop } from '../failures.ts'
import type { AcpConnection } from '../process/connection.ts'
import { createItemReader } from '../read-items.ts'
import type { Child } from '../session-items.ts'
import { optionOf } from '../session-options.ts'
import { createCallIds } from '../updates/call-ids.ts'
import { createUpdateFold, type UpdateFold } from '../updates/updates.ts'
import { usageOfAnswer } from '../updates/usage.ts'
import type { SessionFeeds } from './session-feeds.ts'
import { createSubAgentCalls } from './sub-agent-calls.ts'

interface ChildPorts {
  agent: AcpAgent
  connection: Pick<AcpConnection, 'notify'>
  feeds: SessionFeeds
  /** The session of the run, which is stopped if the sub-agent's can't be stopped alone. */
  mainSessionId: string
  /** Returns the folder in which its parent works now. Absolute. */
  parentCwd: () => string
}

export function openChild(ports: ChildPorts): (child: Child) => OpenAgent {
  return (child) => async (place) => childSession(child, place, ports)
}

function childSession(child: Child, place: AgentPlace, ports: ChildPorts): AgentSession {
  const { agent, connection, feeds, mainSessionId, parentCwd } = ports
  const { sessionId } = child
  const folderOf = (cwd: string | null) => resolve(parentCwd(), cwd ?? '.')
  // The agent's own store may have the session under this id, but can't resume it by the id.
  const ref = { agent: `${agent.source}${subAgentSuffix}`, id: sessionId }

  async function* run(_: unknown, host: AgentHost): AsyncGenerator<AgentEvent> {
    let cwd = folderOf(child.cwd)
    const ids = createCallIds(place.run ?? 1)
    const fold = createUpdateFold({ source: agent.source, cwd, top: place.cwd, ids })
    const subAgents = createSubAgentCalls({
      source: agent.source,
      sessionId,
      isSubAgent: true,
      feeds,
      fold,
      host,
      open: openChild({ ...ports, parentCwd: () => cwd }),
    })
    const reader = createItemReader({
      source: agent.source,
      shell: agent.shell,
      sessionId,
      fold,
      host,
      subAgents,
      tools: null,
    })
    let model: string | null = null
    yield { type: 'session', ref }
    if (cwd !== place.cwd) yield { type: 'moved', cwd }
    fold.begin()
    yield* fold.openTurn()
    for (;;) {
      const item = child.feed.take()
      if (!item) {
        await child.feed.wait()
        continue
      }
      if (item.kind === 'idle') return yield* endTurn(item.state, { host, fold, subAgents, model })
      if (item.kind === 'gone') {
        yield* subAgents.turnEnds()
        yield { type: 'failed', cause: causeOfGone(item.error, agent) }
        return
      }
      if (item.kind === 'moved') {
        cwd = folderOf(item.cwd)
        fold.moveTo(cwd)
        yield { type: 'moved', cwd }
        continue
      }
      if (item.kind === 'update') model = modelIn(item.update) ?? model
      yield* reader.read(item)
    }
  }

  async function* endTurn(
    state: Record<string, unknown>,
    at: {
      host: AgentHost
      fold: UpdateFold
      subAgents: ReturnType<typeof createSubAgentCalls>
      model: string | null
    },
  ): AsyncGenerator<AgentEvent> {
    const { host, fold, subAgents, model } = at
    const stop = text(state.stopReason) ?? 'end_turn'
    const cause = causeOfIdle(state, stop, agent)
    yield* subAgents.turnEnds()
    const { lastText } = fold.seen()
    if (!cause && lastText !== '')
      await host.callTool({
        name: 'agent_report',
        input: { title: 'Its last message', markdown: lastText },
      })
    const usage = usageOfAnswer(state, { isSum: true, costUsd: null })
    yield* fold.end({ usage, ...(model !== null && { model }), stop })
    if (cause) yield { type: 'failed', cause }
  }

  return {
    ref,
    run,
    async cancel() {
      const stopped = child.canCancel ? sessionId : mainSessionId
      if (!child.isOver)
        await connection.notify(methods.agent.session.cancel, { sessionId: stopped })
    },
    async close() {
      feeds.leave(child)
    },
  }
}

/** Follows the agent's name in the reference to a session that only its parent's session can continue. */
const subAgentSuffix = '/sub-agent'

function causeOfIdle(state: Record<string, unknown>, stop: string, agent: AcpAgent): Cause | null {
  if (stop === 'cancelled') return { kind: 'stopped', by: 'parent' }
  if (stop !== 'error') return causeOfStop(stop)
  const { code, message, data } = isRecord(state.error) ? state.error : {}
  const error = new RequestError(
    typeof code === 'number' ? code : -32603,
    text(message) ?? 'it did not say why',
    data,
  )
  return causeOfError(error, agent)
}

const causeOfGone = (error: Error | null, agent: AcpAgent): Cause =>
  error === null ? { kind: 'stopped', by: 'parent' } : causeOfError(error, agent)

function modelIn(update: unknown): string | null {
  if (!isRecord(update) || update.sessionUpdate !== 'config_option_update') return null
  return text(optionOf(update, 'model')?.currentValue)
}
