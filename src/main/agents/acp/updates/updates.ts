/**
 * Folds the updates of an agent's session into events. Updates are upserts: a call may first be mentioned by
 * `tool_call`, `tool_call_update` or a request for permission, and its title, kind and input may change later; a message
 * is identified by `messageId` where the agent gives one. Nothing is dropped silently: what this version can't read
 * becomes a `foreign` event (G8).
 */

import type { AgentEvent, SpeechKind } from '../../../../shared/agents/driver/agent-events.ts'
import type { Cause } from '../../../../shared/records/causes.ts'
import type { Usage } from '../../../../shared/records/usage.ts'
import { isRecord, type Json, jsonOf, text, textOfContent } from '../content.ts'
import { type CallIds, createCallIds } from './call-ids.ts'
import { type CallState, callStateOf, changesOfCall, endOfCall, isEnd, newCall } from './calls.ts'
import { createCompactions } from './compactions.ts'
import { createEndedCalls, type Moment } from './ended-calls.ts'
import { isCertainlyOwn, ownToolOf } from './own-tools.ts'
import { planItemsOf } from './plan.ts'
import { createSessionCost, type SessionCost, totalUsdIn } from './session-cost.ts'
import { shownPathIn } from './shown-paths.ts'
import { createTurns } from './turns.ts'

export interface UpdateFold {
  /** `update` as received, of any shape. */
  update(update: unknown): AgentEvent[]
  /** Upserts the call of a request for permission. */
  asked(toolCall: unknown): Upserted
  /** Ends the turn, because the agent has answered its prompt. `usage` is that of the whole prompt. */
  end(of: { usage: Usage | undefined; model?: string | undefined; stop?: string }): AgentEvent[]
  /** Summarizes the updates of the current prompt. */
  seen(): {
    /** The text of the last message. */
    lastText: string
    hasSpeech: boolean
    calls: number
    /** A failure that the agent reported although its turn ended normally; null if there is none. */
    failure: Cause | null
  }
  readonly cost: SessionCost
  /** The mode that the agent reported last; null if it reported none. */
  mode(): string | null
  /** The agent works in another folder from now on. Absolute. */
  moveTo(cwd: string): void
  /** A new prompt is sent. */
  begin(): void
  /** Begins its turn before its first update, because calls over MCP may arrive before that. */
  openTurn(): AgentEvent[]
}

interface Upserted {
  events: AgentEvent[]
  /**
   * Null if the call can't be read. `own`: it is a call of one of Shiplog's tools, `perhaps-own`: it looks like one, and
   * is recorded like one if it is.
   */
  call: CallState | 'own' | 'perhaps-own' | null
}

/**
 * `source` is the agent's name in foreign entries, such as `acp:codex`; `cwd` the folder in which it works; `top` the
 * folder of its task, to which recorded paths are relative. `ids` defaults to those of a first run.
 */
