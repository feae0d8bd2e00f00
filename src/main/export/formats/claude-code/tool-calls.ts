/** Tool calls and their results under Claude Code's names, so that its viewers show diffs, commands and sub-agents. */
import { posix, win32 } from 'node:path'
import { parsePatch, type StructuredPatchHunk } from 'diff'
import { z } from 'zod'
import { planItemSchema } from '../../../../shared/agents/agent-records.ts'
import { claudeCodeTools } from '../../../../shared/agents/claude-code-tools.ts'
import { type ToolDetail, toolDetailSchema } from '../../../../shared/agents/tools.ts'
import type {
  ToolCallEntry,
  ToolResultEntry,
} from '../../../../shared/records/entry-types/tool-calls.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'

/** Plan states that Claude Code writes differently. */
const planStatuses: Readonly<Record<string, string>> = { 'in-progress': 'in_progress' }

/** The content block of a call. A tool without a counterpart keeps its name and input. */
export function toolUse({ callId: id, name, input }: ToolCallEntry, cwd: string): object {
  if (name === 'update_plan')
    return { type: 'tool_use', id, name: 'TodoWrite', input: todos(input) }
  const [claudeName, tool] = counterpartOf(name, input) ?? []
  if (claudeName === undefined || tool === undefined) return { type: 'tool_use', id, name, input }
  const names = new Map(Object.entries(tool.fields).map(([theirs, ours]) => [ours, theirs]))
  const fields = Object.entries(input as object).map(([key, value]) => [
    names.get(key) ?? key,
    key === 'path' && typeof value === 'string' ? absolute(value, cwd) : value,
  ])
  return { type: 'tool_use', id, name: claudeName, input: Object.fromEntries(fields) }
}

function counterpartOf(name: string, input: unknown) {
  if (typeof input !== 'object' || input === null) return undefined
  const found = Object.entries(claudeCodeTools).filter(([, tool]) => tool.name === name)
  // `Glob` requires a pattern; without one, the call only lists a folder.
  return found.find(([theirs]) => (theirs === 'Glob' ? 'glob' in input : true))
}

/** Claude Code's tools take absolute paths. */
function absolute(path: string, cwd: string): string {
  const { isAbsolute, join } = win32.isAbsolute(cwd) && !posix.isAbsolute(cwd) ? win32 : posix
  return cwd === '' || isAbsolute(path) || path.startsWith('~') ? path : join(cwd, path)
}

function todos(input: unknown): object {
  const { items } = (input ?? {}) as { items?: unknown }
  // Calls are recorded as the model made them, also when their input is refused.
  const plan = z.array(planItemSchema).safeParse(items).data ?? []
  return {
    todos: plan.map(({ text, status }) => ({
      content: text,
      status: planStatuses[status] ?? status,
      activeForm: text,
    })),
  }
}

/** The structured result beside a result's text; undefined: the text is all. `child`: the sub-agent that it started. */
export function toolUseResult(
  result: Pick<ToolResultEntry, 'name' | 'detail'>,
  cwd: string,
  child: Pick<Task, 'id'> | undefined,
): object | undefined {
  const detail = detailOf(result)
  if (result.name === 'task' && child)
    return {
      status: detail?.kind === 'tasks' ? 'completed' : 'async_launched',
      agentId: agentIdOf(child),
    }
  return detail?.kind === 'edit' ? editResult(detail, cwd) : undefined
}

/** Null: the text is all, or the detail has another shape. */
export const detailOf = ({ detail }: Pick<ToolResultEntry, 'detail'>): ToolDetail | null =>
  toolDetailSchema.safeParse(detail).data ?? null

/** The id of a sub-agent's side chain. */
export const agentIdOf = ({ id }: Pick<Task, 'id'>): string => id.slice(0, 8)

function editResult(
  { path, change, patch }: Extract<ToolDetail, { kind: 'edit' }>,
  cwd: string,
): object {
  const hunks = patch === null ? [] : hunksOf(patch)
  return {
    ...(change === 'created' && { type: 'create' }),
    filePath: absolute(path, cwd),
    structuredPatch: hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
      oldStart,
      oldLines,
      newStart,
      newLines,
      lines,
    })),
  }
}

/** Empty for a patch whose line counts are wrong, as those of another tool may be, or where a masked key spanned lines. */
function hunksOf(patch: string): StructuredPatchHunk[] {
  try {
    return parsePatch(patch).flatMap((file) => file.hunks)
  } catch {
    return []
  }
}
