/** Full-text search over all records: reports, prompts, messages, calls and their outputs. */
import { z } from 'zod'
import { projectIdSchema, taskIdSchema } from '../records/ids.ts'
import { base } from './base.ts'

/** The kinds of text that contain hits. Also the values of `kind:` in a query. */
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

/** The filters of a query, such as `tool:bash`. */
export const searchFilters = [
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

/** Reports whether the word is a filter without a value, such as `tool:`, which has no effect. */
export const isFilterWithoutValue = (word: string): boolean => filterWithoutValue.test(word)

/** Longer than any query that a user types. */
const queryCharsMax = 1_000
const searchLimitMax = 500

const searchHitSchema = z.object({
  taskId: taskIdSchema,
  rootId: taskIdSchema,
  projectId: projectIdSchema,
  kind: searchKindSchema,
  /** Title of the task. */
  title: z.string(),
  agent: z.string(),
  /** The entry; null for a title, and for a report whose transcript was deleted. */
  seq: z.number().int().min(1).nullable(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  archived: z.boolean(),
  /** Only for `call` and `output`. */
  tool: z.string().nullable(),
  /** One line around the first match. */
  snippet: z.string(),
  /** The start and end of each match in the snippet, in UTF-16 units. */
  marks: z.array(z.tuple([z.number().int().min(0), z.number().int().min(0)])),
})
export type SearchHit = z.infer<typeof searchHitSchema>

const searchIndexStateSchema = z.object({
  /** `unavailable`: this Node has no SQLite with full-text search, or the index can't be written. */
  state: z.enum(['ready', 'updating', 'unavailable']),
  /** The number of transcripts whose index is up to date; `total`: of all transcripts. */
  indexed: z.number().int().min(0),
  total: z.number().int().min(0),
  /** Why it is unavailable. */
  reason: z.string().nullable(),
})
export type SearchIndexState = z.infer<typeof searchIndexStateSchema>

const searchSortSchema = z.enum(['best', 'newest'])
export type SearchSort = z.infer<typeof searchSortSchema>

/** How many of the counted hits are of one value, the most frequent first. */
const facetSchema = z.array(z.object({ value: z.string(), count: z.number().int().min(1) }))
const searchFacetsSchema = z.object({
  /** Names of projects. */
  project: facetSchema,
  agent: facetSchema,
  kind: facetSchema,
})
export type SearchFacets = z.infer<typeof searchFacetsSchema>

/** A filter that matches nothing, because no recorded name contains its value. `near`: the name that was probably meant. */
const unmatchedFilterSchema = z.object({
  filter: z.enum(['tool', 'project', 'agent']),
  value: z.string(),
  near: z.string().nullable(),
})
export type UnmatchedFilter = z.infer<typeof unmatchedFilterSchema>

const unmatchedTexts: Record<UnmatchedFilter['filter'], string> = {
  tool: 'No tool with this name was called',
  project: 'No project has this name or folder',
  agent: 'No agent has this name',
}

/** `tool:bsh: No tool with this name was called. Did you mean tool:bash?` */
export function unmatchedFilterText({ filter, value, near }: UnmatchedFilter): string {
  const meant = near === null ? '' : ` Did you mean ${filter}:${near}?`
  return `${filter}:${value}: ${unmatchedTexts[filter]}.${meant}`
}

const searchAnswerSchema = z.object({
  query: z.string(),
  hits: z.array(searchHitSchema),
  /** True if there are more hits than `limit`. */
  more: z.boolean(),
  /** All hits, also those after `limit`; with `countIsMinimum` there are more, which were not counted. */
  count: z.number().int().min(0),
  countIsMinimum: z.boolean(),
  facets: searchFacetsSchema,
  /** Only without hits. */
  unmatched: z.array(unmatchedFilterSchema),
  tookMs: z.number(),
  index: searchIndexStateSchema,
  /** The number of transcripts that were not searched because retention removed them. */
  expired: z.number().int().min(0),
})
export type SearchAnswer = z.infer<typeof searchAnswerSchema>

export const search = {
  /**
   * Returns the best hits first, or with `sort` the newest. INVALID (field `query`) if a filter has an unknown value. With `wait` it first waits
   * until the index has every entry that was recorded before the call. With `isPattern`, the query without its filters
   * is one regular expression, and transcripts are read instead of the index, newest first. With
   * `requestingWorkspaceId` only its descendants are searched (A5).
   */
  find: base
    .input(
      z.object({
        query: z.string().max(queryCharsMax),
        limit: z.number().int().min(1).max(searchLimitMax).optional(),
        sort: searchSortSchema.optional(),
        wait: z.boolean().optional(),
        isPattern: z.boolean().optional(),
        requestingWorkspaceId: taskIdSchema.optional(),
      }),
    )
    .output(searchAnswerSchema),
  state: base.output(searchIndexStateSchema),
  /** Returns the sorted names of the called tools in the index. None while it is unavailable. */
  tools: base.output(z.object({ tools: z.array(z.string()) })),
  /** Returns the tasks in the index whose agents called this tool. */
  tasksUsing: base
    .input(z.object({ tool: z.string().max(queryCharsMax) }))
    .output(z.object({ taskIds: z.array(taskIdSchema) })),
}
