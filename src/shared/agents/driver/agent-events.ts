/** The events that an agent's session emits. */

import type { Cause } from '../../records/causes.ts'
import type { ToolCallId } from '../../records/ids.ts'
import type { Usage } from '../../records/usage.ts'
import type {
  AgentSessionRef,
  CallBy,
  CallKind,
  CallLocation,
  ImageRef,
  PartId,
  PlanItem,
  ProviderData,
} from '../agent-records.ts'
import type { ToolDetail } from '../tools.ts'
import type { JsonValue } from './json-value.ts'

/**
 * Events may come out of order: a delta begins a part that has not begun, and the end of an unknown
 * part is ignored.
 */
export type AgentEvent =
  /** The agent's own store has this conversation under `ref`, which is passed back on resume. */
  | { type: 'session'; ref: AgentSessionRef; model?: string; capabilities?: JsonValue }
  /** The agent works in this folder from now on instead of that of its `AgentPlace`. Absolute. */
  | { type: 'moved'; cwd: string }
  /** A turn is one assistant message with its tool calls; it is durable before the next begins. */
  | { type: 'turn-started' }
  | { type: 'part-started'; part: PartId; kind: SpeechKind; providerData?: ProviderData }
  | { type: 'part-delta'; part: PartId; kind: SpeechKind; text: string }
  | { type: 'part-ended'; part: PartId; providerData?: ProviderData }
  /** A call that the agent executes, as it reports it: it may have ended before the report. */
  | ({
      type: 'call-started'
      callId: ToolCallId
      by: Exclude<CallBy, 'host'>
      name: string
    } & CallNews)
  | ({ type: 'call-updated'; callId: ToolCallId; output?: string } & CallNews)
  | {
      type: 'call-ended'
      callId: ToolCallId
      outcome: 'ok' | 'error'
      output: string
      detail?: ToolDetail
      providerData?: ProviderData
    }
  | { type: 'plan'; items: PlanItem[] }
  /**
   * `keptFromSeq` is the first entry that the agent keeps unsummarised; null if unknown. `images`
   * of the session are shown to it with the summary.
   */
  | { type: 'compacted'; summary: string; keptFromSeq: number | null; images?: ImageRef[] }
  /**
   * `turn`: of the turn so far, replacing earlier reports. `run`: in addition to that of its turns. `sessionCostUsd`:
   * see `MessageEntry`.
   */
  | { type: 'usage'; usage: Usage; of: 'turn' | 'run'; sessionCostUsd?: number }
  /** The attempt at this turn failed, and its text is superseded. */
  | { type: 'retrying'; cause: Cause; untilMs: number | null }
  /** Data that the driver can't interpret (G8). */
  | { type: 'foreign'; source: string; content: JsonValue }
  /** A `usage` of null is that of a later turn, which covers both; absent: not reported. */
  | {
      type: 'turn-ended'
      usage?: Usage | null
      sessionCostUsd?: number
      model?: string
      stop?: string
      providerData?: ProviderData
    }
  /**
   * The agent can't continue. An agent that returns without this event has completed. A cause of the
   * kind `said` means that the agent itself reported the failure, so its run has failed (T3).
   */
  | { type: 'failed'; cause: Cause }

export type SpeechKind = 'text' | 'reasoning'

interface CallNews {
  kind?: CallKind
  title?: string
  input?: JsonValue
  locations?: CallLocation[]
  providerData?: ProviderData
}
