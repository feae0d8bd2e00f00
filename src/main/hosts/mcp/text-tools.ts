import type { McpServer } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { type CallTiming, keepAlive, usualCallTiming } from '../../../shared/agents/mcp-call.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import { messageOf } from '../../../shared/error-message.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'

/** Calls the services; opens the data directory for it if no other process holds it. */
export type CallServices = <Answer>(
  use: (client: ShiplogClient, signal: AbortSignal) => Promise<Answer>,
) => Promise<Answer>

interface ToolDescription<Input> {
  title: string
  description: string
  input: Input
  /** `stops` if the tool ends what is running: a client then asks its user first. */
  effect: 'reads' | 'starts' | 'stops'
}

interface CallSignals {
  /** Aborted when the client or the process that answers has left. */
  signal: AbortSignal
  /** Aborted also when the call must be answered before the client gives up. */
  stopWaiting: AbortSignal
}

type AddTextTool = <Input extends z.ZodObject>(
  name: string,
  about: ToolDescription<Input>,
  answer: (input: z.infer<Input>, client: ShiplogClient, signals: CallSignals) => Promise<string>,
) => void

/** Returns a function that registers a tool. Its answer is one text; an error is reported to the client as its message. */
export function textToolsOf(
  server: McpServer,
  callServices: CallServices,
  timing: CallTiming = usualCallTiming,
): AddTextTool {
  type Request = Parameters<typeof keepAlive>[0]

  return (name, { title, description, input, effect }, answer) => {
    const annotations = {
      openWorldHint: false,
      ...(effect === 'reads' ? { readOnlyHint: true } : { destructiveHint: effect === 'stops' }),
    }
    const inputSchema: z.ZodObject = input
    server.registerTool(
      name,
      { title, description, inputSchema, annotations },
      async (given, { mcpReq }) => {
        const { stopWaiting, end } = keepAlive(mcpReq as Request, timing)
        try {
          const text = await callServices((client, ending) => {
            const signal = AbortSignal.any([ending, mcpReq.signal])
            return answer(given as z.infer<typeof input>, client, { signal, stopWaiting })
          })
          return { content: [{ type: 'text', text: visibleText(text) }] }
        } catch (error) {
          const text = messageOf(error)
          return { isError: true, content: [{ type: 'text', text: visibleText(text) }] }
        } finally {
          end()
        }
      },
    )
  }
}
