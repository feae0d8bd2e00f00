/**
 * The recorded form of what agents of every kind report: parts of a message, calls that they
 * execute, plans, requests for permission. Kinds and names follow the Agent Client Protocol, the
 * most detailed of the supported protocols.
 */
import { z } from 'zod'
import { toolCallIdSchema } from '../records/ids.ts'

/**
 * Data that a provider requires with a part or a call on resume (signatures, encrypted reasoning),
 * unchanged. Opaque: it is only sent back to the same provider and model (G3).
 */
export const providerDataSchema = z.object({
  provider: z.string(),
  model: z.string(),
  data: z.json(),
})
export type ProviderData = z.infer<typeof providerDataSchema>

/** Identifies a part within its message. Agents choose the form. */
export const partIdSchema = z.string().min(1).max(200)
export type PartId = z.infer<typeof partIdSchema>

/** A file in the session's `blobs/`, by the SHA-256 of its content in hex. */
const blobHash = z.string().regex(/^[0-9a-f]{64}$/)

export const imageRefSchema = z.object({
  /** `image/png` and the like. */
  mediaType: z.string(),
  sha256: blobHash,
  bytes: z.number().int().min(0),
})
export type ImageRef = z.infer<typeof imageRefSchema>

export const imagePartSchema = imageRefSchema.extend({
  type: z.literal('image'),
  id: partIdSchema.optional(),
  providerData: providerDataSchema.optional(),
})

/** `host`: executed by Shiplog. `agent`, `provider`: executed and reported by them (G1). */
const callBySchema = z.enum(['host', 'agent', 'provider'])
export type CallBy = z.infer<typeof callBySchema>

/** Classifies a call of a tool that is not one of Shiplog's. */
const callKindSchema = z.enum([
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch-mode',
  'other',
])
export type CallKind = z.infer<typeof callKindSchema>

/** A file that a call is about. `line` counts from 1. */
const locationSchema = z.object({
  path: z.string(),
  line: z.number().int().min(1).optional(),
})
export type CallLocation = z.infer<typeof locationSchema>

/** Further fields of a call that the agent executes. */
export const foreignCallFields = {
  /** Absent: `host`. */
  by: callBySchema.optional(),
  kind: callKindSchema.optional(),
  title: z.string().optional(),
  locations: z.array(locationSchema).optional(),
  providerData: providerDataSchema.optional(),
}

export const callRevisionSchema = z
  .object({
    kind: callKindSchema,
    title: z.string(),
    input: z.json(),
    locations: z.array(locationSchema),
  })
  .partial()
export type CallRevision = z.infer<typeof callRevisionSchema>

/** The output of a running call. Shown until its result is recorded; not recorded itself. */
export const callProgressSchema = z.object({
  callId: toolCallIdSchema,
  output: z.string(),
  /** The agent's description of the call; absent: unchanged. */
  title: z.string().optional(),
})
export type CallProgress = z.infer<typeof callProgressSchema>

/** A few screens; the result will have all of it. */
const progressCharsMax = 16_000

/** Merges two reports about one call, and keeps the end of the output. */
export function joinProgress(before: CallProgress, next: CallProgress): CallProgress {
  return { ...before, ...next, output: (before.output + next.output).slice(-progressCharsMax) }
}

export const planItemSchema = z.object({
  text: z.string(),
  status: z.enum(['pending', 'in-progress', 'completed']),
  priority: z.enum(['high', 'medium', 'low']).optional(),
})
export type PlanItem = z.infer<typeof planItemSchema>

/** A reference to a conversation in an agent's own store, with which it can continue. */
export const agentSessionRefSchema = z.object({
  /** The kind of agent and its name: `acp:claude-code`. */
  agent: z.string(),
  id: z.string(),
})
export type AgentSessionRef = z.infer<typeof agentSessionRefSchema>

/** The recorded cost of such a conversation. Agents report the sum of all its prompts. */
export const agentSessionCostSchema = z.object({
  /** The last reported sum; 0 if none was reported. */
  reportedUsd: z.number().min(0),
  /** The sum at the end of the last run whose agent process exited cleanly. */
  savedUsd: z.number().min(0),
  /** True if the process was killed or failed in the last run. */
  wasKilled: z.boolean(),
})
export type AgentSessionCost = z.infer<typeof agentSessionCostSchema>

export const noSessionCost: AgentSessionCost = { reportedUsd: 0, savedUsd: 0, wasKilled: false }

export const permissionOptionSchema = z.object({
  id: z.string(),
  /** The agent's text. */
  name: z.string(),
  kind: z.enum(['allow-once', 'allow-always', 'reject-once', 'reject-always']),
})
export type PermissionOption = z.infer<typeof permissionOptionSchema>

export const permissionAnswerSchema = z.object({
  /** Null if nobody chose, because the run ended first or no user was available. */
  optionId: z.string().nullable(),
  allowed: z.boolean(),
  /** `rule`: a remembered one. `mode`: the run's mode of permissions. `nobody`: no user was available (P1). */
  by: z.enum(['person', 'rule', 'mode', 'nobody', 'end-of-run']),
  /** The text of the rule that answered; several are on a line each. */
  rule: z.string().optional(),
  /** The text that the agent got with a refusal. */
  message: z.string().optional(),
})
export type PermissionAnswer = z.infer<typeof permissionAnswerSchema>
