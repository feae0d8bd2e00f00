/**
 * The Entry union: what `chat.jsonl` holds (DESIGN, "Entries"). Its `type` says which kind an entry is.
 * The journal stamps `v`, `seq`, `at`; the session writer stamps `uuid` and `parentUuid`.
 *
 * One turn on disk, in this order: a `tool-call` before each tool runs, a `tool-result` after it,
 * and one assistant `message` when the turn ends. The message holds text and reasoning and only
 * *names* its tool calls, so nothing is stored twice; an unfinished message lives in `partial.json`.
 */

import { z } from 'zod'
import {
  agentSessionRefSchema,
  callRevisionSchema,
  foreignCallFields,
  imagePartSchema,
  imageRefSchema,
  partIdSchema,
  permissionAnswerSchema,
  permissionOptionSchema,
  planItemSchema,
  providerDataSchema,
} from '../agents/agent-records.ts'
import { definitionRefSchema } from '../agents/agent-specs.ts'
import { permissionModeSchema } from '../agents/permission-modes.ts'
import { causeSchema } from './causes.ts'
import {
  type EntryId,
  entryIdSchema,
  promptIdSchema,
  runIdSchema,
  taskIdSchema,
  toolCallIdSchema,
} from './ids.ts'
import { runSandboxSchema } from './sandbox.ts'
import { type Upgrade, upgradeRecord } from './upgrades.ts'
import { usageSchema } from './usage.ts'

export const entryVersion = 1

/** From each version there has been to the next: none yet. */
export const entryUpgrades: readonly Upgrade[] = []

const isoDateTime = z.iso.datetime()
const turn = z.number().int().min(1)

const entryBase = z.object({
  v: z.number().int().min(1),
  /** Position in the file, contiguous from 1 (J2). Order is this, never the clock (J9). */
  seq: z.number().int().min(1),
  /** Milliseconds since the epoch. */
  at: z.number(),
  uuid: entryIdSchema,
  /**
   * The entry that this one follows: the one before it in the file, but for a `fork-start`, which follows the entry
   * that its branch leaves from, and for the entry after a `fork-end`, which follows the entry before that fork.
   */
  parentUuid: entryIdSchema.nullable(),
})

const speechFields = {
  /** As the agent names it, unique within the message; absent: its place is its name. */
  id: partIdSchema.optional(),
  text: z.string(),
  providerData: providerDataSchema.optional(),
}
const messagePartSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), ...speechFields }),
  z.object({ type: z.literal('reasoning'), ...speechFields }),
  imagePartSchema,
  /** Where in the message a call was made; input and outcome are in its own two entries. */
  z.object({ type: z.literal('tool-call'), callId: toolCallIdSchema, name: z.string() }),
])
export type MessagePart = z.infer<typeof messagePartSchema>
export type SpeechPart = Extract<MessagePart, { type: 'text' | 'reasoning' }>

const messageFields = {
  type: z.literal('message'),
  role: z.enum(['user', 'assistant']),
  parts: z.array(messagePartSchema),
  cwd: z.string(),
  timestamp: isoDateTime,
  /** Null outside Git or with a detached HEAD. */
  gitBranch: z.string().nullable(),
  sessionId: taskIdSchema,
  runId: runIdSchema,
  /** Counts the assistant turns of all runs of the task, from 1; null on a prompt. */
  turn: turn.nullable(),
  /**
   * `interrupted`: the turn was cut short; what it had said is kept. `superseded`: the attempt failed and was made
   * again; what it had said is kept and is no part of the conversation.
   */
  status: z.enum(['complete', 'interrupted', 'superseded']),
  model: z.string().nullish(),
  /** Null: that of a later turn covers this one as well. Absent: not reported. */
  usage: usageSchema.nullish(),
  /** Why the provider ended the turn, in its own word. */
  stop: z.string().optional(),
  /** Of a prompt that a person sent to the agent while it ran. */
  promptId: promptIdSchema.optional(),
  /** Of a message to the agent whose words are Shiplog's; absent: they are a person's, or the agent's. */
  by: z.literal('shiplog').optional(),
  providerData: providerDataSchema.optional(),
}
const messageEntrySchema = entryBase.extend(messageFields)
export type MessageEntry = z.infer<typeof messageEntrySchema>

/** A commit's or tree's id as Git names it: SHA-1 or SHA-256. */
const gitObjectId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)

