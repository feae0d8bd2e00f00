/** One run of an installed agent: its process, its session, and its prompts until it is done. */
import { methods } from '@agentclientprotocol/sdk/unstable'
import type {
  AgentEvent,
  AgentHost,
  AgentPlace,
  AgentSession,
  PromptPart,
} from '../../../shared/agents/agent.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { Custody } from '../../processes/custody.ts'
import type { AcpAgent } from './acp-agent.ts'
import { type AcpConnection, connectAgent, type Launch } from './connection.ts'
import { isRecord, text } from './content.ts'
import { causeOfError, causeOfStop } from './failures.ts'
import { createFeed } from './feed.ts'
import type { RunToolServer } from './mcp/tool-servers.ts'
import { allowOnce, cancelled, questionOf, responseTo } from './permission-requests.ts'
import { continueText, promptBlocks, reportWanted, resumeNotes } from './prompts.ts'
import { type Started, startSession } from './start-session.ts'
import type { OpenTaskTools } from './task-tools.ts'
import { createUpdateFold, type UpdateFold } from './updates.ts'
import { usageOfAnswer } from './usage.ts'

export interface AcpSessionPorts {
  custody: Custody
  version: string
  /** Resolves with what is started. Rejects with an Error for the person. */
  launch: () => Promise<Launch>
  /** Resolves with why it may not start in its folder, or null (K8). */
  allow: (host: AgentHost) => Promise<Cause | null>
  /** Null: the agent gets none of Shiplog's tools. */
  openTools: OpenTaskTools | null
  /** One sentence for the person. */
  onNotice: (text: string) => void
}

type Item =
  | { kind: 'update'; sessionId: string; update: unknown }
  | {
      kind: 'permission'
      request: Record<string, unknown>
      signal: AbortSignal
      resolve: (response: ReturnType<typeof allowOnce>) => void
    }

