/**
 * Branded ids: minted and parsed here only. An id that comes from disk, an agent, ORPC or
 * the command line passes through one of the schemas below before it may name a file (A3).
 */
import { z } from 'zod'

const uuid = z.uuid({ version: 'v4' })

/**
 * A task, its workspace and its session share one UUID v4 (docs/ARCHITECTURE.md, "Terms"), so there is one brand,
 * and a second name for where the session is meant.
 */
export const taskIdSchema = uuid.brand<'TaskId'>()
export type TaskId = z.infer<typeof taskIdSchema>
export type SessionId = TaskId

export const projectIdSchema = uuid.brand<'ProjectId'>()
export type ProjectId = z.infer<typeof projectIdSchema>

export const entryIdSchema = uuid.brand<'EntryId'>()
export type EntryId = z.infer<typeof entryIdSchema>

/** Identifies the receipt of one sweep (X3). */
export const receiptIdSchema = uuid.brand<'ReceiptId'>()
export type ReceiptId = z.infer<typeof receiptIdSchema>

/** Identifies one write of files to a folder: an apply, or its undo. */
export const updateIdSchema = uuid.brand<'UpdateId'>()
export type UpdateId = z.infer<typeof updateIdSchema>

/** Identifies one follow-up of a user, until a run starts with it. */
export const promptIdSchema = uuid.brand<'PromptId'>()
export type PromptId = z.infer<typeof promptIdSchema>

/** Identifies one comment of a user on changes. */
export const commentIdSchema = uuid.brand<'CommentId'>()
export type CommentId = z.infer<typeof commentIdSchema>

/** Identifies one tool call within a session. Providers choose the form, so only its length is bounded. */
export const toolCallIdSchema = z.string().min(1).max(200).brand<'ToolCallId'>()
export type ToolCallId = z.infer<typeof toolCallIdSchema>

/** `<taskId>/<run>`: one execution of a task. Runs count from 1. */
export const runIdSchema = z
  .string()
  .regex(/^[0-9a-f-]{36}\/[1-9][0-9]*$/)
  .brand<'RunId'>()
export type RunId = z.infer<typeof runIdSchema>

/** The minimum length of an id's prefix: that of Git. */
export const idPrefixLengthMin = 4

/**
 * An id or a unique prefix of one, as a user types it. The main process resolves it, because its error for an unknown
 * id is clearer than that of a schema.
 */
export const idTextSchema = z.string().trim().max(1000)

export const newTaskId = (): TaskId => crypto.randomUUID() as TaskId
export const newProjectId = (): ProjectId => crypto.randomUUID() as ProjectId
export const newReceiptId = (): ReceiptId => crypto.randomUUID() as ReceiptId
export const newEntryId = (): EntryId => crypto.randomUUID() as EntryId
export const newPromptId = (): PromptId => crypto.randomUUID() as PromptId
export const newCommentId = (): CommentId => crypto.randomUUID() as CommentId
export const newUpdateId = (): UpdateId => crypto.randomUUID() as UpdateId
export const newToolCallId = (): ToolCallId => `call-${crypto.randomUUID()}` as ToolCallId

/** `run` counts from 1. */
export const runIdOf = (taskId: TaskId, run: number): RunId => `${taskId}/${run}` as RunId

/** Returns the first 8 characters of an id, which people read and type instead of it. */
export const shortId = (id: TaskId | ProjectId): string => id.slice(0, 8)

/** Returns the id when `text` is a well-formed UUID v4, else null. Never throws. */
export function parseTaskId(text: unknown): TaskId | null {
  const parsed = taskIdSchema.safeParse(text)
  return parsed.success ? parsed.data : null
}

export type IdLookup<Id extends string> =
  | { kind: 'found'; id: Id }
  | { kind: 'not-found'; text: string }
  | { kind: 'ambiguous'; text: string; candidates: Id[] }

/**
 * Resolves `text` to an id: an exact match wins, else a unique prefix of at least
 * `idPrefixLengthMin` characters (S1).
 */
export function resolveId<Id extends string>(text: string, ids: Iterable<Id>): IdLookup<Id> {
  const wanted = text.trim().toLowerCase()
  const candidates: Id[] = []
  for (const id of ids) {
    if (id === wanted) return { kind: 'found', id }
    if (wanted.length >= idPrefixLengthMin && id.startsWith(wanted)) candidates.push(id)
  }
  const [only] = candidates
  if (only === undefined) return { kind: 'not-found', text }
  if (candidates.length === 1) return { kind: 'found', id: only }
  return { kind: 'ambiguous', text, candidates }
}
