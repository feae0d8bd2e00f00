/** Converts the tools for the AI SDK. */
import { jsonSchema, type ToolSet } from 'ai'
import { offeredTools } from '../tools/tool-definitions.ts'

/** Without `execute`, a call ends the request, and the session makes it. The tools themselves validate inputs. */
export const toolDefinitions = (offer: Parameters<typeof offeredTools>[0]): ToolSet =>
  Object.fromEntries(
    offeredTools(offer).map(({ name, description, inputSchema }) => [
      name,
      { description, inputSchema: jsonSchema(inputSchema as never) },
    ]),
  )
