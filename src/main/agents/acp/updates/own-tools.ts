/** Recognizes calls of Shiplog's own tools, which the host records itself, by the names that agents give them. */
import type { CallKind } from '../../../../shared/agents/agent-records.ts'
import { isToolName, type ToolName } from '../../../../shared/agents/tools.ts'
import { isRecord } from '../content.ts'

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
  for (const given of [name, title ?? '']) {
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

/** Gemini and Qwen: `task (shiplog MCP Server)`. */
const withServer = new RegExp(`^(\\w+) \\(${ownServer} MCP Server\\)`)
