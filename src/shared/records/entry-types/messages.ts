/** Entries of messages. */

import { z } from 'zod'
import { imagePartSchema, partIdSchema, providerDataSchema } from '../../agents/agent-records.ts'
import { isoDateTime } from '../date-time.ts'
import {
  entryIdSchema,
  promptIdSchema,
  runIdSchema,
  taskIdSchema,
  toolCallIdSchema,
} from '../ids.ts'
import { usageSchema } from '../usage.ts'
import { entryBase, turn } from './base.ts'

const speechFields = {
  /** The agent's id for the part, unique within the message; absent: its position identifies it. */
  id: partIdSchema.optional(),
  text: z.string(),
  providerData: providerDataSchema.optional(),
}

const messagePartSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), ...speechFields }),
  z.object({ type: z.literal('reasoning'), ...speechFields }),
  imagePartSchema,
  /** The position of a call in the message. Its input and outcome are in entries of their own. */
  z.object({ type: z.literal('tool-call'), callId: toolCallIdSchema, name: z.string() }),
])
export type MessagePart = z.infer<typeof messagePartSchema>
export type SpeechPart = Extract<MessagePart, { type: 'text' | 'reasoning' }>

const messageFields = {
  type: z.literal('message'),
  role: z.enum(['user', 'assistant']),
  parts: z.array(messagePartSchema),
  cwd: z.string(),
  timestamp: isoDateTime,
  /** Null outside Git or with a detached HEAD. */
  gitBranch: z.string().nullable(),
  sessionId: taskIdSchema,
  runId: runIdSchema,
  /** Counts the assistant turns of all runs of the task from 1; null on a prompt. */
  turn: turn.nullable(),
  /**
   * `interrupted`: the turn was cut short, and its text so far is kept. `superseded`: the attempt failed and was
   * repeated; its text is kept but is no part of the conversation.
   */
  status: z.enum(['complete', 'interrupted', 'superseded']),
  model: z.string().nullish(),
  /** Null: the usage of a later turn covers this one too. Absent: not reported. */
  usage: usageSchema.nullish(),
  /**
   * What the agent says that its session has cost, all prompts of it, as of the usage of this turn: what it says after
   * a resume is compared with that.
   */
  sessionCostUsd: z.number().min(0).optional(),
  /** Why the provider ended the turn, in its own term. */
  stop: z.string().optional(),
  /** On a prompt that a user sent to the agent while it ran. */
  promptId: promptIdSchema.optional(),
  /** Set if Shiplog wrote the message; absent: a user or the agent did. */
  by: z.literal('shiplog').optional(),
  providerData: providerDataSchema.optional(),
}

export const messageEntrySchema = entryBase.extend(messageFields)
export type MessageEntry = z.infer<typeof messageEntrySchema>

/** The unfinished assistant message in `partial.json`, which is written at most twice a second and not synced (J6). */
export const partialMessageSchema = z.object({
  v: z.literal(1),
  /** The uuid that the message entry will have. Of the two, the longer one is shown (A8). */
  uuid: entryIdSchema,
  ...messageFields,
  status: z.literal('interrupted'),
})
export type PartialMessage = z.infer<typeof partialMessageSchema>
