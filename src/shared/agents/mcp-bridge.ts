/** What the two sides of the bridge to a task's tools agree on (`shiplog mcp --task`). */

/** The protocol that its connection is upgraded to: messages of MCP, one a line. */
export const bridgeProtocol = 'shiplog-mcp'

/** The variables that give it access. Other users can read arguments, so it is none. */
export const bridgeVariables = {
  url: 'SHIPLOG_TASK_TOOLS',
  token: 'SHIPLOG_TASK_TOOLS_TOKEN',
} as const

export interface BridgeAccess {
  url: string
  token: string
}
