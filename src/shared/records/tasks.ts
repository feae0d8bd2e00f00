/**
 * Projects, tasks, runs and workspaces as every host shows them. The field names are those of the
 * command line's JSON, so the same objects serve the command line, the contract and the views.
 */

import { z } from 'zod'
import { imageRefSchema } from '../agents/agent-records.ts'
import { agentSpecSchema } from '../agents/agent-specs.ts'
import { permissionModeSchema } from '../agents/permission-modes.ts'
import { dayMs } from '../durations.ts'
import { budgetLevelSchema, budgetPartSchema, budgetSchema } from './budgets.ts'
import { causeSchema } from './causes.ts'
import {
  projectIdSchema,
  promptIdSchema,
  receiptIdSchema,
  taskIdSchema,
  toolCallIdSchema,
  updateIdSchema,
} from './ids.ts'
import { projectIdentitySchema } from './project-identity.ts'
import { sandboxSettingSchema } from './sandbox.ts'
import { usageSchema } from './usage.ts'

const isoDateTime = z.iso.datetime()

/**
 * `completed` on a root says that its last run ended well: a root is a conversation, and a follow-up
 * starts its next run (T7). On a sub-agent's task it is final (T4).
 */
export const taskStatuses = [
  'queued',
  'spawned',
  'blocked',
  'completed',
  'interrupted',
  'resumed',
  'failed',
  'cancelled',
  'abandoned',
] as const
export const taskStatusSchema = z.enum(taskStatuses)
export type TaskStatus = z.infer<typeof taskStatusSchema>

export const isRunning = (status: TaskStatus): boolean =>
  status === 'spawned' || status === 'resumed'
/** It was asked to end with a report (Q3). */
const wrapsUp = z.literal(true).optional()
/** What an agent is doing now. `waiting`: it begins, or goes on, once there is room for it (T5). */
export const activitySchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('waiting'), wrapsUp }),
  z.object({
    state: z.literal('working'),
    wrapsUp,
    text: z.string(),
    /** It waits for its sub-agents. */
    awaits: z.literal(true).optional(),
    /** It gave no sign since then, milliseconds since the epoch; absent: it is not silent for long. */
    silentSince: z.number().optional(),
  }),
  /** A person is asked whether it may go on. */
  z.object({ state: z.literal('asking'), wrapsUp }),
  /** The budget of its tree is used up, and a person is asked what to do (Q2). */
  z.object({ state: z.literal('paused') }),
])
export type Activity = z.infer<typeof activitySchema>

/** Null when it is not known: the caller has its own word for that. */
export const activityLine = (activity: Activity | null): string | null =>
  activity && activityText(activity)
export function activityText(activity: Activity): string {
  const text = activity.state === 'working' ? activity.text : waitingTexts[activity.state]
  return isWrappingUp(activity) ? `Wrapping up · ${text}` : text
}
export const isWrappingUp = (activity: Activity): boolean =>
  activity.state !== 'paused' && activity.wrapsUp === true
const waitingTexts = {
  waiting: 'Waiting for its turn',
  asking: 'Waiting for your answer',
  paused: 'Paused: a limit is reached',
}
/** Nothing more happens to it unless somebody asks. */
export const isSettled = (status: TaskStatus): boolean =>
  !isRunning(status) && status !== 'queued' && status !== 'blocked'

/** It can be resumed, queued again or retried, as long as its workspace is there. */
export const canGoOn = (status: TaskStatus): boolean =>
  ['interrupted', 'queued', 'blocked', 'failed'].includes(status)

export const isolationSchema = z.enum(['worktree', 'in-place'])
export type Isolation = z.infer<typeof isolationSchema>

/** Identifies a process. A start compares both fields, because pids are reused (T3). */
export const processIdentitySchema = z.object({
  pid: z.number().int(),
  /** As the system gives it; compared for equality only. */
  startedAt: z.string(),
  /** Where on Linux the pid counts: containers have numbers of their own. Absent: not known, or no such thing. */
  pidNamespace: z.string().optional(),
})
export type ProcessIdentity = z.infer<typeof processIdentitySchema>

