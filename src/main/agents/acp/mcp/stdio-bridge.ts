/** Connects an agent without HTTP to the tools of its run by a program that it starts, `shiplog mcp --task ID`. */
import { fileURLToPath } from 'node:url'
import { type BridgeAccess, bridgeVariables } from '../../../../shared/agents/mcp-bridge.ts'

/** An entry of `mcpServers`. */
export interface BridgeEntry {
  name: 'shiplog'
  command: string
  args: string[]
  env: { name: string; value: string }[]
}

export function bridgeEntry(taskId: string, { url, token }: BridgeAccess): BridgeEntry {
  const isSource = import.meta.url.endsWith('.ts')
  const cli = fileURLToPath(new URL(isSource ? '../../../cli.ts' : './cli.js', import.meta.url))
  const variables = {
    [bridgeVariables.url]: url,
    [bridgeVariables.token]: token,
    // Runs the executable of the desktop app as Node.
    ...(process.versions.electron !== undefined && { ELECTRON_RUN_AS_NODE: '1' }),
  }
  return {
    name: 'shiplog',
    command: process.execPath,
    args: [cli, 'mcp', '--task', taskId],
    env: Object.entries(variables).map(([name, value]) => ({ name, value })),
  }
}