const toolCallEntrySchema = entryBase.extend({
  type: z.literal('tool-call'),
  messageUuid: entryIdSchema,
  runId: runIdSchema,
  turn,
  callId: toolCallIdSchema,
  name: z.string(),
  input: z.json(),
  ...foreignCallFields,
  /** The files before it, in the turn store; only of a tool that may change them. */
  tree: gitObjectId.optional(),
})
export type ToolCallEntry = z.infer<typeof toolCallEntrySchema>

const shellChangeSchema = z.object({
  cwd: z.string(),
  /** Variables that got another value, or (null) none any more. */
  env: z.record(z.string(), z.string().nullable()),
  /** Names of those whose value is a secret: it is not kept (K5). Absent: there are none. */
  hidden: z.array(z.string()).optional(),
})
export type ShellChange = z.infer<typeof shellChangeSchema>

const toolResultEntrySchema = entryBase.extend({
  type: z.literal('tool-result'),
  messageUuid: entryIdSchema,
  runId: runIdSchema,
  turn,
  callId: toolCallIdSchema,
  name: z.string(),
  /** `unknown`: the process ended while the tool ran; it is never run a second time (S3). */
  outcome: z.enum(['ok', 'error', 'unknown']),
  /** What the agent gets, as text. */
  output: z.string(),
  /** What it is shown with that, in `blobs/`; absent: none. */
  images: z.array(imageRefSchema).optional(),
  /** What the views show, in the tool's own shape (see tools.ts). */
  detail: z.json().nullish(),
  durationMs: z.number().min(0),
  /** What the call changed in the shell's state, so that `cd` and exports can be restored on resume. */
  shell: shellChangeSchema.nullish(),
  providerData: providerDataSchema.optional(),
  /** What the agent said better of a call on its side after the call had been recorded. */
  revised: callRevisionSchema.optional(),
  /** The files after it, as in its call. */
  tree: gitObjectId.optional(),
})
export type ToolResultEntry = z.infer<typeof toolResultEntrySchema>

const worktreeStateEntrySchema = entryBase.extend({
  type: z.literal('worktree-state'),
  /** Null: the worktree was left. */
  worktreeSession: z
    .object({ originalCwd: z.string(), worktreePath: z.string(), worktreeBranch: z.string() })
    .nullable(),
  /** Absent in what was recorded before it was written. */
  sessionId: taskIdSchema.optional(),
})

const contentHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable()

const fileHistorySnapshotEntrySchema = entryBase.extend({
  type: z.literal('file-history-snapshot'),
  messageUuid: entryIdSchema,
  callId: toolCallIdSchema,
  /** Relative to the working directory, `/` as separator. */
  path: z.string(),
  /** SHA-256 of the content, hex; names a file in `file-history/`. Null: there was no file. */
  before: contentHash,
  after: contentHash,
})

const attributionSnapshotEntrySchema = entryBase.extend({
  type: z.literal('attribution-snapshot'),
  messageUuid: entryIdSchema,
  /** By path: characters (UTF-16 units) of the file as it is now, by who wrote them. */
  files: z.record(
    z.string(),
    z.object({
      agentChars: z.number(),
      otherChars: z.number(),
      /** Of the content that this is about; null: the file is gone. Absent in older records. */
      sha256: contentHash.optional(),
      /** Where they are: lengths of the agent's and others' stretches in turn, the agent's first. Absent when many. */
      authors: z.array(z.number().int().min(0)).optional(),
    }),
  ),
})

/**
 * The working directory as Git saw it: before the first tool that could change it, after every turn with such
 * a tool, and when the run ended. Drift is measured from the last one (S2).
 */
const workspaceSnapshotEntrySchema = entryBase.extend({
  type: z.literal('workspace-snapshot'),
  runId: runIdSchema,
  /** The turn that it follows; null at a run's beginning and end. */
  turn: turn.nullable(),
  /** Null before the first commit. */
  head: gitObjectId.nullable(),
  /** Null when HEAD is detached. */
  branch: z.string().nullable(),
  /** Uncommitted and untracked files included. */
  tree: gitObjectId,
  /** What the run changed since the snapshot before: relative to the working directory, sorted; cut at `snapshotPathsMax`. */
  changed: z.array(z.string()),
  /** How many more it changed. */
  changedMore: z.number().int().min(0),
  /** What is there and not in `tree`, cut at `notStoredMax`: repositories, and untracked files and folders over a limit. */
  notStored: z
    .array(
      z.object({
        path: z.string(),
        why: z.enum(['repository', 'file-bytes', 'folder-bytes', 'folder-files']),
        /** Null where they were not counted. */
        bytes: z.number().int().min(0).nullable(),
      }),
    )
    .optional(),
})
export type WorkspaceSnapshotEntry = z.infer<typeof workspaceSnapshotEntrySchema>
/** An unpacked dependency tree must not make an entry of megabytes. */
export const snapshotPathsMax = 1000
export const notStoredMax = 100

