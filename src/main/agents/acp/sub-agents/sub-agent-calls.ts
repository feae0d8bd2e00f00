/**
 * The sub-agents that an agent runs itself, as its sessions announce them: each becomes a call of the record, which
 * starts a task of its own. The call ends when the agent continues without waiting, at the latest when the sub-agent is
 * idle; the task ends with the sub-agent.
 */
import type { AgentEvent } from '../../../../shared/agents/driver/agent-events.ts'
import type { AgentHost, OpenAgent } from '../../../../shared/agents/driver/agent-session.ts'
import type { TaskId, ToolCallId } from '../../../../shared/records/ids.ts'
import { isRecord, jsonOf, text, textOfContent } from '../content.ts'
import type { Child } from '../session-items.ts'
import { isSpeechOrCall } from '../updates/update-kinds.ts'
import type { UpdateFold } from '../updates/updates.ts'
import type { SessionFeeds } from './session-feeds.ts'

export interface SubAgentCalls {
  /** The update is about a sub-agent of the session, and not of the session itself. */
  isAbout(update: unknown): boolean
  /** `about`: the sub-agent, as of the arrival of the update. */
  read(update: unknown, about: Child | null): AsyncGenerator<AgentEvent>
  /** A sub-agent sent something: it becomes a task, if it is none yet. */
  began(child: Child): AsyncGenerator<AgentEvent>
  /** The agent itself said or did something: it waits for none of its sub-agents. */
  parentUpdate(update: unknown): Generator<AgentEvent>
  /** The agent has ended its turn. */
  turnEnds(): Generator<AgentEvent>
  /** Whether one began work since the last call of it. */
  takeBegan(): boolean
}

/** Reports about a sub-agent before it became a task. */
interface Announced {
  title: string | null
  description: string | null
  /** Messages to it, by their ids. */
  told: Map<string, string>
  /** The call whose message gave it its work. */
  callId: string | null
  /** The newest round that became a task, or could not. */
  startedRound: number
}

interface OpenCall {
  toolCallId: string
  child: Child
  /** Null: it could not become a task. */
  taskId: TaskId | null
  title: string
  agent: string
}

