/**
 * The conversation's access to tasks and their actions. Views provide it; a new `TaskLookup` object
 * means that the data has changed.
 */

import { createContext } from 'react'
import type { ApplyOutcome } from '../../../shared/agents/tools.ts'
import type { TreeChanges } from '../../../shared/contract/changes/tree-changes.ts'
import type { OutlineItem } from '../../../shared/contract/transcripts/transcripts.ts'
import type { TaskId, ToolCallId } from '../../../shared/records/ids.ts'
import type { Activity } from '../../../shared/records/tasks/activity.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Usage } from '../../../shared/records/usage.ts'
import type { MenuEntry } from '../primitives/index.ts'

export type ShownReport =
  | { phase: 'ready'; title: string; markdown: string }
  | { phase: 'loading' }
  | { phase: 'failed'; why: string }

/** An apply at the user's request: in progress, or its outcome. */
export type ShownApply = { kind: 'applying' } | ApplyOutcome | { kind: 'failed'; why: string }

export interface TaskLookup {
  /** Returns the task that this call of the transcript's own task created. */
  byCallId(callId: ToolCallId): Task | null
  byId(id: TaskId): Task | null
  /** Whether the transcript's own task worked at this path, in a worktree that was removed. */
  isGone?(path: string): boolean
  /** Whether this call of the transcript's own task waits for the user. */
  isAsking?(callId: ToolCallId): boolean
  /** Whether the transcript's own task waits before its next request to the model. Absent: unknown. */
  isRetrying?(): boolean
  /** Oldest first. */
  childrenOf(id: TaskId): Task[]
  /** Returns its current activity. */
  activity(id: TaskId): Activity | null
  /** Null: not requested yet (see `onNeedReport`), or there is none. */
  report?(id: TaskId): ShownReport | null
  apply?(id: TaskId): ShownApply | null
  /** Returns the counts of the changes of the task and all below it (see `onNeedChanges`); null: not counted yet. */
  changes?(id: TaskId): TreeChanges | null
  /** Returns the usage so far of the task and all below it. */
  usage?(id: TaskId): Usage
}

export interface EntryPart {
  text: string
  /** Size of the whole entry in bytes. */
  total: number
  /** Where the text ends, in bytes; null if it is the whole entry. */
  nextOffset: number | null
}

interface TaskActions {
  /**
   * Reads a part of a command's output in the transcript's own task, from a byte offset. Rejects
   * with the reason.
   */
  readOutput?(sha256: string, offset: number): Promise<{ text: string; nextOffset: number | null }>
  /** Reads the JSON of an entry, or its first part. Rejects with the reason. */
  readEntry?(seq: number): Promise<EntryPart>
  /** Reads an image of the transcript, in base64. Rejects with the reason. */
  readImage?(sha256: string): Promise<{ mediaType: string; data: string }>
  /** Reads prompts, turns and runs from an entry on. Rejects with the reason. */
  readOutline?(
    fromSeq: number,
    limit: number,
  ): Promise<{ items: OutlineItem[]; nextSeq: number | null }>
  /** Moves the transcript to an entry. */
  onGoToEntry?(seq: number): void
  onViewTranscript?(id: TaskId): void
  onApply?(id: TaskId): void
  onStop?(id: TaskId): void
  /** Why nothing can be stopped or applied now. */
  unreachable?: string
  onResume?(id: TaskId): void
  onRetry?(id: TaskId): void
  /** Ends the wait of the transcript's own task before its next request to the model. */
  onTryNow?(): void
  /** Starts a new task that continues from the end of the turn of an entry. */
  onContinueAt?(seq: number): void
  /** Returns the menu entries of a task's card: the actions for which it has no buttons. */
  menuOf?(task: Task): MenuEntry[]
  /** Returns the address of a task. */
  linkTo?(id: TaskId): string
  /** Returns the absolute address of an entry of the transcript (V3). */
  linkToEntry?(seq: number): string
  /** Shows an entry of a filtered transcript among all others. */
  onShowEntry?(seq: number): void
  /** Requests the report of a shown card. Called once per card. */
  onNeedReport?(id: TaskId): void
  /** Requests the counts of a shown card's changes. Called once for each state of its task. */
  onNeedChanges?(id: TaskId): void
}

const noTasks: TaskLookup = {
  byCallId: () => null,
  byId: () => null,
  childrenOf: () => [],
  activity: () => null,
}

export const TaskLookupContext = createContext<TaskLookup>(noTasks)
export const TaskActionsContext = createContext<TaskActions>({})
