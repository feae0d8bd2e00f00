/** Reads values of any shape from an agent's messages. */
import type { z } from 'zod'

export type Json = z.infer<ReturnType<typeof z.json>>

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Returns the value as JSON; null for values that JSON lacks, such as undefined. */
export const jsonOf = (value: unknown): Json =>
  value === undefined ? null : (JSON.parse(JSON.stringify(value) ?? 'null') as Json)

/** Returns the text of a content block; images and audio are replaced by their names. Null for anything else. */
export function textOfContent(block: unknown): string | null {
  if (!isRecord(block)) return null
  switch (block.type) {
    case 'text':
      return text(block.text)
    case 'image':
    case 'audio':
      return `[${block.type} ${text(block.mimeType) ?? ''}]`.replace(' ]', ']')
    case 'resource_link': {
      const uri = text(block.uri)
      return uri === null ? null : `[${text(block.name) ?? uri}](${uri})`
    }
    case 'resource': {
      const resource = isRecord(block.resource) ? block.resource : {}
      return text(resource.text) ?? text(resource.uri)
    }
    default:
      return null
  }
}