/** The state of the files could not be taken: what the turn changed is not known from Git. */
const snapshotFailedEntrySchema = entryBase.extend({
  type: z.literal('snapshot-failed'),
  runId: runIdSchema,
  /** The turn that it would have followed; null: before or after a call, at a run's beginning or end. */
  turn: turn.nullable(),
  reason: z.string(),
})

const prLinkEntrySchema = entryBase.extend({
  type: z.literal('pr-link'),
  url: z.url(),
  /** `command`: by the command line while another process ran Shiplog: a person's terminal or an agent's shell. */
  source: z.enum(['tool-output', 'person', 'command']),
})

const runStartEntrySchema = entryBase.extend({
  type: z.literal('run-start'),
  runId: runIdSchema,
  run: z.number().int().min(1),
  reason: z.enum(['prompt', 'resume', 'retry']),
  agent: z.string(),
  model: z.string().nullish(),
  /** Variables of the host that agents do not get, by name; said once, and again when they are others (K2). */
  withheld: z.array(z.string()).optional(),
  /** The mode of permissions; absent: a person's own script, about which nothing is asked. */
  permissions: permissionModeSchema.optional(),
  /** Of its agent's commands; absent: none was set. */
  sandbox: runSandboxSchema.optional(),
  /** The version of its agent definition; absent: it has none. */
  definition: definitionRefSchema.optional(),
})

const runEndEntrySchema = entryBase.extend({
  type: z.literal('run-end'),
  runId: runIdSchema,
  run: z.number().int().min(1),
  status: z.enum(['completed', 'interrupted', 'failed']),
  /** Why, when it did not complete. */
  cause: causeSchema.nullable(),
})

export type RunEndEntry = z.infer<typeof runEndEntrySchema>

const resumeEntrySchema = entryBase.extend({
  type: z.literal('resume'),
  runId: runIdSchema,
  /** What differed from when the last run stopped, one sentence each; empty when nothing did. */
  drift: z.array(z.string()),
})

const summaryEntrySchema = entryBase.extend({ type: z.literal('summary'), text: z.string() })
/** The project's set-up command in a new worktree. */
const setUpEntrySchema = entryBase.extend({
  type: z.literal('set-up'),
  command: z.string(),
  /** Files that it runs and that agents changed: then it was not run. Empty: it was, and ended well. */
  changed: z.array(z.string()),
})
/** An agent with a store of its own has begun or loaded a conversation in it: what a resume hands back. */
const agentSessionEntrySchema = entryBase.extend({
  type: z.literal('agent-session'),
  runId: runIdSchema,
  ref: agentSessionRefSchema,
  model: z.string().optional(),
  /** What it says it can do, as it says it. */
  capabilities: z.json().optional(),
})
/**
 * Whether an agent may do something (P4). Where a person is asked there are two with the same question: the first is
 * durable before anybody is asked, and the second has the answer.
 */
