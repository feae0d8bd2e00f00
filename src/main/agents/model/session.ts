/** Runs a conversation with a model: one request per turn, with its calls made through the host, until it is done. */
import type { ToolSet } from 'ai'
import { type DefinedAgent, hasTool } from '../../../shared/agents/agent-specs.ts'
import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { AgentPlace } from '../../../shared/agents/driver/agent-place.ts'
import type { AgentHost, AgentSession } from '../../../shared/agents/driver/agent-session.ts'
import type { PromptPart } from '../../../shared/agents/driver/prompt-parts.ts'
import { type ModelRef, modelNameOf } from '../../../shared/agents/model-refs.ts'
import { untilAborted } from '../../../shared/async/until-aborted.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { FilesInside } from '../tools/inside/index.ts'
import type { OfferedAgent } from '../tools/tool-definitions.ts'
import { type ModelAccess, obstacleTo } from './access.ts'
import { afterTurn } from './after-turn.ts'
import type { Answer, StreamTimeouts } from './answer.ts'
import { createAsk } from './ask.ts'
import { unknownWindow } from './context-window.ts'
import { noteItem, resumedItem, type TurnCall } from './conversation/conversation.ts'
import { compactionLimit } from './conversation/conversation-size.ts'
import { type Memory, openMemory } from './conversation/memory.ts'
import { createShownImages } from './conversation/shown-images.ts'
import { instructionsFor, type ProjectFacts } from './instructions.ts'
import { usageOf } from './pricing.ts'
import { openModel } from './providers.ts'
import { createRunLimit, lastTurnNote } from './run-limit.ts'
import { toolDefinitions } from './tool-definitions.ts'
import { answerCalls, createUniqueIds, repeatOpenCalls, reportOf } from './turn-calls.ts'

// The SDK would write warnings to standard error, which is for people.
globalThis.AI_SDK_LOG_WARNINGS = false

export interface SessionPorts {
  access: ModelAccess
  facts(cwd: string, signal: AbortSignal): Promise<ProjectFacts>
  inside: FilesInside
  /** The body of its definition; empty if there is none. */
  prompt: string
  /** Resolves with the agents that it may start. */
  agents(): Promise<readonly OfferedAgent[]>
  clock: () => number
  random: () => number
  /** Factor of the delays between attempts: 1, or less in tests. */
  delayFactor: number
  timeouts?: StreamTimeouts | undefined
  /** Turns of one run before the user is asked whether to continue. */
  stepsMax?: number | undefined
  /** Tokens at which a conversation is summarised. Default: depends on the model's context window. */
  contextTokens?: number | undefined
  /** Called with a sentence for the user before each turn whose conversation a summary would not shorten. */
  onCramped: (text: string) => void
}

/** An agent may repeat itself without progress. */
const stepsMaxDefault = 100

type ModelSpec = ModelRef & { agent: string; definition?: DefinedAgent | undefined }

export function openModelSession(
  spec: ModelSpec,
  place: AgentPlace,
  ports: SessionPorts,
): AgentSession {
  const ended = new AbortController()
  const end = async () => ended.abort(new Error('The agent was asked to end.'))
  return {
    ref: null,
    run: (prompt, host) =>
      converse(
        { spec, place, ports, host, signal: AbortSignal.any([place.signal, ended.signal]) },
        prompt,
      ),
    cancel: end,
    close: end,
  }
}

interface Setting {
  spec: ModelSpec
  place: AgentPlace
  ports: SessionPorts
  host: AgentHost
  signal: AbortSignal
}

