/** Starts an installed agent in an empty folder and reads its capabilities. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type InitializeResponse, methods } from '@agentclientprotocol/sdk/unstable'
import type { AgentCheck, SessionOption } from '../../../../shared/agents/agent-checks.ts'
import type { AgentSpec } from '../../../../shared/agents/agent-specs.ts'
import {
  agentPresets,
  installedAgentName,
  type PresetFacts,
} from '../../../../shared/agents/installed-agents.ts'
import { formatCause } from '../../../../shared/records/causes.ts'
import { newTaskId } from '../../../../shared/records/ids.ts'
import type { Custody } from '../../../processes/custody.ts'
import { isRecord, text } from '../content.ts'
import { causeOfError } from '../failures.ts'
import {
  type AcpConnection,
  connectAgent,
  initializeParams,
  type Launch,
} from '../process/connection.ts'

type AcpSpec = Extract<AgentSpec, { kind: 'acp' }>

const startMsMax = 120_000
/** Half a gigabyte over a slow line. */
const fetchMsMax = 15 * 60_000
const promptMsMax = 120_000
const endMsMax = 5_000
/** A user signs in on a page in the browser. */
const signInMsMax = 5 * 60_000
/** They are shown in one menu. */
const signInMethodsMax = 10

/** Never rejects: a failure is the outcome of the check. */
export async function checkAgent(
  spec: AcpSpec,
  deps: {
    custody: Custody
    /** A folder for temporary ones, in which no other program can put what the agent would read there. */
    scratchParent: string
    version: string
    now: () => number
    /** Rejects with an Error if the agent is not installed. `cwd` is the empty folder. */
    launch(cwd: string): Promise<Launch>
    /** Also sends one short prompt. */
    prompts: boolean
    /** The package is fetched first, which takes longer. */
    fetches: boolean
    /** The method by which the agent signs in first; absent: none. */
    signInMethod?: string | undefined
  },
): Promise<AgentCheck> {
  const preset = spec.program === 'acp' ? null : agentPresets[spec.program]
  const found: AgentCheck = {
    at: new Date(deps.now()).toISOString(),
    outcome: 'ready',
    why: null,
    version: null,
    signedIn: null,
    answeredMs: null,
    can: null,
    modes: null,
    options: [],
    signInArgs: null,
    signInMethods: [],
  }
  const signIn = preset?.signIn ?? 'Sign in to it in a terminal'
  // Owns the processes of the check; no task has this id.
  const taskId = newTaskId()
  await mkdir(deps.scratchParent, { recursive: true, mode: 0o700 })
  const dir = await realpath(await mkdtemp(join(deps.scratchParent, 'check-')))
  let connection: AcpConnection | null = null
  let answerText = ''
  try {
    connection = await connectAgent(
      await deps.launch(dir),
      {
        onUpdate(_, update) {
          const isText = isRecord(update) && update.sessionUpdate === 'agent_message_chunk'
          if (isText && isRecord(update.content)) answerText += text(update.content.text) ?? ''
        },
        onPermission: async () => ({ outcome: { outcome: 'cancelled' } }),
        hasRoom: async () => {},
      },
      { custody: deps.custody, taskId },
    )
    const initialized = await connection.request<InitializeResponse>(
      methods.agent.initialize,
      initializeParams(deps.version),
      { timeoutMs: deps.fetches ? fetchMsMax : startMsMax },
    )
    Object.assign(found, capabilitiesOf(initialized, preset))
    if (deps.signInMethod !== undefined)
      await connection.request(
        methods.agent.authenticate,
        { methodId: deps.signInMethod },
        { timeoutMs: signInMsMax },
      )
    const session = await connection.request<Record<string, unknown>>(
      methods.agent.session.new,
      { cwd: dir, mcpServers: [], ...(preset?.sessionMeta && { _meta: preset.sessionMeta }) },
      { timeoutMs: startMsMax },
    )
    Object.assign(found, { modes: modesOf(session), options: optionsOf(session) })
    if (preset?.refusesSignedOut === 'session') found.signedIn = true
    const sessionId = text(session.sessionId) ?? ''
    if (deps.prompts) {
      const startedMs = deps.now()
      await sendTestPrompt(connection, sessionId, () => answerText)
      found.answeredMs = deps.now() - startedMs
      if (preset?.refusesSignedOut === 'prompt') found.signedIn = true
    }
    // Removes the session from the agent's own store; many agents have no such request.
    if (initialized.agentCapabilities?.sessionCapabilities?.delete)
      await connection
        .request(methods.agent.session.delete, { sessionId }, { timeoutMs: endMsMax })
        .catch(() => undefined)
  } catch (error) {
    const cause = causeOfError(error, { name: installedAgentName(spec), signIn })
    const isSignedOut = cause.kind === 'sign-in'
    Object.assign(found, {
      outcome: isSignedOut ? 'signed-out' : 'failed',
      why: 'detail' in cause && cause.kind !== 'agent-died' ? cause.detail : formatCause(cause),
      ...(isSignedOut && { signedIn: false }),
    })
  } finally {
    await connection?.close().catch(() => undefined)
    await deps.custody.endAll(taskId)
    await rm(dir, { recursive: true, force: true }).catch(() => undefined)
  }
  return found
}