export function openAcpSession(
  agent: AcpAgent,
  place: AgentPlace,
  ports: AcpSessionPorts,
): AgentSession {
  let connection: AcpConnection | null = null
  let sessionId: string | null = null
  let tools: RunToolServer | null = null
  let isClosed = false
  const session: AgentSession = {
    ref: null,
    run,
    async cancel() {
      if (connection && sessionId !== null)
        await connection.notify(methods.agent.session.cancel, { sessionId })
    },
    async close() {
      isClosed = true
      await Promise.all([connection?.close(), tools?.close()])
    },
  }
  return session

  async function* run(prompt: PromptPart[], host: AgentHost): AsyncGenerator<AgentEvent> {
    const fold = createUpdateFold({ source: agent.source, cwd: place.cwd })
    const feed = createFeed<Item>()
    /** Updates of a session that is being loaded repeat what the record has. */
    let isLoading = true
    try {
      const refused = await ports.allow(host)
      if (refused) return yield { type: 'failed', cause: refused }
      if (isClosed) return
      connection = await connectAgent(
        await ports.launch(),
        {
          onUpdate(id, update) {
            if (!isLoading) feed.push({ kind: 'update', sessionId: id, update })
          },
          onPermission: (request, signal) =>
            new Promise((resolve) => {
              feed.push({ kind: 'permission', request, signal, resolve })
            }),
          hasRoom: feed.hasRoom,
        },
        { ...ports, taskId: place.taskId },
      )
      // Stopped while it was starting.
      if (isClosed) return void (await connection.close())
      tools = (await ports.openTools?.({ place, host, definition: agent.definition })) ?? null
      const started = await startSession(connection, {
        ...{ agent, place, version: ports.version, onNotice: ports.onNotice },
        mcpServers: tools ? [tools.entry] : [],
      })
      sessionId = started.sessionId
      session.ref = started.ref
      isLoading = false
      yield* begun(started)
      if (tools && !(await tools.listed()))
        ports.onNotice(
          `${agent.name} has not read Shiplog's tools, so it may not be able to start sub-agents.`,
        )
      yield* converse({ prompt, host, started, fold, feed, connection, tools })
      // What it sends after its last answer is kept as well.
      await connection.close()
      yield* drained(fold, feed)
    } catch (error) {
      yield* drained(fold, feed)
      yield { type: 'failed', cause: causeOfError(error, agent) }
    }
  }

  function* begun({ ref, model, capabilities }: Started): Generator<AgentEvent> {
    yield { type: 'session', ref, ...(model !== null && { model }), capabilities }
  }

  function* drained(fold: UpdateFold, feed: ReturnType<typeof createFeed<Item>>) {
    for (let item = feed.take(); item; item = feed.take()) {
      if (item.kind === 'update') yield* fold.update(item.update)
      else item.resolve(cancelled)
    }
  }

  interface Conversation {
    prompt: PromptPart[]
    host: AgentHost
    started: Started
    fold: UpdateFold
    feed: ReturnType<typeof createFeed<Item>>
    connection: AcpConnection
    tools: RunToolServer | null
  }

  async function* converse(at: Conversation): AsyncGenerator<AgentEvent> {
    const { host, started, fold, tools } = at
    let parts: PromptPart[] = [
      ...(await resumeNotes({ agent, place, started, hasTools: tools !== null })),
      ...(at.prompt.length > 0 ? at.prompt : [textPart(continueText)]),
    ]
    let askedForReport = false
    for (;;) {
      const next = await host.nextTurn()
      for (const said of next.messages) parts.push(...said)
      if (next.note !== null) parts.push(textPart(next.note))
      fold.begin()
      yield* fold.openTurn()
      const answer = yield* prompted(at, parts)
      const failure = failureOf(answer, fold, agent)
      const isReported = tools?.reported() ?? false
      const isDone = failure === null
      const { lastText } = fold.seen()
      const lacksReport = isDone && place.mustReport === true && !isReported
      const isAskedNext = lacksReport && tools !== null && !askedForReport && !next.isLast
      // Before the end of the turn, so that it belongs to it.
      if (lacksReport && !isAskedNext && lastText !== '')
        await host.callTool({ name: 'agent_report', input: reportOf(lastText, tools !== null) })
      // The end of the turn waits for its calls: a client may have given up on one without closing it.
      tools?.turnEnded()
      yield* fold.end({
        usage: usageOfAnswer(answer.result, {
          isSum: agent.sumsUsage,
          costUsd: costOf(answer.costBefore, fold.costUsd()),
        }),
        ...(started.model !== null && { model: started.model }),
        stop: answer.stop,
      })
      if (failure) return yield { type: 'failed', cause: failure }
      if (isReported || next.isLast) return
      parts = []
      if (isAskedNext) {
        askedForReport = true
        parts.push(textPart(reportWanted))
        continue
      }
      for (const said of await host.messages()) parts.push(...said)
      if (parts.length === 0) return
      askedForReport = false
    }
  }

  /** Sends one prompt. Yields what it brings, and returns its answer. Rejects as requests do. */
  async function* prompted(
    { host, started, fold, feed, connection, tools }: Conversation,
    parts: PromptPart[],
  ): AsyncGenerator<AgentEvent, PromptAnswer> {
    const costBefore = fold.costUsd() ?? (started.isNew ? 0 : null)
    const { sessionId } = started
    const state: { result?: unknown; error?: unknown; isOver: boolean } = { isOver: false }
    void connection
      .request(methods.agent.session.prompt, {
        sessionId,
        prompt: promptBlocks(parts, started.takesImages),
      })
      .then(
        (result) => Object.assign(state, { result, isOver: true }),
        (error) => Object.assign(state, { error, isOver: true }),
      )
      .then(feed.wake)
    const asking = new Set<Promise<void>>()
    let refused: string | null = null
    for (;;) {
      const item = feed.take()
      if (!item) {
        if (state.isOver) break
        await feed.wait()
        continue
      }
      if (item.kind === 'update') {
        if (item.sessionId === sessionId || item.sessionId === '') {
          const events = fold.update(item.update)
          // The agent has an answer to each of its calls, or gave up on them: no call may hold up the end of the turn.
          if (events.some(({ type }) => type === 'turn-ended')) tools?.stopWaiting()
          yield* events
        } else yield foreign({ sessionId: item.sessionId, update: item.update })
        continue
      }
      const { events, call } = fold.asked(item.request.toolCall)
      yield* events
      // Shiplog's own tools are decided on when they are called.
      if (call === 'own') item.resolve(allowOnce(item.request))
      else {
        const question = questionOf(item.request, call)
        const answering = decide(host, question, item).then((isAllowed) => {
          if (!isAllowed) refused = question.question
        })
        asking.add(answering)
        void answering.finally(() => asking.delete(answering))
      }
    }
    if ('error' in state) throw state.error
    const stop = isRecord(state.result) ? (text(state.result.stopReason) ?? '') : ''
    return { result: state.result, stop, costBefore, refused }
  }

  /** Answers a request for permission. Returns whether it was allowed. */
  async function decide(
    host: AgentHost,
    question: ReturnType<typeof questionOf>,
    { signal, resolve }: Extract<Item, { kind: 'permission' }>,
  ): Promise<boolean> {
    signal.addEventListener('abort', () => resolve(cancelled), { once: true })
    try {
      const answer = await host.ask(question)
      resolve(responseTo(answer, question.options))
      return answer.allowed
    } catch {
      // The run ends.
      resolve(cancelled)
      return false
    }
  }

  function foreign(content: { sessionId: string; update: unknown }): AgentEvent {
    return {
      type: 'foreign',
      source: agent.source,
      content: JSON.parse(JSON.stringify(content)),
    }
  }
}

interface PromptAnswer {
  result: unknown
  stop: string
  /** The cumulative cost before the prompt; null: unknown. */
  costBefore: number | null
  /** What was asked and refused during the prompt, the last of it; null: nothing. */
  refused: string | null
}

const textPart = (said: string): PromptPart => ({ type: 'text', text: said })

function failureOf(
  { stop, result, refused }: PromptAnswer,
  fold: UpdateFold,
  agent: AcpAgent,
): Cause | null {
  const { failure, hasSpeech, calls } = fold.seen()
  if (failure) return failure
  // Codex ends its turn so, and waits for what the person says instead.
  if (stop === 'cancelled' && refused !== null)
    return { kind: 'permission-denied', detail: `${agent.name} stopped after “${refused}”` }
  const cause = causeOfStop(stop)
  if (cause) return cause
  const hasUsage = isRecord(result) && isRecord(result.usage)
  if (hasSpeech || calls > 0 || hasUsage) return null
  return { kind: 'refused' as const, detail: `${agent.name} ended its turn without an answer` }
}

/** Null: it did not say, or what it cost before is unknown. */
const costOf = (before: number | null, after: number | null): number | null =>
  before === null || after === null ? null : Math.max(0, after - before)

function reportOf(said: string, wasAsked: boolean) {
  const title = 'Its last message: it gave no report'
  const also = wasAsked ? ', also when it was asked for one' : ''
  return {
    title,
    markdown: `*This agent ended without a report${also}. Its last message:*\n\n${said}`,
  }
}