export const runSchema = z.object({
  run: z.number().int().min(1),
  status: z.enum(['running', 'completed', 'interrupted', 'failed']),
  startedAt: isoDateTime,
  endedAt: isoDateTime.nullable(),
  /**
   * Of a run whose process was killed: when its end was recorded. It ended at some time from `endedAt`, its last
   * sign of life, to this.
   */
  endedAtLatest: isoDateTime.optional(),
  /** Why, when it did not complete. */
  cause: causeSchema.nullable(),
  /** The follow-up that its current run works on. Cleared at the end of that run, when the session holds it. */
  prompt: z.string().optional(),
  images: z.array(imageRefSchema).optional(),
  /** The process that it runs in; gone once it has ended. */
  process: processIdentitySchema.optional(),
})
export type Run = z.infer<typeof runSchema>

/** The steps of a removal, in order (R1). Each is durable in the ledger before the next begins. */
export const removalSteps = [
  'started',
  'runs-stopped',
  'totals-recorded',
  'patch-saved',
  'artifacts-rolled-up',
  'transcript-moved',
  'archived',
  'worktree-removed',
  'removed',
] as const
export const removalStepSchema = z.enum(removalSteps)
export type RemovalStep = z.infer<typeof removalStepSchema>

/** `heldBy`: it waits for that one's removal, which is below it; else the step failed with `error`. */
export const pendingRemovalSchema = z.object({
  step: removalStepSchema,
  error: z.string(),
  heldBy: taskIdSchema.optional(),
})
export type PendingRemoval = z.infer<typeof pendingRemovalSchema>

/** One agent's place of work (PRODUCT, "Words"). Its id is its task's. */
const workspaceSchema = z.object({
  id: taskIdSchema,
  kind: z.enum(['root', 'task']),
  projectId: projectIdSchema,
  parentId: taskIdSchema.nullable(),
  isolation: isolationSchema,
  /** Absolute path of the working directory. */
  path: z.string(),
  branch: z.string().nullable(),
  /** The commit that the worktree was made from; null when in place or outside Git. */
  baseCommit: z.string().nullable(),
  /** The branch of the project (a root) or of the parent that it was made from. */
  baseBranch: z.string().nullable(),
  /** Null while it is in use; `removed` once it is archived and gone. */
  removal: removalStepSchema.nullable(),
  /** The step that failed, tried again at the next start (R5). */
  pending: pendingRemovalSchema.nullable(),
  /** A restore was begun and has not ended. */
  restoring: z.boolean(),
  createdAt: isoDateTime,
})
export type Workspace = z.infer<typeof workspaceSchema>

export const patchStatusSchema = z.enum(['none', 'pending', 'ready', 'applied', 'failed'])

/** Depth and number of agents (T5). */
export const agentsAtOnceDefault = 3
export const agentsAtOnceMax = 16
export const taskDepthMax = 5

/** A longer list is of no use to a reader. */
export const variablesMax = 50
/** Of an environment variable. */
export const variableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is no name of a variable')

/** What agents of a project get of the host's environment. */
export const projectEnvironmentSchema = z.object({
  /** Secret ones that they get nevertheless. */
  allowed: z.array(variableNameSchema).max(variablesMax),
  /** Instead of everything that is not secret: these, and what every program needs. */
  only: z.array(variableNameSchema).max(variablesMax).nullable(),
})
export type ProjectEnvironment = z.infer<typeof projectEnvironmentSchema>

/** What agents get as long as nothing was set: everything that is not secret. */
export const defaultEnvironment: ProjectEnvironment = { allowed: [], only: null }

export const isSameEnvironment = (a: ProjectEnvironment, b: ProjectEnvironment): boolean =>
  JSON.stringify([a.allowed, a.only]) === JSON.stringify([b.allowed, b.only])

