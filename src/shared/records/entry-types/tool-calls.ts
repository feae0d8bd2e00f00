/** Entries of tool calls and of the permission to make them. */

import { z } from 'zod'
import {
  callRevisionSchema,
  foreignCallFields,
  imageRefSchema,
  permissionAnswerSchema,
  permissionOptionSchema,
  providerDataSchema,
} from '../../agents/agent-records.ts'
import { entryIdSchema, runIdSchema, toolCallIdSchema } from '../ids.ts'
import { entryBase, gitObjectId, turn } from './base.ts'

export const toolCallEntrySchema = entryBase.extend({
  type: z.literal('tool-call'),
  messageUuid: entryIdSchema,
  runId: runIdSchema,
  turn,
  callId: toolCallIdSchema,
  name: z.string(),
  input: z.json(),
  ...foreignCallFields,
  /** The files before the call, in the turn store; only for a tool that may change them. */
  tree: gitObjectId.optional(),
})
export type ToolCallEntry = z.infer<typeof toolCallEntrySchema>

const shellChangeSchema = z.object({
  cwd: z.string(),
  /** Variables that were set, or unset (null). */
  env: z.record(z.string(), z.string().nullable()),
  /** The names of set variables whose secret value is not stored (K5). Absent: there are none. */
  hidden: z.array(z.string()).optional(),
})
export type ShellChange = z.infer<typeof shellChangeSchema>

export const toolResultEntrySchema = entryBase.extend({
  type: z.literal('tool-result'),
  messageUuid: entryIdSchema,
  runId: runIdSchema,
  turn,
  callId: toolCallIdSchema,
  name: z.string(),
  /** `unknown`: the process ended while the tool ran. The tool is never run again (S3). */
  outcome: z.enum(['ok', 'error', 'unknown']),
  /** The text that the agent gets. */
  output: z.string(),
  /** The images that it gets with the text, in `blobs/`; absent: none. */
  images: z.array(imageRefSchema).optional(),
  /** Details for the views, in the tool's own shape (see tools.ts). */
  detail: z.json().nullish(),
  durationMs: z.number().min(0),
  /** The call's changes of the shell's state, from which a resume restores `cd` and exports. */
  shell: shellChangeSchema.nullish(),
  providerData: providerDataSchema.optional(),
  /** What the agent corrected about its own call after that was recorded. */
  revised: callRevisionSchema.optional(),
  /** The files after the call, in the turn store. */
  tree: gitObjectId.optional(),
})
export type ToolResultEntry = z.infer<typeof toolResultEntrySchema>

/**
 * Whether an agent may do something (P4). If a user is asked there are two entries with the same question: the first
 * is durable before the question is shown, and the second has the answer.
 */
export const permissionEntrySchema = entryBase.extend({
  type: z.literal('permission'),
  runId: runIdSchema,
  /** Null: the question is about no call. */
  callId: toolCallIdSchema.nullable(),
  /** The complete question (P2). */
  question: z.string(),
  options: z.array(permissionOptionSchema),
  /** Null: not answered yet, and nothing runs until it is. */
  answer: permissionAnswerSchema.nullable(),
})
