/** Divides a prompt's updates into turns, and their text and reasoning into parts. */
import type { PartId } from '../../../../shared/agents/agent-records.ts'
import type { AgentEvent, SpeechKind } from '../../../../shared/agents/driver/agent-events.ts'
import type { SessionCost } from './session-cost.ts'
import { costOnly } from './usage.ts'

interface Part {
  id: PartId
  kind: SpeechKind
  messageId: string | null
}

/** The last message becomes the report of a sub-agent that makes none. */
const lastTextCharsMax = 200_000

/** `isCalling` reports whether a call of the agent runs. */
export function createTurns({ cost, isCalling }: { cost: SessionCost; isCalling: () => boolean }) {
  let part: Part | null = null
  let parts = 0
  let turns = 0
  let inTurn = false
  let hasCalls = false
  let hasSpeech = false
  let lastText = ''

  function open(): AgentEvent[] {
    if (inTurn) return []
    inTurn = true
    turns++
    hasCalls = false
    return [{ type: 'turn-started' }, ...costSoFar()]
  }

  /** Recorded early for a turn that may be interrupted. A complete one has its cost at its end. */
  function costSoFar(): AgentEvent[] {
    const costUsd = cost.uncountedUsd()
    const sessionCostUsd = cost.totalUsd()
    if (!costUsd || sessionCostUsd === null) return []
    return [{ type: 'usage', of: 'turn', usage: costOnly(costUsd), sessionCostUsd }]
  }

  /** Ends the turn before speech that follows the results of its calls, as in a model's conversation. */
  function endAfterCalls(): AgentEvent[] {
    if (!inTurn || !hasCalls || isCalling()) return []
    inTurn = false
    // The usage of the whole prompt is reported with its last turn.
    return [...endPart(), { type: 'turn-ended', usage: null }]
  }

  function endPart(): AgentEvent[] {
    if (!part) return []
    const ended = part.id
    part = null
    return [{ type: 'part-ended', part: ended }]
  }

  return {
    open,
    endPart,
    costSoFar,
    addSpeech({
      kind,
      piece,
      messageId,
    }: {
      kind: SpeechKind
      piece: string
      messageId: string | null
    }): AgentEvent[] {
      // Some agents report usage with an empty piece.
      if (piece === '') return []
      const isSame = part?.kind === kind && part.messageId === messageId
      const events = isSame ? [] : [...endAfterCalls(), ...endPart()]
      events.push(...open())
      if (!part) {
        parts++
        part = { id: `${kind}-${parts}`, kind, messageId }
        if (kind === 'text') lastText = ''
      }
      hasSpeech = true
      if (kind === 'text') lastText = (lastText + piece).slice(-lastTextCharsMax)
      return [...events, { type: 'part-delta', part: part.id, kind, text: piece }]
    },
    /** A call of the open turn has begun. */
    hasCall(): void {
      hasCalls = true
    },
    /** The turn has ended; its end is the caller's event. */
    close(): void {
      inTurn = false
    },
    /** The agent retries the turn: its open part gets no end. */
    abort(): void {
      part = null
      inTurn = false
    },
    /** A new prompt is sent. */
    begin(): void {
      part = null
      inTurn = false
      hasSpeech = false
      lastText = ''
    },
    isOpen: () => inTurn,
    /** Reports whether the open part belongs to a message without an id. */
    isMessageUnnamed: () => part?.messageId === null,
    /** How many turns have begun, over all prompts. */
    count: () => turns,
    hasSpeech: () => hasSpeech,
    lastText: () => lastText,
  }
}