/** A list shows less of it; its tooltip and its screen show all. */
export const titleCharsMax = 200

/** A five-hour limit is waited for five times a day. */
export const quotaWaitsMax = 50

export const treeOptionsSchema = z.object({
  /** Agents of the tree that work at the same time; one that only awaits others does not count (T5). */
  agentsAtOnce: z.number().int().min(1).max(agentsAtOnceMax),
  /** True: finished sub-agents' workspaces stay until somebody removes them. */
  keep: z.boolean(),
  /** Variables of the host that its agents get although they are secret (`--env`), by name. */
  env: z.array(variableNameSchema).optional(),
  /** The mode of permissions (`--permissions`); absent: that of its project, and of a scripted agent none. */
  permissions: permissionModeSchema.optional(),
  /** Of a root: what its whole tree may use (Q2); absent: no limit. */
  budget: budgetSchema.optional(),
  /** Of a root: how often its tree waits for a spent quota and then goes on by itself (Q1); absent: never. */
  quotaWaits: z.number().int().min(1).max(quotaWaitsMax).optional(),
  /** Of a root: agents of its tree may read the record of their sub-agents (A5); absent: they may not. */
  readsRecord: z.literal(true).optional(),
})

/** The plan and phase given to `task`; absent fields were not given. */
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

/** How long a transcript is, so that lists and archives need not read it. */
export const transcriptCountsSchema = z.object({
  /** Records of any type. */
  entries: z.number().int().min(0),
  /** Messages, prompts included. */
  messages: z.number().int().min(0),
  /** Of `chat.jsonl`; long values in `blobs/` are not counted. */
  bytes: z.number().int().min(0),
})
export type TranscriptCounts = z.infer<typeof transcriptCountsSchema>

/** A transcript that a sweep, or the person, took away (X2, X3). Reports and patches are not concerned. */
export const expirySchema = z.object({
  receiptId: receiptIdSchema,
  at: isoDateTime,
  /** It can be taken back from the trash until then at least. */
  keptUntil: isoDateTime,
  /** True when the person deleted it; absent when a sweep did. */
  asked: z.literal(true).optional(),
  /** When it was permanently deleted from the trash; null while it can be restored. */
  purgedAt: isoDateTime.nullable(),
})
export type TranscriptExpiry = z.infer<typeof expirySchema>

/** Follow-ups that wait in one root. Every list of tasks carries them; more is a work list, and belongs in a file. */
export const waitingPromptsMax = 20

/** A follow-up that no run has taken up yet. */
const waitingPromptSchema = z.object({
  id: promptIdSchema,
  prompt: z.string(),
  /** Absent: none. */
  images: z.array(imageRefSchema).optional(),
  at: isoDateTime,
  /** It is for the run that goes on, before its next turn; absent: for a run of its own. */
  atNextTurn: z.literal(true).optional(),
})
export type WaitingPrompt = z.infer<typeof waitingPromptSchema>

/** What was left in a removed worktree that no patch holds (R3). */
export const leftoversFields = {
  /** In the trash. */
  name: z.string(),
  files: z.number().int().min(0),
  bytes: z.number().int().min(0),
  /** Folders that were deleted, because what made them makes them again. Only the first of many. */
  recreatable: z.array(z.object({ path: z.string(), madeBy: z.string() })),
}
export const leftoversSchema = z.object({ ...leftoversFields, at: isoDateTime })

export const fileUpdateReasonSchema = z.enum(['apply', 'undo'])

/** Files of a folder that were written for a task, or are being written. */
const fileUpdateSchema = z.object({
  id: updateIdSchema,
  reason: fileUpdateReasonSchema,
  /** The apply that an undo undoes. */
  undoes: updateIdSchema.optional(),
  /** Only a part of the changes, so that the status of the patch stays. */
  partial: z.boolean().optional(),
  /** Absolute: the folder as it was named, and the top level of its working tree. */
  dir: z.string(),
  root: z.string(),
  /** Holds what was replaced and what was written. */
  commit: z.string(),
  /** A renamed file counts once. */
  files: z.number().int().min(0),
  startedAt: isoDateTime,
  /** Null while it is under way, and after a crash until the next start has settled it. */
  doneAt: isoDateTime.nullable(),
})
export type FileUpdate = z.infer<typeof fileUpdateSchema>

