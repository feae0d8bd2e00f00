/** Serves Shiplog's tools to one installed agent by the Model Context Protocol, in its old and new versions. */
import { Server } from '@modelcontextprotocol/server'
import { type CallTiming, keepAlive } from '../../../../shared/agents/mcp-call.ts'
import { visibleText } from '../../../../shared/text/shown-text.ts'
import type { offeredTools } from '../../tools/tool-definitions.ts'
import { callIdOf, type ToolCalls } from './tool-calls.ts'

export interface ToolServerTiming extends CallTiming {
  /** Time for a tool to return once its call has to be answered. A call waits longer while a user decides on it. */
  graceMs: number
}

const instructions = `Shiplog runs you and records your work. With these tools you start sub-agents, which work in their own copy of the
project, wait for their reports, and take over their changes.`

export function createToolServer({
  version,
  tools,
  calls,
  onListed,
  timing,
}: {
  version: string
  tools: () => Promise<ReturnType<typeof offeredTools>>
  calls: Pick<ToolCalls, 'call'>
  /** Called when a client has listed the tools. */
  onListed: () => void
  timing: ToolServerTiming
}): Server {
  const server = new Server(
    { name: 'shiplog', title: 'Shiplog', version },
    { capabilities: { tools: {} }, instructions },
  )
  server.setRequestHandler('tools/list', async () => {
    const offered = await tools()
    onListed()
    return {
      tools: offered.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema: inputSchema as { type: 'object' },
        annotations: { openWorldHint: false },
        // Without this, Claude Code hides the tools behind a search.
        _meta: { 'anthropic/alwaysLoad': true },
      })),
    }
  })
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: input = {} } = params
    const { stopWaiting, end } = keepAlive(mcpReq, timing)
    try {
      const callId = callIdOf(mcpReq._meta)
      const { outcome, output } = await calls.call({ name, input, callId, stopWaiting })
      return {
        content: [{ type: 'text', text: visibleText(output) }],
        ...(outcome === 'error' && { isError: true }),
      }
    } finally {
      end()
    }
  })
  return server
}
