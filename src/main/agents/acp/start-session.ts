/** Starts an agent's session, or continues one from the agent's own store, in the mode in which it asks the user. */
import { type InitializeResponse, methods } from '@agentclientprotocol/sdk/unstable'
import type { AgentSessionRef } from '../../../shared/agents/agent-records.ts'
import type { AgentPlace } from '../../../shared/agents/driver/agent-place.ts'
import type { AcpAgent } from './acp-agent.ts'
import { type Json, jsonOf, text } from './content.ts'
import { isMissingSession } from './failures.ts'
import type { RunToolServer } from './mcp/tool-servers.ts'
import { type AcpConnection, initializeParams } from './process/connection.ts'
import { modelOf, setMode, setOptions } from './session-options.ts'

export interface Started {
  sessionId: string
  ref: AgentSessionRef
  /** False if the session continues one from the agent's own store. */
  isNew: boolean
  /** The agent replayed the session from its store before this resolved. */
  isReplayed: boolean
  model: string | null
  takesImages: boolean
  capabilities: Json
}

/** The slowest agent took 12 s on a busy machine; fetching its package first takes minutes. */
const startMsMax = 120_000
/** Loading a long conversation replays all of it. */
const loadMsMax = 300_000

/** Rejects as `AcpConnection.request` does. */
export async function startSession(
  connection: AcpConnection,
  {
    agent,
    place,
    version,
    tools,
    onNotice,
  }: {
    agent: AcpAgent
    place: AgentPlace
    version: string
    /** Null if the agent is offered none. */
    tools: Pick<RunToolServer, 'entry' | 'bridge'> | null
    onNotice: (text: string) => void
  },
): Promise<Started> {
  const initialized = await connection.request<InitializeResponse>(
    methods.agent.initialize,
    initializeParams(version),
    { timeoutMs: startMsMax },
  )
  const { agentCapabilities = {}, agentInfo } = initialized
  const { sessionMeta } = agent
  // All agents can start an MCP server as a program; only most can connect over HTTP.
  const overHttp = agentCapabilities.mcpCapabilities?.http === true
  const mcpServers = tools ? [overHttp ? tools.entry : tools.bridge(place.taskId)] : []
  const common = { cwd: place.cwd, mcpServers, ...(sessionMeta && { _meta: sessionMeta }) }
  const earlierId = place.resume?.agent === agent.source ? place.resume.id : null
  const continued = await continueSession()
  const answer = continued?.answer ?? (await createSession())
  const sessionId = continued ? (earlierId as string) : text(answer.sessionId)
  if (!sessionId) throw new Error(`${agent.name} began a session without an id.`)
  const { modes = null } = answer
  const session = { connection, agentName: agent.name, sessionId, answer, onNotice }
  await setMode(session, agent.mode)
  const options = await setOptions(session, agent.options)
  return {
    sessionId,
    ref: { agent: agent.source, id: sessionId },
    isNew: continued === null,
    isReplayed: continued?.method === methods.agent.session.load,
    model: modelOf({ ...answer, configOptions: options }),
    takesImages: agentCapabilities.promptCapabilities?.image === true,
    capabilities: jsonOf({ agentInfo, agentCapabilities, modes, configOptions: options }),
  }

  function createSession(): Promise<Record<string, unknown>> {
    return connection.request(methods.agent.session.new, common, { timeoutMs: startMsMax })
  }

  /** Resolves with null if a new session is needed, which then gets the conversation from Shiplog's record. */
  async function continueSession(): Promise<{
    method: string
    answer: Record<string, unknown>
  } | null> {
    if (earlierId === null) return null
    const canResume = agentCapabilities.sessionCapabilities?.resume != null
    const canLoad = agentCapabilities.loadSession === true && agent.canLoad
    const methodsToTry = [
      ...(canResume ? [methods.agent.session.resume] : []),
      ...(canLoad ? [methods.agent.session.load] : []),
    ]
    for (const method of methodsToTry) {
      try {
        const params = { ...common, sessionId: earlierId }
        const answer = await connection.request<Record<string, unknown> | null>(method, params, {
          timeoutMs: loadMsMax,
        })
        return { method, answer: answer ?? {} }
      } catch (error) {
        // Its store may have lost the session, or never had it.
        if (!isMissingSession(error)) throw error
      }
    }
    return null
  }
}
