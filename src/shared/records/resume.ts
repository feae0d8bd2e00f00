/** Resuming interrupted tasks (S): the selection, the choice for each, and the outcome. */
import { z } from 'zod'
import { causeSchema } from './causes.ts'
import { driftReportSchema } from './drift.ts'
import { idTextSchema, taskIdSchema } from './ids.ts'
import { taskStatusSchema } from './tasks/task-status.ts'

/** Selects the tasks to resume (S1). Of a group, a tree or all: those that were interrupted or never started. */
export const resumeSelectorSchema = z.discriminatedUnion('by', [
  z.object({ by: z.literal('task'), taskId: idTextSchema }),
  /** The one that stopped last. */
  z.object({ by: z.literal('most-recent'), projectDir: z.string().optional() }),
  /** A parallel group by its name, by one of its agents, or that of the one that stopped last. */
  z.object({
    by: z.literal('group'),
    group: z.string().optional(),
    projectDir: z.string().optional(),
  }),
  /** The whole tree that the task belongs to. */
  z.object({ by: z.literal('tree'), taskId: idTextSchema }),
  z.object({ by: z.literal('all'), projectDir: z.string().optional() }),
])
export type ResumeSelector = z.infer<typeof resumeSelectorSchema>

/** `restart`: abandons the task and restarts it with the same prompt. `leave`: it stays interrupted. */
export const resumeChoiceSchema = z.enum(['resume', 'restart', 'abandon', 'leave'])
export type ResumeChoice = z.infer<typeof resumeChoiceSchema>

/** A task that a resume would continue; parents come before their children. */
export const resumeCandidateSchema = z.object({
  taskId: taskIdSchema,
  parentId: taskIdSchema.nullable(),
  title: z.string(),
  agent: z.string(),
  status: taskStatusSchema,
  /** Below the topmost candidate of its tree. */
  depth: z.number().int().min(0),
  drift: driftReportSchema,
  /** Why it can't be resumed; null if it can. */
  obstacle: z.string().nullable(),
})
export type ResumeCandidate = z.infer<typeof resumeCandidateSchema>

const resumeAgentSchema = resumeCandidateSchema.omit({ drift: true, obstacle: true })
export type ResumeAgent = z.infer<typeof resumeAgentSchema>

/** A plan in parts: first the agents to resume, then the drift of each, in any order. */
export const resumePlanEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agents'), agents: z.array(resumeAgentSchema) }),
  z.object({ type: z.literal('checked'), candidate: resumeCandidateSchema }),
])
export type ResumePlanEvent = z.infer<typeof resumePlanEventSchema>

export const resumeOutcomeSchema = z.object({
  /** Tasks that are running, or wait for a slot. */
  accepted: z.array(z.object({ taskId: taskIdSchema, drift: driftReportSchema })),
  /** Restarted in place of an interrupted one. */
  restarted: z.array(z.object({ taskId: taskIdSchema, replaces: taskIdSchema })),
  abandoned: z.array(taskIdSchema),
  /** Tasks that were not changed. `conflicts`: then no task was started. */
  refused: z.array(
    z.object({
      taskId: taskIdSchema,
      reason: z.enum(['conflicts', 'obstacle', 'failed']),
      message: z.string(),
      drift: driftReportSchema.nullable(),
    }),
  ),
})
export type ResumeOutcome = z.infer<typeof resumeOutcomeSchema>

/** The outcome of a resumed run, or why it was not started. */
export const resumeEndSchema = z.object({
  taskId: taskIdSchema,
  run: z.number().int().min(0),
  status: taskStatusSchema,
  /** Why it did not complete; null when it did. */
  cause: causeSchema.nullable(),
})
export type ResumeEnd = z.infer<typeof resumeEndSchema>
