/** Starts an agent's session, or continues one from its own store, in the mode in which it asks the person. */
import { type InitializeResponse, methods } from '@agentclientprotocol/sdk/unstable'
import type { AgentSessionRef } from '../../../shared/agents/agent-records.ts'
import type { AgentPlace } from '../../../shared/agents/driver/agent-place.ts'
import type { AcpAgent } from './acp-agent.ts'
import { isRecord, type Json, jsonOf, text } from './content.ts'
import { isMissingSession } from './failures.ts'
import type { RunToolServer } from './mcp/tool-servers.ts'
import { type AcpConnection, initializeParams } from './process/connection.ts'
import { modelOf, optionOf, valuesOf } from './session-options.ts'

export interface Started {
  sessionId: string
  ref: AgentSessionRef
  /** False: the agent has the conversation so far in its own store. */
  isNew: boolean
  /** The agent replayed what its store has, before this was resolved. */
  isReplayed: boolean
  model: string | null
  takesImages: boolean
  capabilities: Json
}

/** The slowest took 12 s on a busy machine; a package that is fetched first takes minutes. */
const startMsMax = 120_000
/** Loading a long conversation replays all of it. */
const loadMsMax = 300_000
const settingMsMax = 30_000

/** Rejects as requests do. */
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
    /** Null: it is given none. */
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
  // Every agent starts servers as programs; only most connect over HTTP.
  const overHttp = agentCapabilities.mcpCapabilities?.http === true
  const mcpServers = tools ? [overHttp ? tools.entry : tools.bridge(place.taskId)] : []
  const common = { cwd: place.cwd, mcpServers, ...(sessionMeta && { _meta: sessionMeta }) }
  const earlier = place.resume?.agent === agent.source ? place.resume.id : null
  const continued = await continueSession()
  const answer = continued?.answer ?? (await begin())
  const sessionId = continued ? (earlier as string) : text(answer.sessionId)
  if (!sessionId) throw new Error(`${agent.name} began a session without an id.`)
  const { modes = null } = answer
  await setMode()
  const options = await setOptions()
  return {
    sessionId,
    ref: { agent: agent.source, id: sessionId },
    isNew: continued === null,
    isReplayed: continued?.method === methods.agent.session.load,
    model: modelOf({ ...answer, configOptions: options }),
    takesImages: agentCapabilities.promptCapabilities?.image === true,
    capabilities: jsonOf({ agentInfo, agentCapabilities, modes, configOptions: options }),
  }

  function begin(): Promise<Record<string, unknown>> {
    return connection.request(methods.agent.session.new, common, { timeoutMs: startMsMax })
  }

  /** Null: it has to begin a new one, which gets the conversation from Shiplog's record. */
  async function continueSession(): Promise<{
    method: string
    answer: Record<string, unknown>
  } | null> {
    if (earlier === null) return null
    const canResume = agentCapabilities.sessionCapabilities?.resume != null
    const canLoad = agentCapabilities.loadSession === true && agent.canLoad
    const ways = [
      ...(canResume ? [methods.agent.session.resume] : []),
      ...(canLoad ? [methods.agent.session.load] : []),
    ]
    for (const method of ways) {
      try {
        const params = { ...common, sessionId: earlier }
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

  /** Modes are not kept over a resume. */
  async function setMode(): Promise<void> {
    const { mode } = agent
    if (mode === null) return
    const state = isRecord(answer.modes) ? answer.modes : {}
    const available = Array.isArray(state.availableModes)
      ? state.availableModes.flatMap((one) => (isRecord(one) ? [text(one.id)] : []))
      : []
    if (available.includes(mode)) {
      if (state.currentModeId === mode) return
      const params = { sessionId, modeId: mode }
      await connection.request(methods.agent.session.setMode, params, { timeoutMs: settingMsMax })
      return
    }
    const option = optionOf(answer, 'mode')
    if (option && valuesOf(option).includes(mode)) {
      const params = { sessionId, configId: option.id, value: mode }
      await connection.request(methods.agent.session.setConfigOption, params, {
        timeoutMs: settingMsMax,
      })
      return
    }
    const has = [...available, ...(option ? valuesOf(option) : [])].join(', ')
    onNotice(
      `${agent.name} has no mode "${mode}"${has === '' ? '' : ` (it has ${has})`}, so it may do things without asking.`,
    )
  }

  /** Options are not kept over a resume either. Returns all options as they are then; null: it has none. */
  async function setOptions(): Promise<unknown> {
    let options = answer.configOptions ?? null
    for (const [configId, value] of Object.entries(agent.options)) {
      const known = Array.isArray(options)
        ? options.filter(isRecord).find(({ id }) => id === configId)
        : undefined
      if (known?.currentValue === value) continue
      const isOffered =
        typeof value === 'boolean' ? known !== undefined : known && valuesOf(known).includes(value)
      if (!isOffered) {
        onNotice(
          `${agent.name} does not offer ${JSON.stringify(value)} for ${JSON.stringify(text(known?.name) ?? configId)} any more, and continues with its own choice.`,
        )
        continue
      }
      const params = {
        sessionId,
        configId,
        value,
        ...(typeof value === 'boolean' && { type: 'boolean' }),
      }
      const changed = await connection.request<Record<string, unknown>>(
        methods.agent.session.setConfigOption,
        params,
        { timeoutMs: settingMsMax },
      )
      options = changed.configOptions ?? options
    }
    return options
  }
}
