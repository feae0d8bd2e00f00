/**
 * A task as every host shows it. The field names are those of the command line's JSON, so the same objects serve the
 * command line, the contract and the views.
 */

import { z } from 'zod'
import { imageRefSchema } from '../../agents/agent-records.ts'
import { agentSpecSchema } from '../../agents/agent-specs.ts'
import { causeSchema } from '../causes.ts'
import { isoDateTime } from '../date-time.ts'
import { projectIdSchema, taskIdSchema, toolCallIdSchema } from '../ids.ts'
import { fileUpdateSchema } from '../projects/file-updates.ts'
import { isolationSchema, leftoversSchema, workspaceSchema } from '../projects/workspaces.ts'
import { reviewCommentSchema } from '../review-comments.ts'
import { usageSchema } from '../usage.ts'
import { budgetLevelSchema, budgetPartSchema } from './budgets.ts'
import { runSchema } from './runs.ts'
import { taskStatusSchema } from './task-status.ts'
import { expirySchema, transcriptCountsSchema } from './transcript-status.ts'
import { treeOptionsSchema } from './tree-options.ts'
import { waitingPromptSchema } from './waiting-prompts.ts'

export const patchStatusSchema = z.enum(['none', 'pending', 'ready', 'applied', 'failed'])

/** Lists cut a title; its tooltip and the screen of the task show all of it. */
export const titleCharsMax = 200

/** The plan and phase that a call of `task` gave. */
export const planSchema = z
  .object({
    phase: z.string(),
    plan: z.string(),
    segment: z.number(),
    granularity: z.enum(['plan', 'task_group']),
    parallelGroup: z.string(),
    checkpointsSkipped: z.number(),
    taskResults: z.record(z.string(), z.json()),
  })
  .partial()

/** A level of use that a part of a budget has reached. */
const budgetReachSchema = z.object({
  part: budgetPartSchema,
  level: budgetLevelSchema,
  /** In the unit of the part. */
  used: z.number(),
  at: isoDateTime,
})

/** The task that another one continues (T4), up to its entry `seq`; 0 if it had no entries. */
export const resumedFromSchema = z.object({
  taskId: taskIdSchema,
  seq: z.number().int().min(0),
})
export type ResumedFrom = z.infer<typeof resumedFromSchema>

export const taskSchema = z.object({
  id: taskIdSchema,
  parentId: taskIdSchema.nullable(),
  rootId: taskIdSchema,
  projectId: projectIdSchema,
  projectDir: z.string(),
  title: z.string(),
  /** The agent's name in its scenario, else its kind. */
  agent: z.string(),
  spec: agentSpecSchema,
  /** As requested; `workspace.isolation` is what it got. */
  isolation: isolationSchema,
  status: taskStatusSchema,
  prompt: z.string(),
  /** The images of its prompt; absent: none. */
  images: z.array(imageRefSchema).optional(),
  /** Oldest first; absent if there are none. */
  waitingPrompts: z.array(waitingPromptSchema).optional(),
  createdAt: isoDateTime,
  startedAt: isoDateTime.nullable(),
  endedAt: isoDateTime.nullable(),
  runs: z.array(runSchema),
  resumedFrom: resumedFromSchema.nullable(),
  dependsOn: z.array(taskIdSchema),
  /** True once its workspace was removed; its record stays. */
  archived: z.boolean(),
  /** True while its root is in the trash: no list shows it. */
  trashed: z.boolean(),
  /** When its root was moved to the trash; null if it is not there. */
  trashedAt: isoDateTime.nullable(),
  /** True once its root was permanently deleted from the trash. */
  purged: z.boolean(),
  /** It and the tasks below never expire (X1). */
  pinned: z.boolean(),
  /** True if it was recorded by another tool, or in another data directory. */
  imported: z.boolean(),
  /** On an imported root: the file it came from (I4). */
  importedFrom: z
    .object({
      tool: z.string(),
      version: z.string(),
      file: z.string(),
      bytes: z.number(),
      sha256: z.string(),
      originalId: z.string(),
      redacted: z.boolean(),
      withoutFiles: z.boolean().optional(),
      opening: z.string().optional(),
      at: isoDateTime,
    })
    .optional(),
  /** After its last run (R2); absent while it runs, or if that run did not record it. */
  transcriptCounts: transcriptCountsSchema.optional(),
  /** Null while its transcript is kept. */
  transcriptExpired: expirySchema.nullable(),
  /** When the user last restored its transcript, which counts as activity (X1). */
  transcriptRestoredAt: isoDateTime.nullable(),
  hasReport: z.boolean(),
  reportTitle: z.string().nullable(),
  /** The run that the newest report is from. */
  reportedRun: z.number().int().min(1).nullable(),
  hasTranscript: z.boolean(),
  /** Why it failed, was interrupted, is blocked, was cancelled or abandoned. */
  cause: causeSchema.nullable(),
  model: z.string().nullable(),
  usage: usageSchema,
  /** The parent's tool call that created it, where the parent's transcript shows its card. */
  callId: toolCallIdSchema.nullable(),
  spawnCommit: z.string().nullable(),
  patch: patchStatusSchema,
  /** What each of its removals left, oldest first; absent if there were none. They may have expired since. */
  leftovers: z.array(leftoversSchema).optional(),
  /** Applies that were not undone, and updates in progress, oldest first; absent if there are none. */
  fileUpdates: z.array(fileUpdateSchema).optional(),
  /** The user's comments on its changes, oldest first; absent if there are none. */
  reviewComments: z.array(reviewCommentSchema).optional(),
  /** Null until its directory exists. */
  workspace: workspaceSchema.nullable(),
  options: treeOptionsSchema,
  /**
   * On a stopped task: the number of its files that others have changed since, as of the last check before a resume;
   * absent: none, or not checked.
   */
  conflictsFound: z.object({ files: z.number().int().min(1), at: isoDateTime }).optional(),
  /** The user asked to summarise its conversation before its next turn. */
  compactionWanted: z.literal(true).optional(),
  /** On a root: the levels reached since its budget was set; absent if there are none. */
  budgetReached: z.array(budgetReachSchema).optional(),
  /** When its tree waited because of its budget; absent: never. `to` is null while it waits. */
  budgetPauses: z.array(z.object({ from: isoDateTime, to: isoDateTime.nullable() })).optional(),
  /** On a root whose tree waits for a spent quota (Q1). `wait` counts the waits of the tree, from 1. */
  sleep: z
    .object({ until: isoDateTime, since: isoDateTime, reason: z.string(), wait: z.number().int() })
    .optional(),
  /** On a root whose tree slept and could not continue by itself, until it runs again. */
  sleepEnded: z.object({ because: z.string(), at: isoDateTime }).optional(),
  /** On a root: how often its tree has waited for a quota; absent: never. */
  quotaWaitsUsed: z.number().int().optional(),
  plan: planSchema,
  /** 0 for a root. */
  depth: z.number().int().min(0),
})
export type Task = z.infer<typeof taskSchema>

/** A task with its sub-agents' tasks, oldest first: what `tasks list` prints. */
export type TaskTree = Task & { children: TaskTree[] }
