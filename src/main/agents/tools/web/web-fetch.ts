import type { IncomingMessage } from 'node:http'
import type { ToolContext } from '../../../../shared/agents/driver/tool-context.ts'
import { type Tool, ToolError } from '../tool.ts'
import { openPublicUrl, type PublicUrlOptions, RefusedAddressError } from './public-url.ts'

/** Limit of a body. */
const bodyBytesMax = 2 * 1024 * 1024
const fetchTimeMsMax = 30_000
/** Limit of HTML, because converting it to Markdown blocks the process. */
const pageCharsMax = 256 * 1024
const nestingMax = 20
/** About 16,000 tokens, as for a file. */
const textCharsMax = 64 * 1024
const redirectsMax = 5

const isText = (type: string): boolean =>
  type.startsWith('text/') || /^application\/(.*\+)?(json|xml|javascript|yaml)$/.test(type)

/** Fetches a page as text, HTML as Markdown. Tests replace `options`. */
export const createWebFetch =
  (options: PublicUrlOptions = {}): Tool<'web_fetch'> =>
  async (input, context) => {
    const url = parseUrl(input.url, context)
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(fetchTimeMsMax)])
    try {
      return await fetchText(url, options, { context, signal })
    } catch (error) {
      context.signal.throwIfAborted()
      if (error instanceof ToolError) throw error
      if (error instanceof RefusedAddressError) throw new ToolError(`url: ${error.message}`, error)
      if (signal.aborted)
        throw new ToolError(`${url} took longer than ${fetchTimeMsMax / 1000} s.`, error)
      throw new ToolError(`${url} could not be fetched: ${(error as Error).message}`, error)
    }
  }

function parseUrl(text: string, { mask }: ToolContext): URL {
  if (!URL.canParse(text))
    throw new ToolError('url: expected a whole address, such as https://example.com/page.')
  // A page could persuade an agent to send what it has read.
  if (mask.text(text) !== text || mask.text(decoded(text)) !== decoded(text))
    throw new ToolError('url: it holds a known secret, which is not sent. Leave it out.')
  return new URL(text)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function fetchText(
  requested: URL,
  options: PublicUrlOptions,
  { context, signal }: { context: ToolContext; signal: AbortSignal },
) {
  let url = requested
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const response = await openPublicUrl(url, options, signal)
    const status = response.statusCode ?? 0
    const { location } = response.headers
    if (status < 300 || status >= 400 || location === undefined) {
      const { text, isTruncated } = await readBody(url, response, context)
      if (status >= 400) throw new ToolError(`${url} answered ${status}.\n${text.slice(0, 2000)}`)
      return {
        outcome: 'ok' as const,
        output: `${text}${isTruncated ? '\n[the rest is left out]' : ''}` || '[the page is empty]',
      }
    }
    response.destroy()
    const next = new URL(location, url)
    // The permission applies to this address only: rules may name others on the same server.
    if (withoutSlash(next) !== withoutSlash(requested))
      throw new ToolError(
        `${requested} leads to ${context.mask.text(next.href)}. Call web_fetch with that address if you want it.`,
      )
    url = next
  }
  throw new ToolError(
    `${requested} leads from one address to the next, more than ${redirectsMax} times.`,
  )
}

const withoutSlash = ({ origin, pathname, search }: URL): string =>
  `${origin}${pathname.replace(/\/$/, '')}${search}`

async function readBody(url: URL, response: IncomingMessage, { mask }: ToolContext) {
  const [type = '', ...parameters] = (response.headers['content-type'] ?? 'text/plain')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (!isText(type) && type !== 'application/xhtml+xml') {
    response.destroy()
    throw new ToolError(`${url} is not text (${type}). Use bash (curl) if you need the file.`)
  }
  if (encoding !== 'identity') {
    response.destroy()
    throw new ToolError(`${url} answered compressed (${encoding}) though it was asked not to.`)
  }
  const { bytes, isTruncated } = await readBytes(response)
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice(8)
  const body = decoderOf(charset?.replaceAll('"', '')).decode(bytes)
  // Masked before it is truncated, because half a secret would not be found.
  const isLongPage = type.includes('html') && body.length > pageCharsMax
  const text = mask
    .text(type.includes('html') ? await markdownOf(body.slice(0, pageCharsMax)) : body)
    .trim()
  return {
    text: text.slice(0, textCharsMax),
    isTruncated: isTruncated || isLongPage || text.length > textCharsMax,
  }
}

async function readBytes(
  response: IncomingMessage,
): Promise<{ bytes: Buffer; isTruncated: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop ends the connection.
    if (size > bodyBytesMax)
      return { bytes: Buffer.concat(chunks).subarray(0, bodyBytesMax), isTruncated: true }
  }
  return { bytes: Buffer.concat(chunks), isTruncated: false }
}

function decoderOf(charset: string | undefined) {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

/** Returns a deeply nested page as HTML, because in Markdown each line would be indented by its nesting. */
async function markdownOf(html: string): Promise<string> {
  if (nestingOf(html) > nestingMax) return html
  const { default: TurndownService } = await import('turndown')
  const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })
  turndown.remove(['script', 'style', 'noscript', 'title', 'iframe'])
  return turndown.turndown(html)
}

/** Returns the maximum nesting of quotes and lists. */
function nestingOf(html: string): number {
  let depth = 0
  let deepest = 0
  for (const [, closes] of html.matchAll(/<(\/?)(?:blockquote|ul|ol)\b/gi)) {
    depth = Math.max(0, depth + (closes ? -1 : 1))
    deepest = Math.max(deepest, depth)
  }
  return deepest
}
