/**
 * Records the sub-agents that an agent runs itself: each becomes a call in the record, which starts a task. The call
 * ends when the agent continues without waiting, at the latest when the sub-agent is idle; the task ends with the
 * sub-agent.
 */
import type { AgentEvent } from '../../../../shared/agents/driver/agent-events.ts'
import type { AgentHost, OpenAgent } from '../../../../shared/agents/driver/agent-session.ts'
import { messageOf } from '../../../../shared/error-message.ts'
import type { TaskId, ToolCallId } from '../../../../shared/records/ids.ts'
import { isRecord, jsonOf, text, textOfContent } from '../content.ts'
import type { Child } from '../session-items.ts'
import { isSpeechOrCall } from '../updates/update-kinds.ts'
import type { UpdateFold } from '../updates/updates.ts'
import type { SessionFeeds } from './session-feeds.ts'

export interface SubAgentCalls {
  /** Reports whether an update is about a sub-agent of the session and not about the session itself. */
  isAbout(update: unknown): boolean
  /** Handles an update for which `isAbout` is true. `child` is the sub-agent as it was when the update arrived. */
  read(update: unknown, child: Child | null): AsyncGenerator<AgentEvent>
  /** Starts the task of a sub-agent that sent its first item, unless it has one. */
  startTask(child: Child): AsyncGenerator<AgentEvent>
  /** Ends the open calls if the update is speech or a call of the agent itself: it no longer waits for sub-agents. */
  parentUpdate(update: unknown): Generator<AgentEvent>
  /** Ends the open calls, because the agent has ended its turn. */
  turnEnds(): Generator<AgentEvent>
  /** Reports whether any sub-agent started since the previous call of this function. */
  takeStarted(): boolean
}

/** What is known of a sub-agent before it becomes a task. */
interface Announcement {
  title: string | null
  description: string | null
  /** The messages to it, by message id. */
  messages: Map<string, string>
  /** The id of the message that gave it its work; its call gets the same id. */
  callId: string | null
  /** The newest round for which a task was started or refused. */
  startedRound: number
}

interface OpenCall {
  toolCallId: string
  child: Child
  /** Null if it could not become a task. */
  taskId: TaskId | null
  title: string
  agent: string
}