async function* converse(setting: Setting, prompt: PromptPart[]): AsyncGenerator<AgentEvent> {
  const { spec, place, ports, host, signal } = setting
  const obstacle = await obstacleTo(spec, ports.access)
  if (obstacle) return yield { type: 'failed', cause: obstacle }
  const { ask, memory, limit, updateLimit } = await openConversation(setting)
  const { conversation } = memory
  const uniqueId = createUniqueIds(conversation)
  if (prompt.length === 0 && (yield* repeatOpenCalls(conversation, host))) return
  const changes = place.changesSinceStop ?? []
  if (changes.length > 0) conversation.push(resumedItem(changes))
  if (prompt.length > 0) memory.prompted(prompt)
  const { stepsMax = stepsMaxDefault } = ports
  const runLimit = createRunLimit(spec.definition?.limits ?? {}, ports.clock)
  let wasAskedForReport = false
  let isLast = false
  let truncatedAnswers = 0
  for (let steps = 0; ; steps++) {
    if (steps > 0 && steps % stepsMax === 0) {
      const refusal = await refusalToContinue(host, steps, stepsMax)
      if (refusal) return yield { type: 'failed', cause: refusal }
    }
    const reached = runLimit.reached(steps)
    if (reached !== null) {
      isLast = true
      conversation.push(noteItem(lastTurnNote(reached, place.mustReport ?? false)))
    }
    const turn = await host.nextTurn()
    memory.turnBegins(turn.fromSeq)
    for (const message of turn.messages) memory.prompted(message)
    if (turn.note !== null) conversation.push(noteItem(turn.note))
    isLast ||= turn.isLast
    // Read before each turn, because some servers report the window only once they have loaded the model.
    await updateLimit()
    const fill = memory.fill()
    if (fill === 'cramped') ports.onCramped(contextTooSmallText(spec, limit))
    const answer = yield* answerWithin(memory, ask, turn.compact || fill === 'full')
    if (answer === null) return
    const { finishReason, speech } = answer
    const calls = isLast ? answer.calls.filter(isReport) : answer.calls
    const turnCalls = calls.map((call): TurnCall => {
      const { name, input, providerData } = call
      return { type: 'call', callId: uniqueId(call.id), name, input, providerData, result: null }
    })
    const usage = usageOf(answer.usage, { ...spec, model: answer.model }, { atMs: ports.clock() })
    yield { type: 'usage', usage, of: 'turn' }
    const isDone = calls.length === 0 && (finishReason === 'stop' || isLast)
    if (isDone && place.mustReport && (wasAskedForReport || (isLast && textOf(answer) !== '')))
      turnCalls.push(reportOf(textOf(answer), uniqueId('report')))
    const ended = await answerCalls(turnCalls, host)
    memory.answered(
      {
        type: 'turn',
        parts: [...speech, ...turnCalls.filter(({ result }) => result !== null)],
        state: 'whole',
      },
      answer.usage,
    )
    const { stop, model } = answer
    yield { type: 'turn-ended', usage, model, stop }
    signal.throwIfAborted()
    if (ended || isLast) return
    truncatedAnswers = finishReason === 'length' ? truncatedAnswers + 1 : 0
    const next = afterTurn({
      calls: calls.length,
      finishReason,
      truncatedAnswers,
      mustReport: place.mustReport ?? false,
      wasAskedForReport,
    })
    if (next.kind === 'failed') return yield { type: 'failed', cause: next.cause }
    if (next.kind === 'done') {
      const messages = await host.messages()
      if (messages.length === 0) return
      for (const message of messages) memory.prompted(message)
      wasAskedForReport = false
      continue
    }
    if (next.note !== null) conversation.push(noteItem(next.note))
    wasAskedForReport ||= next.asksForReport
  }
}

/** In tokens. */
interface ContextLimit {
  /** The instructions and tools, which every request contains. */
  overheadTokens: number
  /** The size at which the conversation is summarised. */
  limitTokens: number
}

/** Opens the model and reads the conversation so far. `updateLimit` reads the model's context window again. */
async function openConversation(setting: Setting) {
  const { spec, place, ports, host, signal } = setting
  const opened = await openModel(spec, ports.access)
  const instructions = await instructionsOf(setting)
  const tools = await toolsOf(setting)
  const limit: ContextLimit = {
    overheadTokens: Math.ceil((instructions.length + JSON.stringify(tools).length) / 3),
    limitTokens: await limitOf(setting),
  }
  const memory = await openMemory(place, limit)
  const ask = createAsk({
    ...ports,
    spec,
    taskId: place.taskId,
    opened,
    instructions,
    tools,
    signal,
    waitToRetry: host.waitToRetry,
    images: createShownImages(place.history, spec.provider),
  })
  return {
    ask,
    memory,
    limit,
    async updateLimit() {
      limit.limitTokens = await limitOf(setting)
    },
  }
}

