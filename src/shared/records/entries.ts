/**
 * An entry: one record of `chat.jsonl`. Its `type` names its schema in `entry-types/`.
 * The journal adds `v`, `seq` and `at`; the session writer adds `uuid` and `parentUuid`.
 *
 * One turn on disk, in this order: a `tool-call` before each tool runs, a `tool-result` after it,
 * and one assistant `message` when the turn ends. The message has text and reasoning and only
 * names its tool calls, so nothing is stored twice. An unfinished message is in `partial.json`.
 */

import { z } from 'zod'
import {
  foreignEntrySchema,
  forkEndEntrySchema,
  forkStartEntrySchema,
  prLinkEntrySchema,
  summaryEntrySchema,
  titleEntrySchema,
  unknownEntrySchema,
} from './entry-types/annotations.ts'
import {
  attributionSnapshotEntrySchema,
  fileHistorySnapshotEntrySchema,
  setUpEntrySchema,
  snapshotFailedEntrySchema,
  workspaceSnapshotEntrySchema,
  worktreeStateEntrySchema,
} from './entry-types/files.ts'
import { messageEntrySchema } from './entry-types/messages.ts'
import {
  agentSessionEntrySchema,
  compactionEntrySchema,
  planEntrySchema,
  resumeEntrySchema,
  retryingEntrySchema,
  runEndEntrySchema,
  runStartEntrySchema,
} from './entry-types/runs.ts'
import {
  permissionEntrySchema,
  toolCallEntrySchema,
  toolResultEntrySchema,
} from './entry-types/tool-calls.ts'
import type { EntryId } from './ids.ts'

export const entrySchema = z.discriminatedUnion('type', [
  messageEntrySchema,
  toolCallEntrySchema,
  toolResultEntrySchema,
  worktreeStateEntrySchema,
  fileHistorySnapshotEntrySchema,
  attributionSnapshotEntrySchema,
  workspaceSnapshotEntrySchema,
  snapshotFailedEntrySchema,
  prLinkEntrySchema,
  runStartEntrySchema,
  runEndEntrySchema,
  resumeEntrySchema,
  summaryEntrySchema,
  setUpEntrySchema,
  agentSessionEntrySchema,
  permissionEntrySchema,
  planEntrySchema,
  compactionEntrySchema,
  retryingEntrySchema,
  foreignEntrySchema,
  forkStartEntrySchema,
  forkEndEntrySchema,
  titleEntrySchema,
  unknownEntrySchema,
])
export type Entry = z.infer<typeof entrySchema>
export type EntryType = Entry['type']

/** An entry without the fields that the journal and the session writer add. */
export type EntryBody = Entry extends infer E
  ? E extends Entry
    ? Omit<E, 'v' | 'seq' | 'at' | 'uuid' | 'parentUuid'> & { uuid?: E['uuid'] } & ForkPoint<E>
    : never
  : never

/** The entry at which a branch starts; absent: the one before. */
type ForkPoint<E extends Entry> = E['type'] extends 'fork-start'
  ? { parentUuid?: EntryId }
  : unknown
