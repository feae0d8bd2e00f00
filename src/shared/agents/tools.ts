/**
 * The tools of every kind of agent: their inputs, and the `detail` of a tool result that the views
 * show. Implementations are in `src/main/agents/tools`.
 */
import { z } from 'zod'
import { causeSchema } from '../records/causes.ts'
import { taskIdSchema } from '../records/ids.ts'
import { taskStatusSchema } from '../records/tasks/task-status.ts'
import { planItemSchema } from './agent-records.ts'
import { recordToolInputs } from './record-tools.ts'

/** Time limit of a command whose call sets none: two minutes. */
export const bashTimeoutMsDefault = 120_000
const bashTimeoutMsMax = 600_000

/** A plan is read at a glance; each change of it is a whole copy in the record. */
const planItemsMax = 100
const planTextCharsMax = 500

const path = z.string().min(1)
/** A title or an id (or its unique prefix) of a task. */
const taskReference = z.string().min(1)

/** A question must fit on a screen, and a choice on a button. */
const questionCharsMax = 4_000
const choiceCharsMax = 200
const choicesMax = 8

export const toolInputSchemas = {
  bash: z.strictObject({
    command: z.string().min(1),
    timeoutMs: z.number().int().min(1).max(bashTimeoutMsMax).optional(),
    /** True: the call returns at once; without `timeoutMs` the command may run as long as the run. */
    background: z.boolean().optional(),
  }),
  bash_output: z.strictObject({
    /** The id in the result of `bash`, such as `b1`. */
    id: z.string().min(1),
    /** Milliseconds to wait for the command to end. */
    waitMs: z.number().int().min(0).max(bashTimeoutMsMax).optional(),
  }),
  bash_kill: z.strictObject({ id: z.string().min(1) }),
  read_file: z.strictObject({
    path,
    /** First line to read, from 1. */
    fromLine: z.number().int().min(1).optional(),
    lines: z.number().int().min(1).optional(),
  }),
  write_file: z.strictObject({ path, content: z.string() }),
  edit_file: z.strictObject({
    path,
    oldText: z.string().min(1),
    newText: z.string(),
    /** Without it, `oldText` must occur exactly once. */
    replaceAll: z.boolean().optional(),
  }),
  list_files: z.strictObject({ path: path.optional(), glob: z.string().optional() }),
  search_files: z.strictObject({
    /** A regular expression in ripgrep's syntax, or else in JavaScript's. */
    pattern: z.string().min(1),
    path: path.optional(),
    glob: z.string().optional(),
    ignoreCase: z.boolean().optional(),
  }),
  web_fetch: z.strictObject({
    /** With `https` or `http`. */
    url: z.string().min(1).max(4000),
  }),
  task: z.strictObject({
    agent: z.string().min(1),
    title: z.string().min(1),
    prompt: z.string().min(1),
    /** True: the call returns at once and `task_await` collects the report. */
    background: z.boolean().optional(),
    isolation: z.enum(['worktree', 'in-place']).optional(),
    /** Titles, ids, or plan references such as `05-01`. */
    dependsOn: z.array(taskReference).optional(),
    phase: z.string().optional(),
    plan: z.string().optional(),
    segment: z.number().optional(),
    granularity: z.enum(['plan', 'task_group']).optional(),
    parallelGroup: z.string().optional(),
    checkpointsSkipped: z.number().optional(),
    taskResults: z.record(z.string(), z.json()).optional(),
  }),
  task_await: z.strictObject({
    tasks: z.union([z.literal('all'), z.array(taskReference).min(1)]),
    /** Milliseconds, or a text such as `30s`. */
    timeout: z.union([z.number().int().min(1), z.string()]).optional(),
  }),
  task_list: z.strictObject({}),
  task_stop: z.strictObject({ task: taskReference }),
  task_apply_patch: z.strictObject({ task: taskReference }),
  /** Replaces the whole plan. */
  update_plan: z.strictObject({
    items: z
      .array(
        z.strictObject({
          text: z.string().min(1).max(planTextCharsMax),
          status: planItemSchema.shape.status,
        }),
      )
      .min(1)
      .max(planItemsMax),
  }),
  ask_person: z.strictObject({
    question: z.string().trim().min(1).max(questionCharsMax),
    /** Answers to choose from; the user may give another. */
    choices: z.array(z.string().trim().min(1).max(choiceCharsMax)).max(choicesMax).optional(),
  }),
  ...recordToolInputs,
  agent_report: z.strictObject({
    title: z.string().min(1),
    markdown: z.string(),
    taskResults: z.record(z.string(), z.json()).optional(),
  }),
} as const

export type ToolName = keyof typeof toolInputSchemas
export type ToolInput<Name extends ToolName> = z.infer<(typeof toolInputSchemas)[Name]>
export const toolNames = Object.keys(toolInputSchemas) as ToolName[]
export const isToolName = (name: string): name is ToolName => Object.hasOwn(toolInputSchemas, name)

