/** Recognizes calls of Shiplog's own tools, which the host records itself, by the names that agents give them. */
import type { CallKind } from '../../../../shared/agents/agent-records.ts'
import { isToolName, type ToolName, toolInputSchemas } from '../../../../shared/agents/tools.ts'
import { isRecord } from '../content.ts'
import type { CallState } from './calls.ts'

/** The name of Shiplog's MCP server, as agents are given it. */
const ownServer = 'shiplog'

const prefixes = [
  `mcp__${ownServer}__`,
  `mcp.${ownServer}.`,
  `mcp_${ownServer}_`,
  `${ownServer}__`,
  `${ownServer}_`,
  `${ownServer}.`,
]

/**
 * Returns null if it is not one of them. A command never is, whatever its title: agents use the command as title, and
 * calls of Shiplog's own tools are allowed without a question.
 */
export function ownToolOf({
  name,
  kind,
  title,
  input,
}: {
  name: string
  kind: CallKind
  title: string | null
  input: unknown
}): ToolName | null {
  if (isRecord(input) && ('command' in input || 'cmd' in input)) return null
  const codexTool = codexToolIn(input, title)
  if (codexTool !== null) return codexTool
  if (kind !== 'other') return null
  // The title may be the model's where the agent names the tool itself.
  for (const given of name === '' || name === kind ? [title ?? ''] : [name]) {
    const prefix = prefixes.find((one) => given.startsWith(one))
    // Some agents append the input: `shiplog_task {"title": …`.
    const tool =
      prefix === undefined
        ? (withServer.exec(given)?.[1] ?? '')
        : (given.slice(prefix.length).split(/[\s({:]/, 1)[0] ?? '')
    if (isToolName(tool)) return tool
  }
  return null
}

/** Codex names server and tool in the title, and again in the input, which the models of other agents write. */
function codexToolIn(input: unknown, title: string | null): ToolName | null {
  if (!isRecord(input) || input.server !== ownServer) return null
  if (Object.keys(input).some((field) => !['server', 'tool', 'arguments'].includes(field)))
    return null
  const tool = String(input.tool)
  return title === `mcp.${ownServer}.${tool}` && isToolName(tool) ? tool : null
}

/**
 * Reports whether the call is one of them beyond doubt, so that it may be allowed unasked: the agent itself names exactly
 * that tool, and nothing is known of its input that the tool does not take. A text that only begins like the name may be
 * the model's.
 */
export function isCertainlyOwn(call: CallState): boolean {
  const tool = ownToolOf(call)
  if (tool === null) return false
  const { name, kind, title, input } = call
  if (codexToolIn(input, title) !== null)
    return isInputOf(tool, isRecord(input) ? input.arguments : null)
  // Without a name from the agent, it is the title or the kind.
  const isNamed = name !== '' && name !== kind && name !== title
  const [, text = ''] = exactly(tool).exec(isNamed ? name : (title ?? '')) ?? [null, null]
  return text !== null && isInputOf(tool, text === '' ? {} : parsed(text)) && isInputOf(tool, input)
}

/** An agent may ask before it has sent all of the input. */
const isInputOf = (tool: ToolName, input: unknown): boolean =>
  input === null || toolInputSchemas[tool].partial().safeParse(input).success

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The name of the tool as agents write it, and its input if they append that. */
const exactly = (tool: ToolName): RegExp =>
  new RegExp(
    `^(?:(?:${prefixes.map(RegExp.escape).join('|')})${tool}|${tool} \\(${ownServer} MCP Server\\))(?:[:\\s]\\s*(\\{.*\\}))?$`,
    's',
  )

/** Gemini and Qwen: `task (shiplog MCP Server)`. */
const withServer = new RegExp(`^(\\w+) \\(${ownServer} MCP Server\\)`)
