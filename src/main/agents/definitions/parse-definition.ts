/** Parses Shiplog's own agent definitions: `.shiplog/agents/*.md`. */
import { z } from 'zod'
import {
  type AgentPreset,
  agentPresetNames,
  isAgentPreset,
} from '../../../shared/agents/installed-agents.ts'
import { permissionModeSchema } from '../../../shared/agents/permission-modes.ts'
import { isToolName, type ToolName, toolNames } from '../../../shared/agents/tools.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import type { DefinitionContent } from './definition.ts'
import { readFrontMatter } from './front-matter.ts'

/** Every agent that may start this one gets its description. */
const descriptionCharsMax = 1_000

/** Restricted, because names are written into messages, tables and commands. */
export const agentNameSchema = z
  .string('must be a text')
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'must be of letters, digits, "-" and "_", 64 at most, and begin with a letter or a digit',
  )

export const descriptionSchema = z
  .string('must be a text')
  .transform((text) => visibleText(text.replace(/\s+/g, ' ').trim()))
  .refine((text) => text !== '', 'must say when to use this agent')
  .transform((text) => shortened(text))

const toolSchema = z.string('must be the name of a tool').refine(isToolName, {
  error: ({ input }) => `names no tool: ${quoted(String(input))}. Tools: ${toolNames.join(', ')}`,
})

// Strict, because a mistyped key would give the agent more permissions than intended.
const matterSchema = z.strictObject({
  name: agentNameSchema,
  description: descriptionSchema,
  model: z
    .string('must be a text')
    .regex(/^[^/\s]+\/\S+$/, {
      error: ({ input }) =>
        `names no model: ${quoted(String(input))}. Write it with its provider, as anthropic/claude-opus-5-5`,
    })
    .optional(),
  agent: z
    .string('must be a text')
    .refine(isAgentPreset, {
      error: ({ input }) =>
        `names no installed agent: ${quoted(String(input))}. There are ${agentPresetNames.join(', ')}`,
    })
    .optional(),
  tools: z.array(toolSchema, 'must be a list of tools').optional(),
  permissions: permissionModeSchema.optional(),
  limits: z
    .strictObject({ turns: z.int().min(1).max(1_000), minutes: z.number().min(1).max(10_000) })
    .partial()
    .optional(),
})

/** Throws an Error with the reason. */
export function parseDefinition(text: string): DefinitionContent {
  const { matter, body } = readFrontMatter(text)
  const { name, description, model, agent, tools, permissions, limits } = checked(
    matterSchema,
    matter,
  )
  // It has tools and a model of its own, which Shiplog can't change.
  if (agent !== undefined && (tools !== undefined || model !== undefined))
    throw new Error(
      `names the installed agent ${agent}, which has its own model and tools: remove "model" and "tools", or "agent"`,
    )
  return {
    name,
    description,
    prompt: promptOf(body),
    model: model ?? null,
    program: agent === undefined ? null : (agent as AgentPreset),
    tools: tools ? ([...new Set(tools)] as ToolName[]) : null,
    permissions: permissions ?? null,
    limits: limits ?? {},
    notes: [],
  }
}

/** Returns the front matter as parsed by the schema. Throws an Error that lists the invalid keys. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  matter: unknown,
): z.infer<Schema> {
  const parsed = schema.safeParse(matter)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.slice(0, problemsMax).map(({ path, message }) => {
    const key = path.map(String).join('.')
    return key === '' ? message : `${key} ${message}`
  })
  throw new Error(`has front matter that can't be used: ${problems.join('; ')}`)
}

const problemsMax = 5

/** Makes hidden characters visible: text that a user can't see must not instruct a model. Throws an Error if empty. */
export function promptOf(body: string): string {
  if (body === '') throw new Error('has no prompt below its front matter')
  return visibleText(body)
}

export const quoted = (text: string): string => visibleText(JSON.stringify(text.slice(0, 80)))

function shortened(text: string): string {
  const characters = [...text]
  return characters.length > descriptionCharsMax
    ? `${characters.slice(0, descriptionCharsMax - 1).join('')}…`
    : text
}
