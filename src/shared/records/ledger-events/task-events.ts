/** Events of tasks: how they come to be, what they are asked, and what a person sets. */
import { z } from 'zod'
import { imageRefSchema } from '../../agents/agent-records.ts'
import { agentSpecSchema } from '../../agents/agent-specs.ts'
import { modelRefSchema } from '../../agents/model-refs.ts'
import { permissionModeSchema } from '../../agents/permission-modes.ts'
import { importedTaskSchema, importSourceSchema } from '../exported-tasks.ts'
import { projectIdSchema, promptIdSchema, taskIdSchema, toolCallIdSchema } from '../ids.ts'
import { isolationSchema } from '../projects/workspaces.ts'
import { sentCommentsSchema } from '../review-comments.ts'
import { patchStatusSchema, planSchema, resumedFromSchema } from '../tasks/tasks.ts'
import { treeOptionsSchema } from '../tasks/tree-options.ts'

export const taskEventSchemas = [
  z.object({
    type: z.literal('task.created'),
    taskId: taskIdSchema,
    parentId: taskIdSchema.nullable(),
    rootId: taskIdSchema,
    projectId: projectIdSchema,
    title: z.string(),
    agent: z.string(),
    spec: agentSpecSchema,
    prompt: z.string(),
    /** Images of the prompt, in the `blobs/` of its session; absent: none. */
    images: z.array(imageRefSchema).optional(),
    model: z.string().nullable(),
    isolation: isolationSchema,
    callId: toolCallIdSchema.nullable(),
    resumedFrom: resumedFromSchema.nullable(),
    dependsOn: z.array(taskIdSchema),
    /** True of what another tool recorded: it can't be made again, so it never expires (X1). */
    imported: z.boolean().optional(),
    /** How its tree is run; the root's count for everything below it. */
    options: treeOptionsSchema,
    plan: planSchema,
  }),
  /** A tree from another data directory or tool, as an archived root; its files are durable before (I3, I4). */
  z.object({
    type: z.literal('tasks.imported'),
    projectId: projectIdSchema,
    /** The root first, and a parent before its sub-agents. */
    tasks: z.array(importedTaskSchema).min(1),
    source: importSourceSchema,
  }),
  /**
   * A person followed up on a root (T7), or sent a running agent a message (`atNextTurn`, Q3): it waits until a run takes
   * it up, or it is withdrawn.
   */
  z.object({
    type: z.literal('task.prompted'),
    taskId: taskIdSchema,
    promptId: promptIdSchema,
    prompt: z.string(),
    images: z.array(imageRefSchema).optional(),
    atNextTurn: z.literal(true).optional(),
    /** The comments on changes that it sends; absent: none. */
    comments: sentCommentsSchema.optional(),
  }),
  /** The session of the running agent holds the message. */
  z.object({
    type: z.literal('task.prompt-delivered'),
    taskId: taskIdSchema,
    promptId: promptIdSchema,
  }),
  z.object({
    type: z.literal('task.prompt-withdrawn'),
    taskId: taskIdSchema,
    promptId: promptIdSchema,
  }),
  z.object({
    type: z.literal('task.patch-changed'),
    taskId: taskIdSchema,
    status: patchStatusSchema,
  }),
  /**
   * A check before a resume found that others changed files that it worked on; 0: they are as it left them again. It
   * counts until the task is resumed, restarted or abandoned.
   */
  z.object({
    type: z.literal('task.conflicts-found'),
    taskId: taskIdSchema,
    files: z.number().int().min(0),
  }),
  /** The person gave a root another title. */
  z.object({ type: z.literal('task.renamed'), taskId: taskIdSchema, title: z.string() }),
  /** From its next run on. */
  z.object({
    type: z.literal('task.permissions-set'),
    taskId: taskIdSchema,
    permissions: permissionModeSchema,
  }),
  /** The model that a root asks from its next run on. */
  z.object({ type: z.literal('task.model-set'), taskId: taskIdSchema, model: modelRefSchema }),
  /** A person asked for a summary of its conversation before its next turn; false: that turn has come. */
  z.object({
    type: z.literal('task.compaction-set'),
    taskId: taskIdSchema,
    wanted: z.boolean(),
  }),
  /** The person wants it kept, with everything below it, however old it gets (X1). */
  z.object({ type: z.literal('task.pinned'), taskId: taskIdSchema }),
  z.object({ type: z.literal('task.unpinned'), taskId: taskIdSchema }),
] as const