/** What an apply replaced is kept for this long; then it can't be undone any more. */
export const undoableDays = 30

/** How far a part of its budget was used when that was recorded. */
const budgetReachSchema = z.object({
  part: budgetPartSchema,
  level: budgetLevelSchema,
  /** In the unit of the part. */
  used: z.number(),
  at: isoDateTime,
})

/** The task that another one continues (T4), up to its entry `seq`; 0: it had no entries. */
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
  /** The agent's name in its scenario, or its kind. */
  agent: z.string(),
  spec: agentSpecSchema,
  /** As asked for; the workspace says what it got. */
  isolation: isolationSchema,
  status: taskStatusSchema,
  prompt: z.string(),
  /** Of its prompt; absent: none. */
  images: z.array(imageRefSchema).optional(),
  /** Oldest first; absent when there are none. */
  waitingPrompts: z.array(waitingPromptSchema).optional(),
  createdAt: isoDateTime,
  startedAt: isoDateTime.nullable(),
  endedAt: isoDateTime.nullable(),
  runs: z.array(runSchema),
  resumedFrom: resumedFromSchema.nullable(),
  dependsOn: z.array(taskIdSchema),
  /** True once its workspace is gone; its record stays. */
  archived: z.boolean(),
  /** True while its root lies in the trash: no list shows it. */
  trashed: z.boolean(),
  /** When its root was moved there, while it is. */
  trashedAt: isoDateTime.nullable(),
  /** True once its root was permanently deleted from the trash. */
  purged: z.boolean(),
  /** Kept, with everything below it, however old it gets (X1). */
  pinned: z.boolean(),
  /** Recorded by another tool, or in another data directory. */
  imported: z.boolean(),
  /** Of an imported root: the file it came from (I4). */
  importedFrom: z
    .object({
      tool: z.string(),
      version: z.string(),
      file: z.string(),
      bytes: z.number(),
      sha256: z.string(),
      originalId: z.string(),
      redacted: z.boolean(),
      at: isoDateTime,
    })
    .optional(),
  /** As its last run left it; absent while it runs, and after runs that were recorded without (R2). */
  transcriptCounts: transcriptCountsSchema.optional(),
  /** Null while its transcript is kept. */
  transcriptExpired: expirySchema.nullable(),
  /** When the person last took its transcript back: that counts as activity. */
  transcriptTakenBackAt: isoDateTime.nullable(),
  hasReport: z.boolean(),
  reportTitle: z.string().nullable(),
  /** The run whose report is the newest one. */
  reportedRun: z.number().int().min(1).nullable(),
  hasTranscript: z.boolean(),
  /** Why it failed, was interrupted, is blocked, was cancelled or abandoned. */
  cause: causeSchema.nullable(),
  model: z.string().nullable(),
  usage: usageSchema,
  /** The parent's tool call that made it: where its card stands. */
  callId: toolCallIdSchema.nullable(),
  spawnCommit: z.string().nullable(),
  patch: patchStatusSchema,
  /** Of its removals so far, oldest first; absent when nothing was left. They may have expired since. */
  leftovers: z.array(leftoversSchema).optional(),
  /** Oldest first: applies that were not undone, and what is under way; absent when there are none. */
  fileUpdates: z.array(fileUpdateSchema).optional(),
  /** Null until its directory exists. */
  workspace: workspaceSchema.nullable(),
  options: treeOptionsSchema,
  /**
   * Of a stopped task: files that it worked on and that others changed since, as the last check before a resume found;
   * absent: none, or not checked.
   */
  conflictsFound: z.object({ files: z.number().int().min(1), at: isoDateTime }).optional(),
  /** Its conversation is summarised before its next turn; absent: not because a person asked. */
  compactionWanted: z.literal(true).optional(),
  /** Of a root, since its budget was set; absent when nothing was reached. */
  budgetReached: z.array(budgetReachSchema).optional(),
  /** When its tree waited because of its budget; absent when it never did. `to` is null while it does. */
  budgetPauses: z.array(z.object({ from: isoDateTime, to: isoDateTime.nullable() })).optional(),
  /** Of a root whose tree waits for a spent quota (Q1). `wait` counts the waits of the tree, from 1. */
  sleep: z
    .object({ until: isoDateTime, since: isoDateTime, reason: z.string(), wait: z.number().int() })
    .optional(),
  /** Of a root whose tree slept and could not go on by itself, until it runs again. */
  sleepEnded: z.object({ because: z.string(), at: isoDateTime }).optional(),
  /** Of a root: how often its tree waited for a quota so far; absent: never. */
  quotaWaitsUsed: z.number().int().optional(),
  plan: planSchema,
  /** 0 for a root. */
  depth: z.number().int().min(0),
})
export type Task = z.infer<typeof taskSchema>

