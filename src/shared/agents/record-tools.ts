/**
 * The tools that read the record: their descriptions and inputs. MCP clients get them from `shiplog mcp --read`, and
 * Shiplog's agents if their tree may read the record.
 */
import { z } from 'zod'

const task = z
  .string()
  .describe('The id of a task, or its first characters (4 or more), as other tools print it.')
const limit = (max: number, normal: number) =>
  z
    .number()
    .int()
    .min(1)
    .max(max)
    .default(normal)
    .describe(`How many at most. Default ${normal}, at most ${max}.`)

export const recordToolInputs = {
  search_record: z.strictObject({
    query: z.string().min(1).describe('Words and filters.'),
    is_regex: z
      .boolean()
      .default(false)
      .describe('The query without its filters is one regular expression (slower).'),
    limit: limit(50, 10),
  }),
  read_transcript: z.strictObject({
    task,
    seq: z.number().int().min(1).optional().describe('Begin at this entry; 1 is the first.'),
    turn: z.number().int().min(1).optional().describe('Begin at this turn instead.'),
    limit: limit(200, 40),
  }),
  read_entry: z.strictObject({
    task,
    seq: z.number().int().min(1).describe('The number of the entry.'),
    offset: z.number().int().min(0).default(0).describe('The byte to begin at.'),
  }),
  read_report: z.strictObject({
    task,
    run: z.number().int().min(1).optional().describe('Which run. Without it, the newest.'),
  }),
  list_failures: z.strictObject({ task: task.optional(), limit: limit(50, 20) }),
  files_touched: z
    .strictObject({
      task: task.optional(),
      path: z.string().optional().describe('A path or a part of it.'),
      limit: limit(500, 100),
    })
    .refine(({ task, path }) => (task === undefined) !== (path === undefined), {
      error: 'Give either task or path.',
    }),
} as const

export type RecordToolName = keyof typeof recordToolInputs
export type RecordToolInput<Name extends RecordToolName> = z.infer<(typeof recordToolInputs)[Name]>

export const isRecordTool = (name: string): name is RecordToolName =>
  Object.hasOwn(recordToolInputs, name)

export const recordToolTexts: Record<RecordToolName, { title: string; description: string }> = {
  search_record: {
    title: 'Search the record',
    description:
      'Searches all prompts, messages, tool calls, outputs and reports. All words must be in one text; "two words" in quotes are a phrase, this OR that is either, -word excludes. Filters: tool:bash, is:error, file:src/a.ts, project:NAME, agent:NAME, task:ID, kind:report, after:2026-10-31 or after:7d. Example: {"query": "parser tool:bash is:error after:7d"}',
  },
  read_transcript: {
    title: 'Read a transcript',
    description:
      'Returns what was said and done in a task, as Markdown, from an entry (seq) or a turn on. Long texts are cut; read_entry has them whole. Example: {"task": "3f2a1b9c", "seq": 62}',
  },
  read_entry: {
    title: 'Read one entry',
    description:
      'Returns one entry of a transcript as it was recorded, in JSON, in parts where it is long. Example: {"task": "3f2a1b9c", "seq": 62}',
  },
  read_report: {
    title: 'Read a report',
    description: 'Returns the final report of a task. Example: {"task": "3f2a1b9c"}',
  },
  list_failures: {
    title: 'List failures',
    description:
      'Without a task: tasks that failed or were interrupted, with the cause. With one: the tool calls that failed in it and in its sub-agents, each with its entry. Example: {"task": "3f2a1b9c"}',
  },
  files_touched: {
    title: 'Files touched',
    description:
      'With a task: the files that it changed, each with the entries of the first and the last change. With a path: the tasks whose calls or changes name it. Example: {"task": "3f2a1b9c"} or {"path": "src/parser.ts"}',
  },
}
