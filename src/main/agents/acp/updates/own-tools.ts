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
  // Codex names server and tool in the input.
  if (isRecord(input) && input.server === ownServer && typeof input.tool === 'string')
    return isToolName(input.tool) ? input.tool : null
  if (kind !== 'other') return null
  for (const given of [name, title ?? '']) {
    const prefix = prefixes.find((one) => given.startsWith(one))
    const bare = prefix === undefined ? suffixed(given) : given.slice(prefix.length)
    // Some agents append the input: `shiplog_task {"title": …`.
    const tool = bare?.split(/[\s({:]/, 1)[0] ?? ''
    if (isToolName(tool)) return tool
  }
  return null
}

/** Gemini and Qwen: `task (shiplog MCP Server)`. */
const suffixed = (given: string): string | null =>
  given.includes(`(${ownServer} MCP Server)`) ? given : null