export const projectSchema = z.object({
  id: projectIdSchema,
  name: z.string(),
  /** Absolute path. */
  dir: z.string(),
  /** False: not a Git repository, so agents work in place and nothing can be applied or diffed. */
  git: z.boolean(),
  addedAt: isoDateTime,
  /** Identifies it when its folder moves; absent: it is known by its path alone. */
  identity: projectIdentitySchema.optional(),
  /** What the person set; absent: everything that is not secret. */
  environment: projectEnvironmentSchema.optional(),
  /** Variables passed on in an earlier folder or repository, and not now; until the environment is set again. */
  revokedVariables: z.array(variableNameSchema).optional(),
  /** Of what its own Git configuration asked for when the person allowed it. */
  gitConfigSha256: z.string().optional(),
  /** Of the configuration for installed agents that the person allowed, the newest last. */
  agentConfigSha256s: z.array(z.string()).optional(),
  /** What the person set for its agents' commands; absent: off. */
  sandbox: sandboxSettingSchema.optional(),
})
export type Project = z.infer<typeof projectSchema>

/** A task with its sub-agents' tasks, oldest first: what `tasks list` prints. */
export type TaskTree = Task & { children: TaskTree[] }

/** The Markdown with which a run ended. */
export const reportSchema = z.object({
  taskId: taskIdSchema,
  run: z.number().int().min(1),
  title: z.string(),
  reportMarkdown: z.string(),
  createdAt: isoDateTime,
  /** Parent first. */
  ancestorIds: z.array(taskIdSchema),
})
export type Report = z.infer<typeof reportSchema>

/**
 * Its removal was begun and nothing keeps it from going on. Lists leave it out from this moment, as what is
 * archived, however long its archiving takes (R5); one that was put off is shown again.
 */
export const isBeingRemoved = ({ workspace }: Pick<Task, 'workspace'>): boolean =>
  workspace !== null && workspace.removal !== null && workspace.pending === null

/** From then on its folder may be gone, and what was saved is what it ended with. */
export const isPatchSaved = (workspace: Workspace | null): boolean =>
  workspace !== null &&
  workspace.removal !== null &&
  removalSteps.indexOf(workspace.removal) >= removalSteps.indexOf('patch-saved')

/** The apply that would be undone next; null when there is none, or it was too long ago. */
export function undoableApply(
  { fileUpdates = [] }: Pick<Task, 'fileUpdates'>,
  nowMs: number,
): FileUpdate | null {
  const last = fileUpdates.findLast(({ reason, doneAt }) => reason === 'apply' && doneAt !== null)
  if (!last) return null
  return nowMs - Date.parse(last.startedAt) < undoableDays * dayMs ? last : null
}