export function createSubAgentCalls({
  source,
  sessionId: own,
  isSubAgent,
  feeds,
  fold,
  host,
  open,
}: {
  /** The agent, in foreign entries. */
  source: string
  sessionId: string
  /** The session is that of a sub-agent itself. */
  isSubAgent: boolean
  feeds: SessionFeeds
  fold: UpdateFold
  host: Pick<AgentHost, 'adopt'>
  open: (child: Child) => OpenAgent
}): SubAgentCalls {
  const announced = new Map<string, Announced>()
  /** The message with the prompt of this session, if it is that of a sub-agent. */
  let promptId: string | null = null
  /** By the ids of messages, which may come in pieces. */
  const chunksTo = new Map<string, Child>()
  const calls = new Set<OpenCall>()
  let hasBegun = false

  const foreign = (update: unknown): AgentEvent => ({
    type: 'foreign',
    source,
    content: jsonOf(update),
  })

  function of(sessionId: string): Announced {
    const known = announced.get(sessionId)
    if (known) return known
    const fresh: Announced = {
      ...{ title: null, description: null, callId: null, startedRound: 0 },
      told: new Map(),
    }
    announced.set(sessionId, fresh)
    return fresh
  }

  /** The message between the session and a sub-agent that `update` holds; null if it is another kind of update. */
  function messageOf(update: Record<string, unknown>) {
    const messageId = text(update.messageId)
    if (messageId === null) return null
    if (update.sessionUpdate === 'session_message_chunk') {
      const to = [...announced].find(([, { told }]) => told.has(messageId))?.[0]
      return to === undefined ? null : { messageId, to, from: own }
    }
    const to = text(update.recipientSessionId)
    const from = text(update.senderSessionId)
    if (to === null || from === null || (to !== own && from !== own)) return null
    return { messageId, to, from }
  }

  async function* read(update: unknown, child: Child | null): AsyncGenerator<AgentEvent> {
    if (!isRecord(update)) return
    if (update.sessionUpdate === 'subagent_update') return yield* describe(update, child)
    const message = messageOf(update)
    if (!message) return yield foreign(update)
    const said = Array.isArray(update.content)
      ? update.content.map((block) => textOfContent(block) ?? '').join('\n')
      : (textOfContent(update.content) ?? '')
    if (message.from !== own) {
      // The answer of a sub-agent: its own session has it.
      if (announced.has(message.from)) return yield* endCalls(message.from)
      // The first message of its parent is the prompt of its task.
      promptId ??= isSubAgent ? message.messageId : null
      if (promptId !== message.messageId) yield foreign(update)
      return
    }
    const to = child ?? chunksTo.get(message.messageId)
    if (!to) return yield foreign(update)
    chunksTo.set(message.messageId, to)
    const { told } = of(message.to)
    const isMore = update.sessionUpdate === 'session_message_chunk'
    told.set(message.messageId, isMore ? (told.get(message.messageId) ?? '') + said : said)
    if (told.size === 1) of(message.to).callId = message.messageId
    if (!isMore && said !== '') yield* began(to)
  }

  async function* describe(
    update: Record<string, unknown>,
    child: Child | null,
  ): AsyncGenerator<AgentEvent> {
    if (!child) return yield foreign(update)
    const { sessionId } = child
    const about = of(sessionId)
    if ('title' in update) about.title = text(update.title)
    if ('description' in update) about.description = text(update.description)
    const { state } = isRecord(update.state) ? update.state : {}
    if (state !== 'idle') return
    // One that sent nothing at all has a task as well.
    yield* began(child)
    yield* endCalls(sessionId)
  }

  async function* began(child: Child): AsyncGenerator<AgentEvent> {
    const { sessionId } = child
    const about = of(sessionId)
    // A later message to one at work is part of the same work.
    if (about.startedRound >= child.round) return about.told.clear()
    about.startedRound = child.round
    hasBegun = true
    const prompt = [...about.told.values()].join('\n\n') || about.description || about.title || ''
    const toolCallId = about.callId ?? `${sessionId.slice(-80)}#${child.round}`
    const title = about.title ?? firstLine(about.description ?? prompt)
    const agent = roleOf(about)
    about.told.clear()
    about.callId = null
    const started = fold.update({
      ...{ sessionUpdate: 'tool_call', toolCallId, name: 'task', kind: 'other', title },
      rawInput: { agent, title, prompt },
    })
    yield* started
    let taskId: TaskId | null = null
    try {
      const callId = callStartedBy(started)
      ;({ taskId } = await host.adopt({ callId, agent, title, prompt, open: open(child) }))
    } catch (error) {
      feeds.leave(child)
      const why = error instanceof Error ? error.message : String(error)
      yield* ended({ toolCallId, status: 'failed', output: `It is not a task of its own: ${why}` })
      return
    }
    calls.add({ toolCallId, child, taskId, title, agent })
  }

  /** `sessionId`: of the sub-agent; absent: of all. */
  function* endCalls(sessionId?: string): Generator<AgentEvent> {
    for (const call of calls) {
      if (sessionId !== undefined && call.child.sessionId !== sessionId) continue
      calls.delete(call)
      const { toolCallId, taskId, title, agent } = call
      const isOver = !call.child.isWorking
      const task = { taskId, title, agent, cause: null, report: null }
      yield* ended({
        ...{ toolCallId, status: 'completed' },
        output: isOver
          ? 'Done: its transcript and its report are those of the task.'
          : 'It runs on in the background.',
        tasks: [{ ...task, status: isOver ? 'completed' : 'spawned' }],
      })
    }
  }

  function* ended({
    toolCallId,
    status,
    output,
    tasks,
  }: {
    toolCallId: string
    status: 'completed' | 'failed'
    output: string
    tasks?: object[]
  }): Generator<AgentEvent> {
    const events = fold.update({
      ...{ sessionUpdate: 'tool_call_update', toolCallId, status },
      content: [{ type: 'content', content: { type: 'text', text: output } }],
    })
    for (const event of events)
      yield event.type === 'call-ended' && tasks
        ? ({ ...event, detail: { kind: 'tasks', tasks } } as AgentEvent)
        : event
  }

  return {
    isAbout: (update) => isRecord(update) && aboutSubAgents.has(String(update.sessionUpdate)),
    read,
    began,
    *parentUpdate(update) {
      if (calls.size > 0 && isSpeechOrCall(update)) yield* endCalls()
    },
    turnEnds: () => endCalls(),
    takeBegan() {
      const taken = hasBegun
      hasBegun = false
      return taken
    },
  }
}

/** As it is in the record. */
function callStartedBy(events: readonly AgentEvent[]): ToolCallId {
  const started = events.find((event) => event.type === 'call-started')
  if (!started) throw new Error('its call could not be recorded.')
  return started.callId
}

const aboutSubAgents: ReadonlySet<string> = new Set([
  'subagent_update',
  'session_message',
  'session_message_chunk',
])

const titleCharsMax = 120

function firstLine(said: string): string {
  const [line = ''] = said.trim().split('\n', 1)
  return line === '' ? 'Sub-agent' : line.slice(0, titleCharsMax)
}

/** Claude Code gives the kind of a sub-agent as its description, and what it does as its title. */
const roleOf = ({ title, description }: Announced): string =>
  title !== null && description !== null && /^[\w.:-]{1,60}$/.test(description)
    ? description
    : 'sub-agent'
