/** Entries of runs: their start and end, and what an agent reports in between. */

import { z } from 'zod'
import {
  agentSessionRefSchema,
  imageRefSchema,
  planItemSchema,
} from '../../agents/agent-records.ts'
import { definitionRefSchema } from '../../agents/agent-specs.ts'
import { permissionModeSchema } from '../../agents/permission-modes.ts'
import { causeSchema } from '../causes.ts'
import { runIdSchema } from '../ids.ts'
import { runSandboxSchema } from '../projects/sandbox.ts'
import { entryBase, turn } from './base.ts'

export const runStartEntrySchema = entryBase.extend({
  type: z.literal('run-start'),
  runId: runIdSchema,
  run: z.number().int().min(1),
  reason: z.enum(['prompt', 'resume', 'retry']),
  agent: z.string(),
  model: z.string().nullish(),
  /** The names of the host's variables that agents don't get (K2). Recorded once, and again after a change. */
  withheld: z.array(z.string()).optional(),
  /** The mode of permissions; absent: a scenario of the user, which asks for nothing. */
  permissions: permissionModeSchema.optional(),
  /** The sandbox of its agent's commands; absent: none. */
  sandbox: runSandboxSchema.optional(),
  /** The version of its agent definition; absent: none. */
  definition: definitionRefSchema.optional(),
})

export const runEndEntrySchema = entryBase.extend({
  type: z.literal('run-end'),
  runId: runIdSchema,
  run: z.number().int().min(1),
  status: z.enum(['completed', 'interrupted', 'failed']),
  /** Why it did not complete; null if it did. */
  cause: causeSchema.nullable(),
})

export type RunEndEntry = z.infer<typeof runEndEntrySchema>

export const resumeEntrySchema = entryBase.extend({
  type: z.literal('resume'),
  runId: runIdSchema,
  /** The changes since the last run stopped, one sentence each. */
  drift: z.array(z.string()),
})

/** An agent has created or loaded a conversation in its own store. A resume passes the reference back. */
export const agentSessionEntrySchema = entryBase.extend({
  type: z.literal('agent-session'),
  runId: runIdSchema,
  ref: agentSessionRefSchema,
  model: z.string().optional(),
  /** Its capabilities, as it reported them. */
  capabilities: z.json().optional(),
})

/** The complete plan, which replaces the one before. */
export const planEntrySchema = entryBase.extend({
  type: z.literal('plan'),
  runId: runIdSchema,
  items: z.array(planItemSchema),
})

/** A summary has replaced the entries before `keptFromSeq` in the agent's context. The record keeps them. */
export const compactionEntrySchema = entryBase.extend({
  type: z.literal('compaction'),
  runId: runIdSchema,
  summary: z.string(),
  /** The first entry that the agent still has in full; null: not reported. */
  keptFromSeq: z.number().int().min(1).nullable(),
  /** The images of the prompts that the summary repeats, in `blobs/`; absent: none. */
  images: z.array(imageRefSchema).optional(),
})

/** An attempt at a turn failed, and another one follows. */
export const retryingEntrySchema = entryBase.extend({
  type: z.literal('retrying'),
  runId: runIdSchema,
  turn,
  cause: causeSchema,
  /** When the next attempt is due, in milliseconds since the epoch; null: immediately. */
  untilMs: z.number().nullable(),
})
