/** The state of installed agents on this machine, and the results of their checks. */
import { z } from 'zod'
import { chosenNameSchema } from './chosen-name.ts'
import { installedAgentSchema } from './installed-agents.ts'

/** Limit for the user's own agents, because each is listed wherever an agent is chosen. */
export const ownAgentsMax = 30

const variableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'takes names of environment variables, such as COPILOT_HOME')

/** An agent that the user set up: any program that speaks the Agent Client Protocol. */
export const ownAgentSchema = z.object({
  /** Unique; never that of a preset. */
  name: chosenNameSchema,
  /** The program and its arguments, as in a shell. No shell runs it. */
  command: z.string().trim().min(1, 'is needed, such as copilot --acp').max(4_000),
  /** The agent's name for the mode of its sessions. Absent: the agent's default. */
  mode: z.string().trim().min(1).max(200).optional(),
  /** Secret variables to pass on from the environment of Shiplog, by name. */
  passes: z.array(variableNameSchema).max(50).default([]),
  /** Variables with values that are not secret: they are stored in the settings and in the record. */
  sets: z.record(variableNameSchema, z.string().max(4_000)).default({}),
})
export type OwnAgent = z.infer<typeof ownAgentSchema>

/** The same as it is sent: the service checks it, so that an error names the field that is wrong. */
export const ownAgentInputSchema = z.object({
  name: z.string(),
  command: z.string(),
  mode: ownAgentSchema.shape.mode,
  passes: z.array(z.string()).optional(),
  sets: z.record(z.string(), z.string()).optional(),
})
export type OwnAgentInput = z.infer<typeof ownAgentInputSchema>

const agentChoiceValueSchema = z.object({
  value: z.string(),
  name: z.string(),
  description: z.string().nullable(),
})

/** A setting of its sessions that the agent offers. */
const sessionOptionSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  /** `model`, `mode` and others, by the agent's names; null: none. */
  category: z.string().nullable(),
  current: z.union([z.string(), z.boolean()]),
  /** Empty for a setting that is on or off. */
  choices: z.array(agentChoiceValueSchema),
})
export type SessionOption = z.infer<typeof sessionOptionSchema>

/** Null: unknown. */
const ability = z.boolean().nullable()

export const agentCheckSchema = z.object({
  /** ISO 8601. */
  at: z.string(),
  outcome: z.enum(['ready', 'signed-out', 'failed']),
  /** Why it is not ready; null if it is ready. */
  why: z.string().nullable(),
  /** The version that the agent reports; null if it reports none. */
  version: z.string().nullable(),
  signedIn: ability,
  /** Milliseconds until it had answered a prompt; null: it was not prompted, or did not answer. */
  answeredMs: z.number().nullable(),
  can: z
    .object({ resume: ability, fork: ability, mcp: ability, images: ability, subAgents: ability })
    .nullable(),
  modes: z.object({ current: z.string(), choices: z.array(agentChoiceValueSchema) }).nullable(),
  options: z.array(sessionOptionSchema),
  /** Arguments with which its own program signs in, in a terminal; null: it reports none. */
  signInArgs: z.array(z.string()).nullable(),
  /** The ways to sign in that the agent carries out itself, by a key of its environment or a page in the browser. */
  signInMethods: z
    .array(z.object({ id: z.string(), name: z.string(), description: z.string().nullable() }))
    .default([]),
})
export type AgentCheck = z.infer<typeof agentCheckSchema>

export const installedAgentStateSchema = z.object({
  /** The name of a preset, such as `codex`, or of the user's own agent. */
  id: z.string(),
  /** As shown. */
  name: z.string(),
  program: installedAgentSchema,
  /** Whether it could be started now. */
  available: z.boolean(),
  /** What is missing, and the remedy; null: nothing. */
  why: z.string().nullable(),
  /** The program that speaks the protocol, absolute; null: not found. */
  file: z.string().nullable(),
  /** Version of that program; null: unknown. */
  version: z.string().nullable(),
  /** The installed agent that the adapter uses. Null: it uses its bundled one, or is not an adapter. */
  uses: z
    .object({ command: z.string(), file: z.string(), version: z.string().nullable() })
    .nullable(),
  /** The package that `npx` would fetch. `allowed`: the user allowed it. Null if there is no package. */
  package: z
    .object({
      name: z.string(),
      version: z.string(),
      megabytes: z.number(),
      allowed: z.boolean(),
      /** False: there is no `npx`. */
      fetchable: z.boolean(),
    })
    .nullable(),
  signedIn: ability,
  signIn: z.object({
    /** Instructions for the user. */
    text: z.string(),
    /** A command for a terminal; null: none is known. */
    command: z.array(z.string()).nullable(),
  }),
  /** The newest; null: it was never checked. */
  check: agentCheckSchema.nullable(),
  /** Null: it is a preset. */
  own: ownAgentSchema.nullable(),
})
export type InstalledAgentState = z.infer<typeof installedAgentStateSchema>