/** The state of one awaited task in the result of `task` (in the foreground) and `task_await`. */
const awaitedTaskSchema = z.object({
  taskId: taskIdSchema,
  title: z.string(),
  agent: z.string(),
  status: taskStatusSchema,
  /** Why it failed, was interrupted, is blocked, was cancelled or abandoned. */
  cause: causeSchema.nullable(),
  report: z.object({ run: z.number(), title: z.string(), markdown: z.string() }).nullable(),
})
export type AwaitedTask = z.infer<typeof awaitedTaskSchema>

/** One file that an apply changed. A renamed one is one file. */
const appliedFileSchema = z.object({
  /** Relative to the top level of the working tree. */
  path: z.string(),
  change: z.enum(['added', 'modified', 'deleted', 'renamed']),
  /** Before a rename. */
  oldPath: z.string().nullable(),
})
export type AppliedFile = z.infer<typeof appliedFileSchema>

export const applyOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('applied'),
    files: z.array(appliedFileSchema),
    /**
     * Files whose line endings or keywords Git rewrote because the changes bring a `.gitattributes`: their
     * bytes are not the agent's. Absent when there are none.
     */
    converted: z.array(z.string()).optional(),
    /** Files and folders (with a slash) that no patch contains: ignored, or flagged so that Git skips them. */
    notCarried: z.array(z.string()).optional(),
  }),
  z.object({ kind: z.literal('nothing-to-apply') }),
  z.object({ kind: z.literal('already-applied') }),
  /** Nothing was changed. */
  z.object({ kind: z.literal('conflict'), paths: z.array(z.string()), message: z.string() }),
])
export type ApplyOutcome = z.infer<typeof applyOutcomeSchema>

/** `new name`, or `old name -> new name`. */
export const appliedFileLine = ({ path, oldPath }: AppliedFile): string =>
  oldPath === null ? path : `${oldPath} -> ${path}`

/** Returns lines about the files whose bytes an apply rewrote; usually none. */
export function convertedLines({ converted = [] }: { converted?: string[] | undefined }): string[] {
  if (converted.length === 0) return []
  return [
    'Git wrote these with the line endings or keywords that .gitattributes specifies, so their bytes differ from the agent’s:',
    ...converted,
  ]
}

export const undoOutcomeSchema = z.discriminatedUnion('kind', [
  /** `files`: a renamed one counts once; `paths` names every path that was written or removed. */
  z.object({ kind: z.literal('undone'), files: z.number(), paths: z.array(z.string()) }),
  /** Nothing was changed. */
  z.object({ kind: z.literal('changed-since'), paths: z.array(z.string()), message: z.string() }),
])
export type UndoOutcome = z.infer<typeof undoOutcomeSchema>

/** `detail` of a tool result. For any other shape, views show the text output. */
export const toolDetailSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('bash'),
    /** Null when it was ended by a signal. */
    exitCode: z.number().nullable(),
    timedOut: z.boolean(),
    /** Bytes that the cap cut from the middle of the output. */
    omittedBytes: z.number(),
    /** The whole output, in `blobs/`; absent if `output` is complete, or the disk write failed. */
    whole: z
      .object({
        sha256: z.string(),
        bytes: z.number(),
        /** Bytes beyond the limit, which were dropped. */
        leftOutBytes: z.number(),
      })
      .optional(),
  }),
  /** A background command. */
  z.object({
    kind: z.literal('background'),
    id: z.string(),
    command: z.string(),
    state: z.enum(['running', 'ended', 'timed-out']),
    /** Null while it runs, and when it was ended by a signal. */
    exitCode: z.number().nullable(),
    /** Bytes that the cap cut from the middle of the output. */
    omittedBytes: z.number().optional(),
  }),
  z.object({
    kind: z.literal('edit'),
    path: z.string(),
    change: z.enum(['created', 'changed', 'unchanged']),
    additions: z.number(),
    deletions: z.number(),
    /** Unified diff; null when it was over the cap or not text. */
    patch: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('read'),
    path: z.string(),
    lines: z.number(),
    truncated: z.boolean(),
  }),
  z.object({ kind: z.literal('files'), count: z.number(), truncated: z.boolean() }),
  z.object({
    kind: z.literal('matches'),
    count: z.number(),
    files: z.number(),
    truncated: z.boolean(),
  }),
  z.object({ kind: z.literal('tasks'), tasks: z.array(awaitedTaskSchema) }),
  z.object({
    kind: z.literal('apply'),
    taskId: taskIdSchema,
    title: z.string(),
    outcome: applyOutcomeSchema,
  }),
  z.object({ kind: z.literal('report'), title: z.string(), markdown: z.string() }),
  /** The answer to `ask_person`; null: the user left it to the agent. */
  z.object({ kind: z.literal('answer'), text: z.string().nullable() }),
  /** The call, of any tool, was never tried: it was refused, or Shiplog quit before it was allowed. */
  z.object({ kind: z.literal('not-run') }),
])
export type ToolDetail = z.infer<typeof toolDetailSchema>