const permissionEntrySchema = entryBase.extend({
  type: z.literal('permission'),
  runId: runIdSchema,
  /** Null: it is about no call. */
  callId: toolCallIdSchema.nullable(),
  /** What was asked, in full (P2). */
  question: z.string(),
  options: z.array(permissionOptionSchema),
  /** Null: it was asked, and nothing runs until the answer is there. */
  answer: permissionAnswerSchema.nullable(),
})
/** The whole plan as it is from here on. */
const planEntrySchema = entryBase.extend({
  type: z.literal('plan'),
  runId: runIdSchema,
  items: z.array(planItemSchema),
})
/** From here on the agent has a summary in place of the entries before `keptFromSeq`; the record keeps them. */
const compactionEntrySchema = entryBase.extend({
  type: z.literal('compaction'),
  runId: runIdSchema,
  summary: z.string(),
  /** The first entry that the agent still has as it is; null: it did not say. */
  keptFromSeq: z.number().int().min(1).nullable(),
  /** Of the prompts that the summary repeats, in `blobs/`; absent: none. */
  images: z.array(imageRefSchema).optional(),
})
/** An attempt failed, and another one is made. */
const retryingEntrySchema = entryBase.extend({
  type: z.literal('retrying'),
  runId: runIdSchema,
  turn,
  cause: causeSchema,
  /** When the next attempt is made, in milliseconds since the epoch; null: at once. */
  untilMs: z.number().nullable(),
})
/** An item of an agent's, or of another tool's log, that this version can't interpret, unchanged (G8, I2). */
const foreignEntrySchema = entryBase.extend({
  type: z.literal('foreign'),
  /** Who said so: a kind of agent, or a tool whose log was imported. */
  source: z.string(),
  content: z.json(),
})
/** A branch of the conversation that was left again: from here to its `fork-end` (I5). */
const forkStartEntrySchema = entryBase.extend({
  type: z.literal('fork-start'),
  forkId: entryIdSchema,
})
const forkEndEntrySchema = entryBase.extend({ type: z.literal('fork-end'), forkId: entryIdSchema })
const titleEntrySchema = entryBase.extend({ type: z.literal('title'), title: z.string() })

/** How a record of unknown type, or one this version can't parse, is shown: kept verbatim (J5). */
const unknownEntrySchema = entryBase.extend({
  type: z.literal('unknown'),
  originalType: z.string(),
  reason: z.string(),
  record: z.record(z.string(), z.json()),
})
export type UnknownEntry = z.infer<typeof unknownEntrySchema>

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

/** An entry before the journal stamped it (`v`, `seq`, `at`) and the session chained it (`parentUuid`). */
export type EntryBody = Entry extends infer E
  ? E extends Entry
    ? Omit<E, 'v' | 'seq' | 'at' | 'uuid' | 'parentUuid'> & { uuid?: E['uuid'] } & ForkPoint<E>
    : never
  : never

/** The entry that a branch leaves from; absent: the one before. */
type ForkPoint<E extends Entry> = E['type'] extends 'fork-start'
  ? { parentUuid?: EntryId }
  : unknown

/** The unfinished assistant message in `partial.json`: written at most twice a second, not synced (J6). */
export const partialMessageSchema = z.object({
  v: z.literal(1),
  /** The uuid that the message entry will have: what is in the journal under it wins if it is longer (A8). */
  uuid: entryIdSchema,
  ...messageFields,
  status: z.literal('interrupted'),
})
export type PartialMessage = z.infer<typeof partialMessageSchema>

/**
 * Reads one journal record as an entry; one of an older version as if it had been written by this one.
 * Never throws: a record of an unknown type or a newer version comes back as an `unknown` entry that holds
 * it verbatim (J5).
 */
export function parseEntry(record: Record<string, unknown>): Entry {
  const upgraded = upgradeRecord(record, entryUpgrades, entryVersion)
  if (upgraded.kind === 'newer')
    return unknownEntry(record, `written by a newer version (${upgraded.version})`)
  if (upgraded.kind === 'failed') return unknownEntry(record, upgraded.reason)
  const parsed = entrySchema.safeParse(upgraded.record)
  return parsed.success ? parsed.data : unknownEntry(record, problemOf(parsed.error))
}

function unknownEntry(record: Record<string, unknown>, reason: string): UnknownEntry {
  const { v, seq, at, uuid, parentUuid } = record
  const id = entryIdSchema.safeParse(uuid)
  const parent = entryIdSchema.safeParse(parentUuid)
  return {
    v: typeof v === 'number' ? v : entryVersion,
    seq: typeof seq === 'number' ? seq : 1,
    at: typeof at === 'number' ? at : 0,
    type: 'unknown',
    uuid: id.success ? id.data : unknownEntryId(seq),
    parentUuid: parent.success ? parent.data : null,
    originalType: String(record.type),
    reason,
    record: record as UnknownEntry['record'],
  }
}

/** A stable id for a record without one, so that lists have a key: derived from its position. */
function unknownEntryId(seq: unknown): Entry['uuid'] {
  const digits = String(typeof seq === 'number' ? seq : 0)
    .padStart(12, '0')
    .slice(-12)
  return `00000000-0000-4000-8000-${digits}` as Entry['uuid']
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues
  if (!issue) return 'not an entry'
  if (issue.path[0] === 'type') return 'of a type that this version does not know'
  return `${issue.path.join('.') || 'record'}: ${issue.message}`
}
