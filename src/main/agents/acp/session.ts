/** Runs an installed agent once: its process, its session, and its prompts until it is done. */
import { methods } from '@agentclientprotocol/sdk/unstable'
import { noSessionCost } from '../../../shared/agents/agent-records.ts'
import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { AgentPlace } from '../../../shared/agents/driver/agent-place.ts'
import type { AgentHost, AgentSession } from '../../../shared/agents/driver/agent-session.ts'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import type { PromptPart } from '../../../shared/agents/driver/prompt-parts.ts'
import type { Cause } from '../../../shared/records/causes.ts'
import type { Custody } from '../../processes/custody.ts'
import type { AcpAgent } from './acp-agent.ts'
import { isRecord, jsonOf, text } from './content.ts'
import { causeOfError, causeOfStop } from './failures.ts'
import type { RunToolServer } from './mcp/tool-servers.ts'
import { type AcpConnection, connectAgent, type Launch } from './process/connection.ts'
import { continueText, promptBlocks, reportWanted, resumeNotes } from './prompts.ts'
import { createItemReader, type ItemReader, leftoverEvents } from './read-items.ts'
import { createReplay, type Replay } from './replay.ts'
import type { Item, SessionItem } from './session-items.ts'
import { type Started, startSession } from './start-session.ts'
import { openChild } from './sub-agents/child-session.ts'
import { createSessionFeeds, type SessionFeeds } from './sub-agents/session-feeds.ts'
import { createSubAgentCalls, type SubAgentCalls } from './sub-agents/sub-agent-calls.ts'
import type { OpenTaskTools } from './task-tools.ts'
import { type CallIds, createCallIds } from './updates/call-ids.ts'
import { basesOf, totalUsdIn } from './updates/session-cost.ts'
import { createUpdateFold, type UpdateFold } from './updates/updates.ts'
import { isReportedByModel, usageOfAnswer } from './updates/usage.ts'

