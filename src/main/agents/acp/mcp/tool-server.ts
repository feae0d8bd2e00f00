/** Shiplog's tools for one installed agent as a server of the Model Context Protocol. It speaks both eras of it. */
import { Server, type ServerContext } from '@modelcontextprotocol/server'
import { visibleText } from '../../../../shared/text/shown-text.ts'
import type { offeredTools } from '../../tools/tool-definitions.ts'
import { callIdOf, type ToolCalls } from './tool-calls.ts'

export interface ToolServerTiming {
  /** Between two notifications of progress. */
  progressMs: number
  /** A call is answered after this time at the latest, if its client gets progress. */
  answerMs: number
  /** The same for a client that asked for no progress. */
  silentAnswerMs: number
  /** For a tool to answer at that time. One for which a person is being asked does not. */
  graceMs: number
}

/**
 * Codex gives up on any call after 300 s; Claude Code and OpenCode after 60 s without progress.
 */
export const usualTiming: ToolServerTiming = {
  progressMs: 10_000,
  answerMs: 230_000,
  silentAnswerMs: 50_000,
  graceMs: 2_000,
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
        // Else Claude Code hides them behind a search.
        _meta: { 'anthropic/alwaysLoad': true },
      })),
    }
  })
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: input = {} } = params
    const progress = startProgress(mcpReq, timing)
    const waited = new AbortController()
    const timer = setTimeout(
      () => waited.abort(),
      progress === null ? timing.silentAnswerMs : timing.answerMs,
    )
    try {
      const { outcome, output } = await calls.call({
        name,
        input,
        callId: callIdOf(mcpReq._meta),
        stopWaiting: AbortSignal.any([waited.signal, mcpReq.signal]),
      })
      return {
        content: [{ type: 'text', text: visibleText(output) }],
        ...(outcome === 'error' && { isError: true }),
      }
    } finally {
      clearTimeout(timer)
      progress?.stop()
    }
  })
  return server
}

/** Tells the client regularly that its call is alive. Null: the client did not ask for that. */
function startProgress(
  { _meta, notify }: ServerContext['mcpReq'],
  { progressMs }: ToolServerTiming,
): { stop(): void } | null {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return null
  let progress = 0
  const timer = setInterval(() => {
    progress += 1
    const seconds = Math.round((progress * progressMs) / 1000)
    const params = { progressToken, progress, message: `Working for ${seconds} s` }
    // A client that left gets no answer either.
    void notify({ method: 'notifications/progress', params }).catch(() => {})
  }, progressMs)
  return { stop: () => clearInterval(timer) }
}
