/**
 * The LedgerEvent union: every event of projects, workspaces, tasks and runs, in the past tense.
 * An event is durable before it is published (T2); `projections/ledger/fold-ledger.ts` folds them.
 */

import { z } from 'zod'
import { imageRefSchema } from '../agents/agent-records.ts'
import { agentSpecSchema } from '../agents/agent-specs.ts'
import { modelRefSchema } from '../agents/model-refs.ts'
import { permissionModeSchema } from '../agents/permission-modes.ts'
import { causeSchema } from './causes.ts'
import { importedTaskSchema, importSourceSchema } from './exported-tasks.ts'
import {
  projectIdSchema,
  promptIdSchema,
  receiptIdSchema,
  taskIdSchema,
  toolCallIdSchema,
  updateIdSchema,
} from './ids.ts'
import { fileUpdateReasonSchema } from './projects/file-updates.ts'
import { projectIdentitySchema } from './projects/project-identity.ts'
import { projectEnvironmentSchema } from './projects/projects.ts'
import { sandboxSettingSchema } from './projects/sandbox.ts'
import {
  isolationSchema,
  leftoversFields,
  pendingRemovalSchema,
  removalStepSchema,
} from './projects/workspaces.ts'
import { reviewEventSchemas, sentCommentsSchema } from './review-comments.ts'
import { budgetLevelSchema, budgetPartSchema, budgetSchema } from './tasks/budgets.ts'
import { processIdentitySchema } from './tasks/runs.ts'
import { patchStatusSchema, planSchema, resumedFromSchema } from './tasks/tasks.ts'
import { transcriptCountsSchema } from './tasks/transcript-status.ts'
import { treeOptionsSchema } from './tasks/tree-options.ts'
import { type Upgrade, upgradeRecord } from './upgrades.ts'
import { usageSchema } from './usage.ts'

export const ledgerVersion = 1

/** From each version there has been to the next: none yet. */
export const ledgerUpgrades: readonly Upgrade[] = []

/** Milliseconds since the epoch, where it ended before it could be recorded: after a crash. */
const endedAt = z.number().optional()

/** Absent if they could not be determined, and in older records. */
const transcript = transcriptCountsSchema.optional()

const taskRun = { taskId: taskIdSchema, run: z.number().int().min(1) }