export function createSubAgentCalls({
  source,
  sessionId: ownSessionId,
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
  const announced = new Map<string, Announcement>()
  /** The message with the prompt of this session, if it is a sub-agent's. */
  let promptId: string | null = null
  /** The recipients of messages that may arrive in pieces, by message id. */
  const chunksTo = new Map<string, Child>()
  const calls = new Set<OpenCall>()
  let hasStarted = false

  const foreign = (update: unknown): AgentEvent => ({
    type: 'foreign',
    source,
    content: jsonOf(update),
  })

  function announcementOf(sessionId: string): Announcement {
    const known = announced.get(sessionId)
    if (known) return known
    const created: Announcement = {
      title: null,
      description: null,
      callId: null,
      startedRound: 0,
      messages: new Map(),
    }
    announced.set(sessionId, created)
    return created
  }

  /** Returns the message between the session and a sub-agent; null if the update has none. */
  function messageBetween(update: Record<string, unknown>) {
    const messageId = text(update.messageId)
    if (messageId === null) return null
    if (update.sessionUpdate === 'session_message_chunk') {
      const to = [...announced].find(([, { messages }]) => messages.has(messageId))?.[0]
      return to === undefined ? null : { messageId, to, from: ownSessionId }
    }
    const to = text(update.recipientSessionId)
    const from = text(update.senderSessionId)
    if (to === null || from === null || (to !== ownSessionId && from !== ownSessionId)) return null
    return { messageId, to, from }
  }

  async function* read(update: unknown, child: Child | null): AsyncGenerator<AgentEvent> {
    if (!isRecord(update)) return
    if (update.sessionUpdate === 'subagent_update') return yield* describe(update, child)
    const message = messageBetween(update)
    if (!message) return yield foreign(update)
    const content = Array.isArray(update.content)
      ? update.content.map((block) => textOfContent(block) ?? '').join('\n')
      : (textOfContent(update.content) ?? '')
    if (message.from !== ownSessionId) {
      // The answer of a sub-agent is in its own session.
      if (announced.has(message.from)) return yield* endCalls(message.from)
      // The first message of the parent is the prompt of this task, which is recorded already.
      promptId ??= isSubAgent ? message.messageId : null
      if (promptId !== message.messageId) yield foreign(update)
      return
    }
    const to = child ?? chunksTo.get(message.messageId)
    if (!to) return yield foreign(update)
    chunksTo.set(message.messageId, to)
    const { messages } = announcementOf(message.to)
    const isChunk = update.sessionUpdate === 'session_message_chunk'
    messages.set(
      message.messageId,
      isChunk ? (messages.get(message.messageId) ?? '') + content : content,
    )
    if (messages.size === 1) announcementOf(message.to).callId = message.messageId
    if (!isChunk && content !== '') yield* startTask(to)
  }

  async function* describe(
    update: Record<string, unknown>,
    child: Child | null,
  ): AsyncGenerator<AgentEvent> {
    if (!child) return yield foreign(update)
    const { sessionId } = child
    const announcement = announcementOf(sessionId)
    if ('title' in update) announcement.title = text(update.title)
    if ('description' in update) announcement.description = text(update.description)
    const { state } = isRecord(update.state) ? update.state : {}
    if (state !== 'idle') return
    // A sub-agent that sent nothing becomes a task as well.
    yield* startTask(child)
    yield* endCalls(sessionId)
  }

  async function* startTask(child: Child): AsyncGenerator<AgentEvent> {
    const { sessionId } = child
    const announcement = announcementOf(sessionId)
    // A message to a working sub-agent belongs to the same work.
    if (announcement.startedRound >= child.round) return announcement.messages.clear()
    announcement.startedRound = child.round
    hasStarted = true
    const prompt =
      [...announcement.messages.values()].join('\n\n') ||
      announcement.description ||
      announcement.title ||
      ''
    const toolCallId = announcement.callId ?? `${sessionId.slice(-80)}#${child.round}`
    const title = announcement.title ?? firstLine(announcement.description ?? prompt)
    const agent = roleOf(announcement)
    announcement.messages.clear()
    announcement.callId = null
    const started = fold.update({
      sessionUpdate: 'tool_call',
      toolCallId,
      name: 'task',
      kind: 'other',
      title,
      rawInput: { agent, title, prompt },
    })
    yield* started
    let taskId: TaskId | null = null
    try {
      const callId = callStartedBy(started)
      ;({ taskId } = await host.adopt({ callId, agent, title, prompt, open: open(child) }))
    } catch (error) {
      feeds.leave(child)
      const why = messageOf(error)
      yield* endCall({
        toolCallId,
        status: 'failed',
        output: `It is not a task of its own: ${why}`,
      })
      return
    }
    calls.add({ toolCallId, child, taskId, title, agent })
  }

  /** Ends the open calls of one sub-agent, or of all. */
  function* endCalls(sessionId?: string): Generator<AgentEvent> {
    for (const call of calls) {
      if (sessionId !== undefined && call.child.sessionId !== sessionId) continue
      calls.delete(call)
      const { toolCallId, taskId, title, agent } = call
      const isOver = !call.child.isWorking
      const task = { taskId, title, agent, cause: null, report: null }
      yield* endCall({
        toolCallId,
        status: 'completed',
        output: isOver
          ? 'Done: its transcript and its report are those of the task.'
          : 'It runs on in the background.',
        tasks: [{ ...task, status: isOver ? 'completed' : 'spawned' }],
      })
    }
  }

  function* endCall({
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
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status,
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
    startTask,
    *parentUpdate(update) {
      if (calls.size > 0 && isSpeechOrCall(update)) yield* endCalls()
    },
    turnEnds: () => endCalls(),
    takeStarted() {
      const taken = hasStarted
      hasStarted = false
      return taken
    },
  }
}

/** Returns the id that the call has in the record. */
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

function firstLine(content: string): string {
  const [line = ''] = content.trim().split('\n', 1)
  return line === '' ? 'Sub-agent' : line.slice(0, titleCharsMax)
}

/** Claude Code sends the kind of a sub-agent as its description, and its work as its title. */
const roleOf = ({ title, description }: Announcement): string =>
  title !== null && description !== null && /^[\w.:-]{1,60}$/.test(description)
    ? description
    : 'sub-agent'