export interface AcpSessionPorts {
  custody: Custody
  version: string
  /** Resolves with the program to start. Rejects with an Error whose message is for the user. */
  launch: () => Promise<Launch>
  /** Resolves with the cause for which the agent may not start in its folder; null if it may (K8). */
  allow: (host: AgentHost) => Promise<Cause | null>
  /** Null if the agent is not offered Shiplog's tools. */
  openTools: OpenTaskTools | null
  mask: Masker
  /** Reports one sentence to the user. */
  onNotice: (text: string) => void
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
    const ids = createCallIds(place.run ?? 1)
    const fold = createUpdateFold({ source: agent.source, cwd: place.cwd, ids })
    const feeds = createSessionFeeds()
    /** Filled while the agent loads a session. */
    let replay: Replay | null = createReplay(place.cwd, ports.mask)
    /** The cost of the session that the agent reported before the first prompt, in USD; null if it reported none. */
    let costAtStartUsd: number | null = null
    try {
      const refused = await ports.allow(host)
      if (refused) return yield { type: 'failed', cause: refused }
      if (isClosed) return
      host.starting(agent.name)
      const connected = await connectAgent(
        await ports.launch(),
        {
          onUpdate(id, update) {
            if (replay) {
              host.starting(agent.name)
              // Sub-agents of the agent itself are tasks, with records of their own.
              if (id === place.resume?.id) replay.add(update)
              feeds.replayed(id, update)
              costAtStartUsd = totalUsdIn(update) ?? costAtStartUsd
            } else feeds.update(id, update)
          },
          onPermission: (request, signal) =>
            new Promise((resolve) => {
              feeds.permission({ kind: 'permission', request, signal, resolve })
            }),
          hasRoom: feeds.hasRoom,
        },
        { ...ports, taskId: place.taskId },
      )
      connection = connected
      void connection.gone.then(feeds.end)
      // The run was stopped while the process was starting.
      if (isClosed) return void (await connection.close())
      tools =
        (await ports.openTools?.({
          place,
          host: withCallIds(host, ids),
          definition: agent.definition,
          untilRead: () => connected.read().then(feeds.untilRead),
        })) ?? null
      const started = await startSession(connection, {
        agent,
        place,
        version: ports.version,
        onNotice: ports.onNotice,
        tools,
      })
      sessionId = started.sessionId
      session.ref = started.ref
      const replayed = started.isReplayed ? replay : null
      replay = null
      if (!started.isNew) fold.cost.continueFrom(basesOf(place.resumeCost ?? noSessionCost, agent))
      if (costAtStartUsd !== null) fold.cost.reported(costAtStartUsd)
      yield* sessionStarted(started)
      if (replayed) yield* replayDifferences(replayed, started)
      if (tools && !(await tools.listed()))
        ports.onNotice(
          `${agent.name} has not read Shiplog's tools, so it may not be able to start sub-agents.`,
        )
      yield* converse(conversationOf({ prompt, host, started, fold, feeds, connection, tools }))
      // Updates that the agent sends after its last answer are kept as well.
      await connection.close()
      yield* leftoverEvents(fold, feeds.main)
    } catch (error) {
      yield* leftoverEvents(fold, feeds.main)
      yield { type: 'failed', cause: causeOfError(error, agent) }
    } finally {
      feeds.end(null)
    }
  }

  function* sessionStarted({ ref, model, capabilities }: Started): Generator<AgentEvent> {
    yield { type: 'session', ref, ...(model !== null && { model }), capabilities }
  }

  /** Yields how the agent's replay differs from the record. The replay itself is not recorded again. */
  async function* replayDifferences(replay: Replay, { ref }: Started): AsyncGenerator<AgentEvent> {
    const found = await replay.differences(place.history, ref)
    if (!found) return
    ports.onNotice(
      `${agent.name}'s own record of this conversation differs from Shiplog's, which stays as it is: ${found.sentences.join(' ')}`,
    )
    yield { type: 'foreign', source: agent.source, content: jsonOf({ replay: found }) }
  }

  function conversationOf(
    at: Omit<Conversation, 'reader' | 'subAgents'> & { connection: AcpConnection },
  ): Conversation {
    const { host, started, fold, feeds, connection, tools } = at
    const { sessionId } = started
    const { source } = agent
    const subAgents = createSubAgentCalls({
      source,
      sessionId,
      isSubAgent: false,
      feeds,
      fold,
      host,
      open: openChild({
        agent,
        connection,
        feeds,
        mainSessionId: sessionId,
        parentCwd: () => place.cwd,
      }),
    })
    const reader = createItemReader({
      source,
      shell: agent.shell,
      sessionId,
      fold,
      host,
      tools,
      subAgents,
    })
    return { ...at, reader, subAgents }
  }

  interface Conversation {
    prompt: PromptPart[]
    host: AgentHost
    started: Started
    fold: UpdateFold
    feeds: SessionFeeds
    reader: ItemReader
    subAgents: SubAgentCalls
    connection: AcpConnection
    tools: RunToolServer | null
  }

  async function* converse(at: Conversation): AsyncGenerator<AgentEvent> {
    const { host, started, fold, tools } = at
    let parts: PromptPart[] = [
      ...(await resumeNotes({ agent, place, started, hasTools: tools !== null })),
      ...(at.prompt.length > 0 ? at.prompt : [textPart(continueText)]),
    ]
    let wasAskedForReport = false
    let isFirstOfResume = !started.isNew
    for (;;) {
      const next = await host.nextTurn()
      for (const message of next.messages) parts.push(...message)
      if (next.note !== null) parts.push(textPart(next.note))
      fold.begin()
      yield* fold.openTurn()
      const answer = yield* sendPrompt(at, parts)
      const failure = failureOf(answer, fold, agent)
      const isReported = tools?.reported() ?? false
      const isDone = failure === null
      const { lastText } = fold.seen()
      const lacksReport = isDone && place.mustReport === true && !isReported
      const willAskForReport = lacksReport && tools !== null && !wasAskedForReport && !next.isLast
      // Reported before the turn ends, so that the report belongs to the turn.
      if (lacksReport && !willAskForReport && lastText !== '')
        await host.callTool({ name: 'agent_report', input: reportOf(lastText, tools !== null) })
      const { subAgentsRanOn } = answer
      const isCounted = isReportedByModel(answer.result) && !isFirstOfResume && !subAgentsRanOn
      const isWithoutSubAgents = at.subAgents.takeStarted() && !isCounted
      isFirstOfResume = false
      // A client may have abandoned a call without closing it, and the end of the turn waits for all calls.
      tools?.turnEnded()
      yield* fold.end({
        usage: usageOfAnswer(answer.result, {
          isSum: agent.sumsUsage && !(agent.countsSubAgents && isWithoutSubAgents),
          byModel: agent.countsSubAgents,
          costUsd: fold.cost.uncountedUsd(),
        }),
        ...(started.model !== null && { model: started.model }),
        stop: answer.stop,
      })
      if (failure) return yield { type: 'failed', cause: failure }
      if (isReported || next.isLast) return
      parts = []
      if (willAskForReport) {
        wasAskedForReport = true
        parts.push(textPart(reportWanted))
        continue
      }
      for (const message of await host.messages()) parts.push(...message)
      if (parts.length === 0) return
      wasAskedForReport = false
    }
  }

  /** Sends one prompt, yields its events and returns its answer. Rejects as `AcpConnection.request` does. */
  async function* sendPrompt(
    { started, feeds, reader, subAgents, connection }: Conversation,
    parts: PromptPart[],
  ): AsyncGenerator<AgentEvent, PromptAnswer> {
    const { sessionId } = started
    const feed = feeds.main
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
    place.signal.addEventListener('abort', feed.wake, { once: true })
    let subAgentsRanOn = false
    for (;;) {
      const item = feed.take()
      if (item && isOfSubAgent(item)) continue
      if (item) {
        yield* reader.read(item)
        continue
      }
      // The agent's sub-agents run in its process, which ends with the run.
      const isWaiting = !('error' in state) && !place.signal.aborted && feeds.areWorking()
      if (state.isOver && !isWaiting) break
      if (state.isOver) subAgentsRanOn = true
      if (state.isOver) yield* subAgents.turnEnds()
      await feed.wait()
    }
    if ('error' in state) throw state.error
    yield* subAgents.turnEnds()
    const stop = isRecord(state.result) ? (text(state.result.stopReason) ?? '') : ''
    return { result: state.result, stop, refused: reader.takeRefused(), subAgentsRanOn }
  }
}