export function createUpdateFold({
  source,
  cwd,
  top = cwd,
  ids = createCallIds(1),
}: {
  source: string
  cwd: string
  top?: string
  ids?: CallIds
}): UpdateFold {
  let shown = shownPathIn(cwd, top)
  const calls = new Map<string, CallState>()
  const ended = createEndedCalls()
  /** Running calls of Shiplog's own tools, which record themselves. */
  const own = new Map<string, CallState>()
  const compactions = createCompactions()
  const cost = createSessionCost()
  const turns = createTurns({ cost, isCalling: () => calls.size > 0 || own.size > 0 })
  let prompt = 0
  let callCount = 0
  /** The agent's message about its failure; empty if it reported only the failure. */
  let failure: string | null = null
  let mode: string | null = null

  const foreign = (content: unknown): AgentEvent => ({
    type: 'foreign',
    source,
    content: jsonOf(content),
  })

  const now = (): Moment => ({ prompt, turn: turns.count() })

  function speech(kind: SpeechKind, update: Record<string, unknown>): AgentEvent[] {
    const piece = textOfContent(update.content)
    return piece === null
      ? [foreign(update)]
      : turns.addSpeech({ kind, piece, messageId: text(update.messageId) })
  }

  function upsert(given: unknown): Upserted {
    const id = isRecord(given) ? text(given.toolCallId) : null
    if (!isRecord(given) || id === null || id === '')
      return { call: null, events: [foreign(given)] }
    const known = calls.get(id)
    const knownOwn = own.get(id)
    if (!known && !knownOwn && ended.isLate(id, given, now(), shown)) {
      if (ended.isOwn(id)) return { call: 'own', events: [] }
      const events = ended.addsInformation(id, given, shown) ? [foreign(given)] : []
      return { call: ended.stateOf(id), events }
    }
    const state = callStateOf(known ?? knownOwn ?? newCall(ids.next(id)), given, shown)
    const isOver = isEnd(state.status)
    if (!known && isOwn(state, knownOwn !== undefined, given)) {
      const events = knownOwn ? [] : [...turns.open(), ...turns.endPart()]
      if (!knownOwn) callCount++
      turns.hasCall()
      own.set(id, state)
      if (isOver) endOwn(id, state)
      return { call: isCertainlyOwn(state) ? 'own' : 'perhaps-own', events }
    }
    own.delete(id)
    const events: AgentEvent[] = []
    if (known) events.push(...changesOfCall(known, state))
    else {
      callCount++
      events.push(...turns.open(), ...turns.endPart(), startOf(state))
      turns.hasCall()
      if (state.newOutput !== '') events.push(...changesOfCall(null, state))
    }
    calls.set(id, { ...state, newOutput: '' })
    if (isOver) {
      calls.delete(id)
      ended.add(id, state, now(), false)
      events.push(endOfCall(state))
      // Without message ids, speech after a call counts as a new message.
      if (calls.size === 0 && turns.isMessageUnnamed()) events.push(...turns.endPart())
    }
    return { call: state, events }
  }

  /** A call stays Shiplog's own if an update changes its title. A request for permission is judged by its own text. */
  const isOwn = (state: CallState, isKnown: boolean, given: Record<string, unknown>): boolean =>
    (isKnown && given.sessionUpdate !== undefined) || ownToolOf(state) !== null

  function endOwn(id: string, state: CallState): void {
    own.delete(id)
    ended.add(id, state, now(), true)
  }

  /** Closes calls without an end; their outcome is recorded as unknown. */
  function forgetCalls(): void {
    for (const [id, state] of calls) ended.add(id, state, now(), false)
    calls.clear()
  }

  /** Codex ends a turn normally after its model failed, and reports the failure only here. */
  function sessionInfo(update: Record<string, unknown>): AgentEvent[] {
    const codex = isRecord(update._meta) && isRecord(update._meta.codex) ? update._meta.codex : {}
    const error = isRecord(codex.error) ? codex.error : null
    const status = isRecord(codex.threadStatus) ? text(codex.threadStatus.type) : null
    const detail = error ? (text(error.message) ?? 'its model could not be reached') : null
    if (status === 'systemError') failure = detail ?? ''
    if (error && error.willRetry === true && turns.isOpen()) {
      forgetCalls()
      turns.abort()
      cost.counted()
      const cause = networkFailure(detail ?? '')
      return [{ type: 'retrying', cause, untilMs: null }]
    }
    return []
  }

  function read(update: unknown): AgentEvent[] {
    if (!isRecord(update)) return [foreign(update)]
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return speech('text', update)
      case 'agent_thought_chunk':
        return speech('reasoning', update)
      case 'tool_call':
      case 'tool_call_update':
        return upsert(update).events
      case 'plan':
        return plan(update, update.entries)
      case 'plan_update': {
        const given = isRecord(update.plan) ? update.plan : {}
        return given.type === 'items' ? plan(update, given.entries) : [foreign(update)]
      }
      case 'compaction_update':
      case 'compaction_summary_chunk':
        return compactions.update(update) ?? [foreign(update)]
      case 'usage_update': {
        const totalUsd = totalUsdIn(update)
        if (totalUsd === null) return []
        cost.reported(totalUsd)
        return turns.isOpen() ? turns.costSoFar() : []
      }
      case 'current_mode_update': {
        const next = text(update.currentModeId)
        const isNew = next !== null && next !== mode
        mode = next ?? mode
        // Shiplog sets the mode when it starts the agent; the agent itself made a later change.
        return isNew && turns.isOpen() ? [foreign(update)] : []
      }
      case 'session_info_update':
        return sessionInfo(update)
      // Shiplog's own prompt, and updates about the agent's interface.
      case 'user_message_chunk':
      case 'available_commands_update':
      case 'config_option_update':
        return []
      default:
        return [foreign(update)]
    }
  }

  /** Items that can't be read are left out; the whole update is then kept as foreign. */
  function plan(update: unknown, entries: unknown): AgentEvent[] {
    const items = planItemsOf(entries)
    if (!items) return [foreign(update)]
    const event: AgentEvent = { type: 'plan', items: items.read }
    return items.isComplete ? [event] : [event, foreign(update)]
  }

  return {
    update: read,
    asked: upsert,
    end({ usage, model, stop }) {
      const events = [...turns.open(), ...turns.endPart()]
      turns.close()
      forgetCalls()
      const sessionCostUsd = cost.totalUsd()
      events.push({
        type: 'turn-ended',
        ...(usage && { usage }),
        ...(sessionCostUsd !== null && { sessionCostUsd }),
        ...(model !== undefined && { model }),
        ...(stop !== undefined && { stop }),
      })
      cost.counted()
      return events
    },
    seen: () => ({
      lastText: turns.lastText().trim(),
      hasSpeech: turns.hasSpeech(),
      calls: callCount,
      // The error's text may follow as a separate message.
      failure: failure === null ? null : networkFailure(failure || turns.lastText().trim()),
    }),
    cost,
    mode: () => mode,
    moveTo(next) {
      shown = shownPathIn(next, top)
    },
    begin() {
      // Remembered as ended, because a late update must not begin another call.
      for (const [id, state] of own) endOwn(id, state)
      prompt++
      turns.begin()
      callCount = 0
      failure = null
    },
    openTurn: turns.open,
  }
}

const networkFailure = (detail: string): Cause => ({
  kind: 'network',
  detail: detail || 'the agent’s model did not answer',
})

function startOf(state: CallState): AgentEvent {
  const { callId, name, kind, title, input, locations } = state
  return {
    type: 'call-started',
    callId,
    by: 'agent',
    name,
    kind,
    ...(title !== null && { title }),
    input: input as Json,
    ...(locations.length > 0 && { locations }),
  }
}
