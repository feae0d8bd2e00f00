/** What runs a task: a kind of agent with its settings. A tree may mix kinds, so each task has its own. */
import { z } from 'zod'
import { modelNameOf, modelRefSchema } from './model-refs.ts'

export const agentKindSchema = z.enum(['scripted', 'model'])
export type AgentKind = z.infer<typeof agentKindSchema>

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** As the ledger has it. What is long (a scenario's text) lies beside the session of the tree's root. */
export const agentSpecSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('scripted'),
    /** Of the scenario's text without secrets, in hex; names a file in the root's `scenarios/`. */
    scenario: sha256,
    /** Where the text came from, for messages: a path or a name. */
    source: z.string(),
    /** Which of the scenario's agents plays. */
    agent: z.string(),
  }),
  modelRefSchema.extend({
    kind: z.literal('model'),
    /** Its role: the name of an agent definition. */
    agent: z.string(),
  }),
])
export type AgentSpec = z.infer<typeof agentSpecSchema>

/** As a task names it; null for an agent that needs none. */
export const modelOfSpec = (spec: AgentSpec): string | null =>
  spec.kind === 'model' ? modelNameOf(spec) : null

/** Where the text lies, from the session directory of the tree's root. */
export const scenarioFile = ({ scenario }: { scenario: string }): string =>
  `${scenariosDir}/${scenario}.yaml`
export const scenariosDir = 'scenarios'

/** A scenario is written by hand; more is another kind of file. */
export const scenarioBytesMax = 1024 * 1024

/** What a person chooses when they start a root. It becomes the root's spec. */
export const agentChoiceSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('scripted'),
    /** YAML, `scenarioBytesMax` at most. Checked whole before anything starts. */
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
    /** Its role: the name of an agent definition. Absent: `lead`. */
    agent: z.string().optional(),
  }),
])
export type AgentChoice = z.infer<typeof agentChoiceSchema>