const ledgerEventSchemas = [
  z.object({
    type: z.literal('project.added'),
    projectId: projectIdSchema,
    name: z.string(),
    dir: z.string(),
    git: z.boolean(),
    /** Absent: known by its path alone, as outside Git and before the first commit. */
    identity: projectIdentitySchema.optional(),
  }),
  /** Its folder was moved to another place. What the person allowed for the old one is revoked. */
  z.object({
    type: z.literal('project.moved'),
    projectId: projectIdSchema,
    name: z.string(),
    from: z.string(),
    dir: z.string(),
    identity: projectIdentitySchema,
  }),
  /** What Git reports of its folder differs from the record: a first commit, another remote, no Git any more. */
  z.object({
    type: z.literal('project.identified'),
    projectId: projectIdSchema,
    git: z.boolean(),
    /** Absent: it has none now; the last one is kept. */
    identity: projectIdentitySchema.optional(),
    /** Another repository is in its place: what the person allowed for the one before is revoked. */
    replaced: z.boolean(),
  }),
  z.object({ type: z.literal('project.removed'), projectId: projectIdSchema }),
  /** The person allowed the set-up command of this exact configuration to run. */
  z.object({
    type: z.literal('project.setup-trusted'),
    projectId: projectIdSchema,
    configSha256: z.string(),
  }),
  /** The person set what its agents get of the host's environment (K2). */
  z.object({
    type: z.literal('project.environment-set'),
    projectId: projectIdSchema,
    environment: projectEnvironmentSchema,
  }),
  /** The person set what its agents' commands may do to the system. */
  z.object({
    type: z.literal('project.sandbox-set'),
    projectId: projectIdSchema,
    sandbox: sandboxSettingSchema,
  }),
  /** The person allowed what the repository's own Git configuration asks for; `sha256`: of exactly that. */
  z.object({
    type: z.literal('project.git-config-allowed'),
    projectId: projectIdSchema,
    sha256: z.string(),
  }),
  /** The person allowed what a repository configures for installed agents; `sha256`: of a path and its content. */
  z.object({
    type: z.literal('project.agent-config-allowed'),
    projectId: projectIdSchema,
    files: z.array(z.object({ path: z.string(), sha256: z.string() })).min(1),
  }),
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
  z.object({
    type: z.literal('workspace.created'),
    workspaceId: taskIdSchema,
    kind: z.enum(['root', 'task']),
    isolation: isolationSchema,
    /** Relative to the data directory when it is in there, else absolute. */
    path: z.string(),
    branch: z.string().nullable(),
    baseCommit: z.string().nullable(),
    baseBranch: z.string().nullable(),
  }),
  z.object({
    type: z.literal('task.spawned'),
    ...taskRun,
    process: processIdentitySchema,
    /** HEAD of the working directory when the run began. */
    spawnCommit: z.string().nullable(),
    /** The follow-up that it takes up; absent when it was begun otherwise. */
    promptId: promptIdSchema.optional(),
  }),
  z.object({ type: z.literal('task.resumed'), ...taskRun, process: processIdentitySchema }),
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
  /** Its report is durable. It comes before the run's end. */
  z.object({ type: z.literal('task.reported'), ...taskRun, title: z.string() }),
  z.object({
    type: z.literal('task.completed'),
    ...taskRun,
    endedAt,
    transcript,
    usage: usageSchema,
  }),
  z.object({
    type: z.literal('task.interrupted'),
    ...taskRun,
    endedAt,
    transcript,
    cause: causeSchema,
    usage: usageSchema,
  }),
  z.object({
    type: z.literal('task.failed'),
    ...taskRun,
    endedAt,
    transcript,
    cause: causeSchema,
    usage: usageSchema,
  }),
  z.object({ type: z.literal('task.blocked'), taskId: taskIdSchema, cause: causeSchema }),
  z.object({ type: z.literal('task.requeued'), taskId: taskIdSchema }),
  z.object({ type: z.literal('task.cancelled'), taskId: taskIdSchema, cause: causeSchema }),
  z.object({ type: z.literal('task.abandoned'), taskId: taskIdSchema, cause: causeSchema }),
  z.object({
    type: z.literal('task.patch-changed'),
    taskId: taskIdSchema,
    status: patchStatusSchema,
  }),
  /**
   * Files of a folder are about to be written for this task. Everything that will be replaced, and everything
   * that will be written, is durable under `commit`; a crash from here on is settled at the next start.
   */
  z.object({
    type: z.literal('files.update-started'),
    updateId: updateIdSchema,
    taskId: taskIdSchema,
    reason: fileUpdateReasonSchema,
    /** The apply that is undone. */
    undoes: updateIdSchema.optional(),
    /** A chosen part of the changes was applied, or such an apply is undone. */
    partial: z.boolean().optional(),
    /** The folder as it was named, and the top level of its working tree; stored as `workspace.created` stores its path. */
    dir: z.string(),
    root: z.string(),
    commit: z.string(),
    /** How many files change; a renamed one counts once. */
    files: z.number().int().min(0),
  }),
  z.object({
    type: z.literal('files.updated'),
    updateId: updateIdSchema,
    taskId: taskIdSchema,
  }),
  /** The files are as before, but for `left`: their content is neither the old nor the new one, and was not touched. */
  z.object({
    type: z.literal('files.update-rolled-back'),
    updateId: updateIdSchema,
    taskId: taskIdSchema,
    left: z.array(z.string()),
  }),
  z.object({
    type: z.literal('workspace.removal-advanced'),
    workspaceId: taskIdSchema,
    step: removalStepSchema,
    /** The step that failed and is tried again at the next start (R5). */
    pending: pendingRemovalSchema.nullable(),
  }),
  /**
   * Its worktree is in the trash, less what the saved commit holds (R3). Nothing is recorded of one of which
   * nothing was left.
   */
  z.object({
    type: z.literal('workspace.leftovers-kept'),
    workspaceId: taskIdSchema,
    ...leftoversFields,
  }),
  /** A removed root is being taken back out of the archive (R6); a crash in between is ended at the next start. */
  z.object({ type: z.literal('workspace.restore-started'), workspaceId: taskIdSchema }),
  z.object({
    type: z.literal('workspace.restored'),
    workspaceId: taskIdSchema,
    branch: z.string().nullable(),
  }),
  /** It could not be brought back, and is in the archive as before. */
  z.object({ type: z.literal('workspace.restore-given-up'), workspaceId: taskIdSchema }),
  /** A removed root, with everything below it, was moved to the trash, or taken back out of it. */
  z.object({ type: z.literal('workspace.trashed'), workspaceId: taskIdSchema }),
  z.object({ type: z.literal('workspace.untrashed'), workspaceId: taskIdSchema }),
  /** It was permanently deleted from the trash, with everything below it. */
  z.object({
    type: z.literal('workspace.purged'),
    workspaceId: taskIdSchema,
    receiptId: receiptIdSchema,
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
  /** The person gave a root another budget; null: none. What was reached of the one before no longer counts. */
  z.object({
    type: z.literal('task.budget-set'),
    taskId: taskIdSchema,
    budget: budgetSchema.nullable(),
  }),
  /** Its tree used this much of its budget (Q2). But for `near`, its agents wait from here on. */
  z.object({
    type: z.literal('task.budget-reached'),
    taskId: taskIdSchema,
    part: budgetPartSchema,
    level: budgetLevelSchema,
    used: z.number(),
  }),
  /** The tree of a root waits for a spent quota, and is woken at that time (Q1). Again while it does: until later. */
  z.object({
    type: z.literal('task.sleep-started'),
    taskId: taskIdSchema,
    /** Milliseconds since the epoch. */
    untilMs: z.number(),
    /** What the provider said. */
    reason: z.string(),
    /** From 1. */
    wait: z.number().int().min(1),
  }),
  z.object({
    type: z.literal('task.sleep-ended'),
    taskId: taskIdSchema,
    /**
     * `woke`: one agent was answered, and the others go on. `resumed`: the person took it up. After all others it
     * stays interrupted.
     */
    because: z.enum([
      ...['woke', 'resumed', 'cancelled', 'stopped', 'nobody-left'],
      ...['no-waits-left', 'too-long', 'not-answered', 'not-resumed'],
    ] as const),
  }),
  ...reviewEventSchemas,
  /** The person wants it kept, with everything below it, however old it gets (X1). */
  z.object({ type: z.literal('task.pinned'), taskId: taskIdSchema }),
  z.object({ type: z.literal('task.unpinned'), taskId: taskIdSchema }),
  /** An entry came to its transcript while it did not run, so it is longer than its last run said. */
  z.object({
    type: z.literal('transcript.appended'),
    taskId: taskIdSchema,
    transcript: transcriptCountsSchema,
  }),
  /** Its transcript goes to the trash: recorded before it is moved, so that a start can end it (X3). */
  z.object({
    type: z.literal('transcript.expired'),
    taskId: taskIdSchema,
    receiptId: receiptIdSchema,
    /** Milliseconds since the epoch: it can be taken back until then at least. */
    keptUntil: z.number(),
    /** The person deleted it; absent when a sweep did. */
    asked: z.literal(true).optional(),
  }),
  /** It is where it was. `failure`: it could not be moved; `person`: it was taken back, and counts as looked at. */
  z.object({
    type: z.literal('transcript.unexpired'),
    taskId: taskIdSchema,
    because: z.enum(['person', 'failure']),
  }),
  /** It was permanently deleted from the trash. */
  z.object({
    type: z.literal('transcript.purged'),
    taskId: taskIdSchema,
    receiptId: receiptIdSchema,
  }),
  /** A sweep that removed something has ended; what, is in its receipt. */
  z.object({ type: z.literal('retention.swept'), receiptId: receiptIdSchema }),
  /** The person said that the clock is right although it leapt ahead: from here on its times count (X3). */
  z.object({ type: z.literal('clock.confirmed') }),
] as const

export const ledgerEventSchema = z.discriminatedUnion('type', ledgerEventSchemas)
export type LedgerEvent = z.infer<typeof ledgerEventSchema>
export type LedgerEventOf<Type extends LedgerEvent['type']> = Extract<LedgerEvent, { type: Type }>

/**
 * Reads one journal record as an event; one of an older version as if it had been written by this one. Null
 * for an unknown type or a newer version: it is kept on disk, and not folded (J5).
 */
export function parseLedgerEvent(record: Record<string, unknown>): LedgerEvent | null {
  const upgraded = upgradeRecord(record, ledgerUpgrades, ledgerVersion)
  if (upgraded.kind !== 'ready') return null
  const parsed = ledgerEventSchema.safeParse(upgraded.record)
  return parsed.success ? parsed.data : null
}

/** An event with what the journal stamped on it. */
export const ledgerRecordSchema = z.object({
  seq: z.number().int().min(1),
  /** Milliseconds since the epoch. */
  at: z.number(),
  event: ledgerEventSchema,
})
export type LedgerRecord = z.infer<typeof ledgerRecordSchema>