interface PromptAnswer {
  result: unknown
  stop: string
  /** The last question that was refused during the prompt; null if none was. */
  refused: string | null
  /** Sub-agents in the agent's process still worked when the answer was given. */
  subAgentsRanOn: boolean
}

/** Converts the agent's ids of calls over MCP, which equal those in its updates, to the record's. */
const withCallIds = (host: AgentHost, ids: CallIds): AgentHost => ({
  ...host,
  callTool: ({ callId, ...call }, options) =>
    host.callTool({ ...call, ...(callId !== undefined && { callId: ids.only(callId) }) }, options),
})

const isOfSubAgent = (item: SessionItem): item is Exclude<SessionItem, Item> =>
  item.kind === 'idle' || item.kind === 'moved' || item.kind === 'gone'

const textPart = (content: string): PromptPart => ({ type: 'text', text: content })

function failureOf(
  { stop, result, refused }: PromptAnswer,
  fold: UpdateFold,
  agent: AcpAgent,
): Cause | null {
  const { failure, hasSpeech, calls } = fold.seen()
  if (failure) return failure
  // Codex cancels its turn after a refusal and waits for another prompt.
  if (stop === 'cancelled' && refused !== null)
    return { kind: 'permission-denied', detail: `${agent.name} stopped after “${refused}”` }
  const cause = causeOfStop(stop)
  if (cause) return cause
  const hasUsage = isRecord(result) && isRecord(result.usage)
  if (hasSpeech || calls > 0 || hasUsage) return null
  return { kind: 'refused' as const, detail: `${agent.name} ended its turn without an answer` }
}

/** `wasAsked`: the agent was asked for a report and gave none. */
function reportOf(lastText: string, wasAsked: boolean) {
  const title = 'Its last message: it gave no report'
  const also = wasAsked ? ', also when it was asked for one' : ''
  return {
    title,
    markdown: `*This agent ended without a report${also}. Its last message:*\n\n${lastText}`,
  }
}
