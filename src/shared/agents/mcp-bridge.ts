/** The names shared by both sides of the bridge to a task's tools (`shiplog mcp --task`). */

/** The protocol to which the connection is upgraded: MCP messages, one per line. */
export const bridgeProtocol = 'shiplog-mcp'

/** The environment variables that give it access; not arguments, which other users can read. */
export const bridgeVariables = {
  url: 'SHIPLOG_TASK_TOOLS',
  token: 'SHIPLOG_TASK_TOOLS_TOKEN',
} as const

export interface BridgeAccess {
  url: string
  token: string
}
