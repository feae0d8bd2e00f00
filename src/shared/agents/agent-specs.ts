/**
 * The spec of a task's agent: its kind and settings. A tree may mix kinds, so each task has its own
 * spec.
 */
import { z } from 'zod'
import { agentPresets, installedAgentSchema } from './installed-agents.ts'
import { type ModelRef, modelNameOf, modelRefSchema } from './model-refs.ts'
import { permissionModeSchema } from './permission-modes.ts'

export const agentKindSchema = z.enum(['scripted', 'model', 'acp'])
export type AgentKind = z.infer<typeof agentKindSchema>

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** The version of the definition that an agent follows. */
export const definitionRefSchema = z.object({
  /** Where it came from: `built-in`, or its path in the project. */
  source: z.string(),
  /** Hash of its text without secrets, in hex; names a file in the root's `agents/`. */
  sha256,
})

/** The effect of a definition on its agent, after narrowing. */
const definedAgentSchema = definitionRefSchema.extend({
  /** Its tools in addition to `agent_report`; absent: all. */
  tools: z.array(z.string()).optional(),
  /** The maximum of its permissions in any mode; absent: no limit. */
  permissions: permissionModeSchema.optional(),
  /** Limits of one run. */
  limits: z
    .object({ turns: z.number().int().min(1), minutes: z.number().positive() })
    .partial()
    .optional(),
})
export type DefinedAgent = z.infer<typeof definedAgentSchema>

/**
 * As recorded in the ledger. Long texts, such as a scenario, are stored beside the session of the
 * tree's root.
 */
export const agentSpecSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('scripted'),
    /** Hash of the scenario's text without secrets, in hex; names a file in the root's `scenarios/`. */
    scenario: sha256,
    /** Where the text came from, for messages: a path or a name. */
    source: z.string(),
    /** The name of the scenario's agent. */
    agent: z.string(),
  }),
  modelRefSchema.extend({
    kind: z.literal('model'),
    /** Its role: the name of an agent definition. */
    agent: z.string(),
    /** Absent: it was started by a version without definitions. */
    definition: definedAgentSchema.optional(),
  }),
  z.object({
    kind: z.literal('acp'),
    program: installedAgentSchema,
    /** Only of `acp`: the program and its arguments. */
    command: z.array(z.string()).min(1).optional(),
    /** The agent's name for the mode of its sessions; absent: the mode with permission requests, if known. */
    mode: z.string().optional(),
    /** Other settings of its sessions, by the agent's ids. */
    options: z.record(z.string(), z.union([z.string(), z.boolean()])).optional(),
    /** Only of an agent that the user set up: its name, and its variables at that time. */
    own: z
      .object({
        name: z.string(),
        /** Secret variables to pass on, by name. */
        passes: z.array(z.string()).optional(),
        sets: z.record(z.string(), z.string()).optional(),
      })
      .optional(),
    /** Its role: that of the installed agent itself, or the name of an agent definition. */
    agent: z.string(),
    definition: definedAgentSchema.optional(),
    /** The parent's agent runs it inside its own process. A resume runs it in a separate process. */
    inside: z.literal(true).optional(),
  }),
])
export type AgentSpec = z.infer<typeof agentSpecSchema>

/** Returns the model as `provider/model`; null for an agent that uses none. */
export const modelOfSpec = (spec: AgentSpec): string | null =>
  spec.kind === 'model' ? modelNameOf(spec) : null

/** Returns the same agent on another model, with that model's address and key. */
export function withModelRef(
  { baseUrl: _, keyEnv: __, ...spec }: Extract<AgentSpec, { kind: 'model' }>,
  model: ModelRef,
): Extract<AgentSpec, { kind: 'model' }> {
  return { ...spec, ...model }
}

/** Reports whether the agent uses a model; otherwise it has no usage, not even in an unfinished turn. */
export const usesModel = ({ kind }: Pick<AgentSpec, 'kind'>): boolean => kind !== 'scripted'

/** Reports whether the parent's reported cost includes this sub-agent, because the parent's agent runs it itself. */
export const isCostIncluded = (spec: AgentSpec): boolean =>
  spec.kind === 'acp' && spec.inside === true

/** Like `isCostIncluded` for tokens. If they are not included, the parent's usage is reported as incomplete. */
export const isUsageIncluded = (spec: AgentSpec): boolean =>
  spec.kind === 'acp' &&
  spec.inside === true &&
  spec.program !== 'acp' &&
  agentPresets[spec.program].countsSubAgents === true

/** Returns the effect of its definition; null for a kind without definitions. */
export const definitionOfSpec = (spec: AgentSpec): DefinedAgent | null =>
  spec.kind === 'scripted' ? null : (spec.definition ?? null)

/** Reports whether its definition includes the tool. `agent_report` is always included. */
export function hasTool(definition: Pick<DefinedAgent, 'tools'> | null, name: string): boolean {
  return name === 'agent_report' || (definition?.tools?.includes(name) ?? true)
}

/** Returns the path of a definition's text, relative to the session directory of the tree's root. */
export const definitionFile = ({ sha256 }: { sha256: string }): string =>
  `${definitionsDir}/${sha256}.md`
export const definitionsDir = 'agents'

/** Returns the path of a scenario's text, relative to the session directory of the tree's root. */
export const scenarioFile = ({ scenario }: { scenario: string }): string =>
  `${scenariosDir}/${scenario}.yaml`
export const scenariosDir = 'scenarios'

/** Scenarios are written by hand; a longer file is not a scenario. */
export const scenarioBytesMax = 1024 * 1024

/** A user's choice of agent for a new root, which becomes the root's spec. */
export const agentChoiceSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('scripted'),
    /** YAML, at most `scenarioBytesMax`. Validated in full before anything starts. */
    scenario: z.string(),
    /** Where the text came from, for messages: a path or a name. */
    source: z.string(),
  }),
  z.object({
    kind: z.literal('model'),
    /** `anthropic/claude-opus-5-5`. */
    model: z.string(),
    /** Absent: the provider's own. */
    baseUrl: z.string().optional(),
    /** The environment variable that holds the key, by name. Absent: the key that is set up for the address. */
    keyEnv: z.string().optional(),
    /** Its role: the name of an agent definition. Absent: `lead`. */
    agent: z.string().optional(),
  }),
  z.object({
    kind: z.literal('acp'),
    program: installedAgentSchema,
    /** Only of `acp`: the program and its arguments, as in a shell. */
    command: z.string().optional(),
    /** Only of `acp`, instead of a command: the name of an agent that the user set up. */
    own: z.string().optional(),
    /** The agent's name for the mode of its sessions. Absent: the mode with permission requests, if known. */
    mode: z.string().min(1).optional(),
    /** Other settings of its sessions, such as its model, by the agent's ids. */
    options: z.record(z.string(), z.union([z.string(), z.boolean()])).optional(),
  }),
])
export type AgentChoice = z.infer<typeof agentChoiceSchema>