const question = 'Answer with the single word "ready". Use no tools.'

/** `answerText` returns the text that the agent has sent so far. Rejects with an Error if the answer is empty. */
async function sendTestPrompt(
  connection: AcpConnection,
  sessionId: string,
  answerText: () => string,
): Promise<void> {
  const answer = await connection.request<Record<string, unknown>>(
    methods.agent.session.prompt,
    { sessionId, prompt: [{ type: 'text', text: question }] },
    { timeoutMs: promptMsMax },
  )
  if (answerText().trim() === '' || answer.stopReason !== 'end_turn')
    throw new Error(`it answered nothing, and stopped with ${text(answer.stopReason) ?? '?'}`)
}

function capabilitiesOf(
  { agentCapabilities: can = {}, agentInfo, authMethods = [] }: InitializeResponse,
  preset: Pick<PresetFacts, 'canLoad' | 'reportsSubAgents'> | null,
): Pick<AgentCheck, 'version' | 'can' | 'signInArgs' | 'signInMethods'> {
  const { sessionCapabilities: sessions = {}, promptCapabilities, mcpCapabilities } = can
  const terminal = authMethods.find((one) => 'type' in one && one.type === 'terminal')
  return {
    version: agentInfo?.version ?? null,
    can: {
      resume: sessions.resume != null || (preset?.canLoad !== false && can.loadSession === true),
      fork: sessions.fork != null,
      // All agents support MCP over standard input and output, which Shiplog's bridge uses.
      mcp: mcpCapabilities?.http ?? null,
      images: promptCapabilities?.image === true,
      // Claude Code reports sub-agents without announcing the capability.
      subAgents: 'subagents' in sessions || (preset?.reportsSubAgents ?? null),
    },
    // A method that needs variables is left out, because its command could not be shown and copied.
    signInArgs: terminal && 'args' in terminal && !terminal.env ? (terminal.args ?? []) : null,
    signInMethods: authMethods.filter(isOwnMethod).slice(0, signInMethodsMax).map(signInMethodOf),
  }
}

type AuthMethod = NonNullable<InitializeResponse['authMethods']>[number]

/** A gateway needs more than the method's id. Qwen Code marks the methods of its terminal in `_meta`. */
const isOwnMethod = (method: AuthMethod): boolean =>
  !('type' in method && method.type === 'terminal') &&
  method._meta?.type !== 'terminal' &&
  method._meta?.gateway === undefined

const signInMethodOf = ({ id, name, description }: AuthMethod) => ({
  id,
  name,
  description: description ?? null,
})

function modesOf({ modes }: Record<string, unknown>): AgentCheck['modes'] {
  if (!isRecord(modes) || !Array.isArray(modes.availableModes)) return null
  const choices = modes.availableModes.filter(isRecord).map(({ id, name, description }) => ({
    value: text(id) ?? '',
    name: text(name) ?? text(id) ?? '',
    description: text(description),
  }))
  return { current: text(modes.currentModeId) ?? '', choices }
}

/** Leaves out options of unknown kinds, which could not be set here. */
function optionsOf({ configOptions }: Record<string, unknown>): SessionOption[] {
  if (!Array.isArray(configOptions)) return []
  return configOptions.filter(isRecord).flatMap((option) => {
    const { id, name, description, category, currentValue, options } = option
    if (typeof currentValue !== 'string' && typeof currentValue !== 'boolean') return []
    const choices = choicesOf(options)
    if (typeof currentValue === 'string' && choices.length === 0) return []
    return [
      {
        id: text(id) ?? '',
        name: text(name) ?? text(id) ?? '',
        description: text(description),
        category: text(category),
        current: currentValue,
        choices,
      },
    ]
  })
}

/** Some agents group their choices. */
function choicesOf(options: unknown): SessionOption['choices'] {
  if (!Array.isArray(options)) return []
  return options.filter(isRecord).flatMap(({ options: grouped, value, name, description }) => {
    if (Array.isArray(grouped)) return choicesOf(grouped)
    const own = text(value)
    return own === null
      ? []
      : [{ value: own, name: text(name) ?? own, description: text(description) }]
  })
}
