/** Parses agent definitions of Claude Code: `.claude/agents/*.md`. */
import { z } from 'zod'
import { parseModelName } from '../../../shared/agents/model-refs.ts'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import { isToolName, type ToolName, toolNames } from '../../../shared/agents/tools.ts'
import type { DefinitionContent } from './definition.ts'
import { type MarkdownFile, readFrontMatter } from './front-matter.ts'
import {
  agentNameSchema,
  checked,
  descriptionSchema,
  promptOf,
  quoted,
} from './parse-definition.ts'

/** `Read, Grep` or a list; a scope such as `Bash(git *)` may hold a comma. */
const toolListSchema = z
  .union([z.string(), z.array(z.string())], 'must be names of tools, as a list or with commas')
  .transform((names) => (typeof names === 'string' ? names.split(/,(?![^()]*\))/) : names))
  .transform((names) => names.map((name) => name.trim()).filter((name) => name !== ''))

const matterSchema = z.looseObject({
  name: agentNameSchema,
  description: descriptionSchema,
  model: z.string('must be a text').nullish(),
  tools: toolListSchema.nullish(),
  disallowedTools: toolListSchema.nullish(),
  permissionMode: z.string('must be a text').nullish(),
  maxTurns: z.int('must be a number of turns').min(1).nullish(),
})

/** Shiplog's tools for each tool of Claude Code. */
const toolsOfClaude: Record<string, readonly string[]> = {
  Read: ['read_file'],
  Write: ['write_file'],
  Edit: ['edit_file'],
  MultiEdit: ['edit_file'],
  Glob: ['list_files'],
  LS: ['list_files'],
  Grep: ['search_files'],
  Bash: ['bash', 'bash_output', 'bash_kill'],
  BashOutput: ['bash_output'],
  KillShell: ['bash_kill'],
  Agent: ['task', 'task_await', 'task_list', 'task_stop', 'task_apply_patch'],
  Task: ['task', 'task_await', 'task_list', 'task_stop', 'task_apply_patch'],
  WebFetch: ['web_fetch'],
  AskUserQuestion: ['ask_person'],
  TodoWrite: ['update_plan'],
}

const readOnlyTools: readonly ToolName[] = ['read_file', 'list_files', 'search_files']

/** Keys that have no effect here. */
const keysWithoutEffect = new Set(['color'])

/** Throws an Error with the reason. */
export function parseClaudeDefinition(text: string): DefinitionContent {
  const { matter, body } = readLenient(text)
  const given = checked(matterSchema, matter)
  const notes: string[] = []
  const unused = Object.keys(given)
    .filter((key) => !(key in matterSchema.shape) && !keysWithoutEffect.has(key))
    .sort()
  if (unused.length > 0) notes.push(`not used: ${unused.map(quoted).join(', ')}`)
  const { mode, readOnly } = modeOf(given.permissionMode ?? null, notes)
  const wanted = allowedTools(given.tools ?? null, notes)
  const denied = new Set(given.disallowedTools?.flatMap((name) => ownTools(bareName(name)) ?? []))
  const isLimited = wanted !== null || denied.size > 0 || readOnly
  const tools = (wanted ?? toolNames).filter(
    (name) => !denied.has(name) && (!readOnly || readOnlyTools.includes(name)),
  )
  return {
    name: given.name,
    description: given.description,
    prompt: promptOf(body),
    model: modelOf(given.model ?? null, notes),
    program: null,
    tools: isLimited ? tools : null,
    permissions: mode,
    limits: given.maxTurns ? { turns: given.maxTurns } : {},
    notes,
  }
}

/**
 * Many files have a description with an unquoted colon, which Claude Code accepts but YAML does not. If the file can't be
 * parsed, its description is quoted and the file parsed once more.
 */
function readLenient(text: string): MarkdownFile {
  try {
    return readFrontMatter(text)
  } catch (error) {
    const quotedOnce = text.replace(
      /^(description:[ \t]+)([^\s"'|>&*[{].*)$/m,
      (_line, key: string, value: string) => key + JSON.stringify(value.trim()),
    )
    if (quotedOnce === text) throw error
    return readFrontMatter(quotedOnce)
  }
}

const ownTools = (name: string): ToolName[] | null =>
  Object.hasOwn(toolsOfClaude, name) ? (toolsOfClaude[name] ?? []).filter(isToolName) : null

const bareName = (name: string): string => name.replace(/\(.*$/s, '').trim()

/**
 * Returns null if all tools are allowed. Tools without a counterpart are left out, so that the agent never has more than
 * the file allows.
 */
function allowedTools(names: string[] | null, notes: string[]): ToolName[] | null {
  if (names === null || names.includes('*')) return null
  const unknown = names.filter((name) => (ownTools(bareName(name)) ?? []).length === 0)
  const scoped = names.filter((name) => !unknown.includes(name) && bareName(name) !== name)
  if (unknown.length > 0)
    notes.push(`Shiplog has no tool for ${unknown.map(quoted).join(', ')}: left out`)
  if (scoped.length > 0)
    notes.push(
      `a tool can't be limited to a part of it here (${scoped.map(quoted).join(', ')}): left out`,
    )
  return [
    ...new Set(
      names.filter((name) => !scoped.includes(name)).flatMap((name) => ownTools(name) ?? []),
    ),
  ]
}

const modes: Record<string, PermissionMode> = {
  default: 'ask',
  plan: 'ask',
  dontAsk: 'ask',
  acceptEdits: 'allow-edits',
  bypassPermissions: 'allow-all',
}

/** An unknown mode counts as the narrowest. */
function modeOf(
  name: string | null,
  notes: string[],
): { mode: PermissionMode | null; readOnly: boolean } {
  if (name === null) return { mode: null, readOnly: false }
  const known = Object.hasOwn(modes, name) ? modes[name] : undefined
  if (!known) notes.push(`permissionMode ${quoted(name)} is not known, so it asks`)
  return { mode: known ?? 'ask', readOnly: name === 'plan' }
}

function modelOf(name: string | null, notes: string[]): string | null {
  if (name === null || name === 'inherit') return null
  const full = name.startsWith('claude-') ? `anthropic/${name}` : name
  if (parseModelName(full) !== null) return full
  notes.push(`model ${quoted(name)} names no single model, so it runs on that of its parent`)
  return null
}
