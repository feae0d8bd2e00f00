/** Full-text search over everything that is kept: reports, prompts, messages, calls and their outputs. */
import { z } from 'zod'
import { projectIdSchema, taskIdSchema } from '../records/ids.ts'
import { base } from './base.ts'

/** What a hit is part of. Also the values of `kind:` in a query. */
export const searchKinds = [
  'title',
  'report',
  'prompt',
  'message',
  'reasoning',
  'call',
  'output',
  'files',
  'summary',
  'plan',
  'event',
  'foreign',
] as const
export const searchKindSchema = z.enum(searchKinds)
export type SearchKind = z.infer<typeof searchKindSchema>

/** What a query can be narrowed by: `tool:bash`. */
const searchFilters = [
  'tool',
  'file',
  'model',
  'project',
  'source',
  'agent',
  'task',
  'kind',
  'is',
  'after',
  'before',
] as const
export type SearchFilter = (typeof searchFilters)[number]

const filterWithoutValue = new RegExp(`^-?(${searchFilters.join('|')}):$`, 'u')

/** A filter whose value is not written yet, such as `tool:`; it narrows nothing. */
export const isFilterWithoutValue = (word: string): boolean => filterWithoutValue.test(word)

/** Longer than any question that a person types. */
const queryCharsMax = 1_000
const searchLimitMax = 200

const searchHitSchema = z.object({
  taskId: taskIdSchema,
  rootId: taskIdSchema,
  projectId: projectIdSchema,
  kind: searchKindSchema,
  /** Title of the task. */
  title: z.string(),
  agent: z.string(),
  /** The entry; null for a title, and for a report whose transcript is not kept any more. */
  seq: z.number().int().min(1).nullable(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  archived: z.boolean(),
  /** The tool, for `call` and `output`. */
  tool: z.string().nullable(),
  /** One line around the first match. */
  snippet: z.string(),
  /** Matches in the snippet: start and end, in UTF-16 units. */
  marks: z.array(z.tuple([z.number().int().min(0), z.number().int().min(0)])),
})
export type SearchHit = z.infer<typeof searchHitSchema>

const searchIndexStateSchema = z.object({
  /** `unavailable`: this Node has no SQLite with full-text search, or the index can't be written. */
  state: z.enum(['ready', 'updating', 'unavailable']),
  /** Transcripts that are up to date, and all of them. */
  indexed: z.number().int().min(0),
  total: z.number().int().min(0),
  /** Why it is unavailable. */
  reason: z.string().nullable(),
})
export type SearchIndexState = z.infer<typeof searchIndexStateSchema>

const searchAnswerSchema = z.object({
  query: z.string(),
  hits: z.array(searchHitSchema),
  /** There are more hits than `limit`. */
  more: z.boolean(),
  tookMs: z.number(),
  index: searchIndexStateSchema,
  /** Transcripts that were not searched because retention removed them. */
  expired: z.number().int().min(0),
})
export type SearchAnswer = z.infer<typeof searchAnswerSchema>

export const search = {
  /**
   * Best hits first. INVALID (field `query`) if a filter has an unknown value. With `wait` it answers once the index
   * has every entry that was recorded before the call; otherwise at once, with what the index has. With `isPattern`,
   * all of the query but its filters is one regular expression: transcripts are read for it, the newest first. With
   * `requestingWorkspaceId` only what is below that is searched (A5).
   */
  find: base
    .input(
      z.object({
        query: z.string().max(queryCharsMax),
        limit: z.number().int().min(1).max(searchLimitMax).optional(),
        wait: z.boolean().optional(),
        isPattern: z.boolean().optional(),
        requestingWorkspaceId: taskIdSchema.optional(),
      }),
    )
    .output(searchAnswerSchema),
  state: base.output(searchIndexStateSchema),
  /** Names of tools that were called, in order; as far as the index is. None while it can't be used. */
  tools: base.output(z.object({ tools: z.array(z.string()) })),
  /** Tasks whose agents called this tool, as far as the index is. */
  tasksUsing: base
    .input(z.object({ tool: z.string().max(queryCharsMax) }))
    .output(z.object({ taskIds: z.array(taskIdSchema) })),
}
