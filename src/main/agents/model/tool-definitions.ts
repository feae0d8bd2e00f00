/** The tools as the AI SDK takes them. */
import { jsonSchema, type ToolSet } from 'ai'
import { offeredTools } from '../tools/tool-definitions.ts'

/** Without `execute`: a call ends the model's turn, and the session makes it. Inputs are checked by the tool itself. */
export const toolDefinitions = (offer: Parameters<typeof offeredTools>[0]): ToolSet =>
  Object.fromEntries(
    offeredTools(offer).map(({ name, description, inputSchema }) => [
      name,
      { description, inputSchema: jsonSchema(inputSchema as never) },
    ]),
  )
