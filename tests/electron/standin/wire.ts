/**
 * Values on their way between Node and a page, as JSON: what a structured clone carries and Shiplog
 * sends. Anything else is refused instead of being changed quietly.
 *
 * The function is self-contained, for its source text also runs in the page.
 */
export function createWire() {
  type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

  function encode(value: unknown): Json {
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'string' && value.isWellFormed()) return value
    if (typeof value === 'number' && Number.isFinite(value)) return value
    if (value === undefined) return { $: 'undefined' }
    if (value instanceof ArrayBuffer) return encode(new Uint8Array(value))
    if (value instanceof Uint8Array) return { $: 'bytes', bytes: [...value] }
    if (Array.isArray(value)) return value.map(encode)
    if (typeof value === 'object' && Object.getPrototypeOf(Object.getPrototypeOf(value)) === null) {
      const fields = Object.entries(value).map(([key, field]) => [key, encode(field)])
      return { $: 'object', fields: Object.fromEntries(fields) }
    }
    throw new DOMException('An object could not be cloned.', 'DataCloneError')
  }

  function decode(json: Json): unknown {
    if (json === null || typeof json !== 'object') return json
    if (Array.isArray(json)) return json.map(decode)
    if (json.$ === 'undefined') return undefined
    if (json.$ === 'bytes') return Uint8Array.from(json.bytes as number[])
    const fields = Object.entries(json.fields as Record<string, Json>)
    return Object.fromEntries(fields.map(([key, field]) => [key, decode(field)]))
  }

  return { encode, decode }
}

type Json = ReturnType<ReturnType<typeof createWire>['encode']>

/** What a page's preload world sends, one JSON text a message. */
export type FromPage =
  | { type: 'send'; channel: string; args: Json[] }
  | { type: 'post'; channel: string; message: Json; ports: string[] }
  | { type: 'port-message'; port: string; data: Json }
  | { type: 'port-closed'; port: string }
  | { type: 'input'; input: 'mouseUp' | 'rawKeyDown' }
  | { type: 'preload-error'; message: string }

/** What it is sent. */
export type ToPage =
  | { type: 'message'; channel: string; args: Json[] }
  | { type: 'port-message'; port: string; data: Json }
  | { type: 'port-closed'; port: string }