/** Resolves with the tokens at which the conversation is summarised. Rejects when the run is stopped. */
async function limitOf({ spec, ports, signal }: Setting): Promise<number> {
  if (ports.contextTokens !== undefined) return ports.contextTokens
  const { contextWindow = async () => unknownWindow } = ports.access
  return compactionLimit(spec, await untilAborted(contextWindow(spec), signal))
}

/** Limit of compactions in one turn. More would not shorten the conversation further. */
const compactionsMax = 2

/**
 * Requests an answer, and summarises the conversation first if `isWanted` or if it is too long. Returns null after a
 * failure, which was yielded.
 */
async function* answerWithin(
  memory: Memory,
  ask: ReturnType<typeof createAsk>,
  isWanted: boolean,
): AsyncGenerator<AgentEvent, Answer | null> {
  let isTooLong = false
  for (let compactions = 0; ; compactions++) {
    if (isTooLong || (compactions === 0 && isWanted)) {
      const cause = yield* memory.compact(ask, isTooLong)
      if (cause) {
        yield { type: 'failed', cause }
        return null
      }
    }
    const attempt = yield* ask.answer(memory.conversation)
    if (attempt.kind === 'answered') return attempt.answer
    isTooLong = attempt.kind === 'too-long'
    if (!isTooLong || compactions === compactionsMax) {
      yield { type: 'failed', cause: attempt.kind === 'failed' ? attempt.cause : contextFull }
      return null
    }
  }
}

const contextTooSmallText = (
  spec: ModelRef,
  { overheadTokens, limitTokens }: ContextLimit,
): string =>
  `The instructions and tools of ${modelNameOf(spec)} take about ${overheadTokens.toLocaleString('en')} of the ${limitTokens.toLocaleString('en')} tokens that it is given at most, so summarising its conversation gains nothing. Choose a model with a larger context or shorten the project’s AGENTS.md or CLAUDE.md. If it runs on a server of your own, have that run it with a larger context window, and set the window in Settings › Models unless the server reports it.`

const contextFull: Cause = {
  kind: 'refused',
  detail:
    'the conversation no longer fits into the model’s context, also summarised. Continue it with a model that takes more',
}

const isReport = ({ name }: Answer['calls'][number]): boolean => name === 'agent_report'

async function instructionsOf({ spec, place, ports, signal }: Setting): Promise<string> {
  return instructionsFor({
    cwd: place.cwd,
    agent: spec.agent,
    prompt: ports.prompt,
    ...(place.sandbox && { sandbox: place.sandbox }),
    isSubAgent: place.mustReport ?? false,
    platform: process.platform,
    date: new Date(ports.clock()).toISOString().slice(0, 10),
    facts: await ports.facts(place.cwd, signal),
    inside: ports.inside,
  })
}

/** Returns the tools of its definition. The agents that it may start are read once, when the run begins. */
async function toolsOf({ spec, ports, place }: Setting): Promise<ToolSet> {
  const has = (name: string) => hasTool(spec.definition ?? null, name)
  return toolDefinitions({
    has,
    agents: has('task') ? await ports.agents() : [],
    readsRecord: place.readsRecord,
  })
}

const textOf = ({ speech }: Answer): string =>
  speech
    .map(({ type, text }) => (type === 'text' ? text : ''))
    .join('\n\n')
    .trim()

/** Asks the user whether the run continues. Resolves with null if it does. */
async function refusalToContinue(
  host: AgentHost,
  steps: number,
  stepsMax: number,
): Promise<Cause | null> {
  const answer = await host.ask({
    callId: null,
    question: `The agent has made ${steps} requests to its model in this run. Should it continue for ${stepsMax} more?`,
    options: [
      { id: 'go-on', name: 'Go on', kind: 'allow-once' },
      { id: 'stop', name: 'Stop here', kind: 'reject-once' },
    ],
  })
  if (answer.allowed) return null
  return {
    kind: 'permission-denied',
    detail:
      answer.by === 'nobody'
        ? `nobody was there to decide whether to continue after ${steps} requests`
        : `it was not allowed to continue after ${steps} requests`,
  }
}
