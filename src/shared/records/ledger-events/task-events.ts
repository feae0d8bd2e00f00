/** Events of tasks: their creation, prompts and settings. */
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
    /** True if another tool recorded it: it can't be reproduced, so it never expires (X1). */
    imported: z.boolean().optional(),
    /** The options of the root apply to its tree. */
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
   * A user sent a follow-up to a root (T7), or a message to a running agent (`atNextTurn`, Q3). It waits until a run
   * starts with it or it is withdrawn.
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
  /** The session of the running agent has the message. */
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
   * The number of files it worked on that others have changed, found by a check before a resume; 0: none differs now.
   * Valid until the task is resumed, restarted or abandoned.
   */
  z.object({
    type: z.literal('task.conflicts-found'),
    taskId: taskIdSchema,
    files: z.number().int().min(0),
  }),
  /** The user renamed a root. */
  z.object({ type: z.literal('task.renamed'), taskId: taskIdSchema, title: z.string() }),
  /** Applies from its next run on. */
  z.object({
    type: z.literal('task.permissions-set'),
    taskId: taskIdSchema,
    permissions: permissionModeSchema,
  }),
  /** Applies from the next run of the root on. */
  z.object({ type: z.literal('task.model-set'), taskId: taskIdSchema, model: modelRefSchema }),
  /** A user requested a summary of its conversation before its next turn; false: that turn has started. */
  z.object({
    type: z.literal('task.compaction-set'),
    taskId: taskIdSchema,
    wanted: z.boolean(),
  }),
  /** It and the tasks below it never expire (X1). */
  z.object({ type: z.literal('task.pinned'), taskId: taskIdSchema }),
  z.object({ type: z.literal('task.unpinned'), taskId: taskIdSchema }),
] as const
