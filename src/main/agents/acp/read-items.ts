/** Converts the items of one agent session to events and answers. */

import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { AgentHost } from '../../../shared/agents/driver/agent-session.ts'
import type { CommandShell } from '../../../shared/agents/permissions.ts'
import { jsonOf } from './content.ts'
import type { RunToolServer } from './mcp/tool-servers.ts'
import { allowOnce, cancelled, questionOf, responseTo } from './permission-requests.ts'
import type { Item, SessionItem } from './session-items.ts'
import type { SubAgentCalls } from './sub-agents/sub-agent-calls.ts'
import { hasContent } from './updates/update-kinds.ts'
import type { UpdateFold } from './updates/updates.ts'

export interface ItemReader {
  /** Yields the events of one item. A request for permission is answered later. */
  read(item: Item): AsyncGenerator<AgentEvent>
  /** Returns the last question that was refused since the previous call; null if none was. */
  takeRefused(): string | null
}

export function createItemReader({
  source,
  shell,
  sessionId,
  fold,
  host,
  tools,
  subAgents,
}: {
  /** The agent's name in foreign entries. */
  source: string
  shell: CommandShell
  sessionId: string
  fold: UpdateFold
  host: AgentHost
  tools: Pick<RunToolServer, 'stopWaiting'> | null
  subAgents: SubAgentCalls
}): ItemReader {
  let refused: string | null = null

  async function* read(item: Item): AsyncGenerator<AgentEvent> {
    if (item.kind === 'mark') return item.resolve()
    if (item.kind === 'sub-agent-began') return yield* subAgents.startTask(item.child)
    if (item.kind === 'permission') return yield* ask(item)
    if (item.sessionId !== sessionId && item.sessionId !== '') {
      const { update } = item
      if (hasContent(update))
        yield { type: 'foreign', source, content: jsonOf({ sessionId: item.sessionId, update }) }
      return
    }
    if (subAgents.isAbout(item.update)) return yield* subAgents.read(item.update, item.about)
    yield* subAgents.parentUpdate(item.update)
    const events = fold.update(item.update)
    // The agent has the answers to its calls, or stopped waiting for them: no call may delay the end of the turn.
    if (events.some(({ type }) => type === 'turn-ended')) tools?.stopWaiting()
    yield* events
  }

  function* ask(item: Extract<Item, { kind: 'permission' }>): Generator<AgentEvent> {
    const { events, call } = fold.asked(item.request.toolCall)
    yield* events
    // Shiplog's own tools are decided on when they are called.
    if (call === 'own') return item.resolve(allowOnce(item.request))
    const question = questionOf(item.request, call === 'perhaps-own' ? null : call, shell)
    // An answer would have no effect: the user must not be asked, nor the record state that it was allowed.
    if (!question.options.some(({ kind }) => kind === 'allow-once')) {
      refused = question.question
      item.resolve(responseTo({ optionId: null, allowed: false, by: 'nobody' }, question.options))
      yield { type: 'foreign', source, content: { unanswerable: jsonOf(item.request) } }
      return
    }
    void decide(question, item).then((isAllowed) => {
      if (!isAllowed) refused = question.question
    })
  }

  /** Answers a request for permission. Returns whether it was allowed. */
  async function decide(
    question: ReturnType<typeof questionOf>,
    { signal, resolve }: Extract<Item, { kind: 'permission' }>,
  ): Promise<boolean> {
    signal.addEventListener('abort', () => resolve(cancelled), { once: true })
    try {
      const answer = await host.ask(question)
      resolve(responseTo(answer, question.options))
      return answer.allowed
    } catch {
      // `ask` rejects when the run ends.
      resolve(cancelled)
      return false
    }
  }

  return {
    read,
    takeRefused() {
      const taken = refused
      refused = null
      return taken
    },
  }
}

/** Yields the events of the items that are left after the last prompt, and refuses their requests. */
export function* leftoverEvents(
  fold: UpdateFold,
  feed: { take(): SessionItem | undefined },
): Generator<AgentEvent> {
  for (let item = feed.take(); item; item = feed.take()) {
    if (item.kind === 'update') yield* fold.update(item.update)
    else if (item.kind === 'permission') item.resolve(cancelled)
    else if (item.kind === 'mark') item.resolve()
  }
}
