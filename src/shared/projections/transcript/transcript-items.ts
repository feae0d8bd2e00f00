/** The items of a transcript, as views show them. */

import type { ImageRef, PlanItem } from '../../agents/agent-records.ts'
import type { Cause } from '../../records/causes.ts'
import type { UnknownEntry } from '../../records/entry-types/annotations.ts'
import type { RunId } from '../../records/ids.ts'
import type { TurnBlock } from './turn-blocks.ts'

export type TranscriptItem =
  | {
      kind: 'prompt'
      key: string
      seq: number
      text: string
      images: ImageRef[]
      /** True if the agent got it while it ran. */
      toRunning: boolean
      at: string
      cwd: string
      gitBranch: string | null
    }
  | {
      kind: 'turn'
      /** The message's uuid, which it already has while it is in progress. */
      key: string
      seq: number
      turn: number
      runId: RunId
      status: 'complete' | 'interrupted' | 'superseded' | 'live'
      blocks: TurnBlock[]
      /** The seq of the message, which follows its calls; null until it is read. */
      messageSeq: number | null
      /** Null until the message, or the message in progress, is read. */
      at: string | null
      cwd: string | null
      gitBranch: string | null
    }
  | {
      kind: 'run-start'
      key: string
      seq: number
      run: number
      reason: 'prompt' | 'resume' | 'retry'
      at: string
    }
  | {
      kind: 'run-end'
      key: string
      seq: number
      run: number
      status: 'completed' | 'interrupted' | 'failed'
      cause: Cause | null
      at: string
    }
  | { kind: 'resume'; key: string; seq: number; drift: string[]; at: string }
  | {
      kind: 'worktree'
      key: string
      seq: number
      path: string | null
      branch: string | null
      at: string
    }
  | { kind: 'pr-link'; key: string; seq: number; url: string; at: string }
  | { kind: 'summary'; key: string; seq: number; text: string; at: string }
  | { kind: 'plan'; key: string; seq: number; items: PlanItem[]; at: string }
  | {
      kind: 'compaction'
      key: string
      seq: number
      summary: string
      /** The first entry that the agent still has in full. The summary replaced the entries before it. */
      keptFromSeq: number
      /** The first entry that an earlier compaction has not replaced; 1 if there was none. */
      replacedFromSeq: number
      /** The images of the prompts that the summary repeats. */
      images: ImageRef[]
      at: string
    }
  /** A failed attempt at a turn. The superseded turn before it has its text. */
  | {
      kind: 'retry'
      key: string
      seq: number
      turn: number
      cause: Cause
      /** When the next attempt was due; null: immediately. */
      untilMs: number | null
      at: string
    }
  /** The start or end of a branch of the conversation that was not continued. */
  | { kind: 'fork'; key: string; seq: number; edge: 'start' | 'end'; at: string }
  | {
      kind: 'foreign'
      key: string
      seq: number
      source: string
      content: unknown
      at: string
    }
  | { kind: 'note'; key: string; seq: number; about: NoteSubject; text: string; at: string }
  | { kind: 'unknown'; key: string; seq: number; entry: UnknownEntry; at: string }

/** The subject of a note. `message`: a message from Shiplog to the agent. */
export type NoteSubject =
  | 'message'
  | 'withheld'
  | 'sandbox'
  | 'set-up'
  | 'set-up-skipped'
  | 'permission'
  | 'agent-session'
  | 'agent-notice'
  | 'agent-warning'
  | 'snapshot-failed'

export type TurnItem = Extract<TranscriptItem, { kind: 'turn' }>
