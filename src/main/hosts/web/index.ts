/**
 * The web host: the built renderer over HTTP, the contract over a WebSocket at `/rpc`. The page itself
 * holds nothing secret; every call needs the token, the right Host and the right Origin.
 */
import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { AnyRouter } from '@orpc/server'
import { securityHeaders } from '../content-security.ts'
import { readRendererFile } from '../renderer-files.ts'
import type { AccessRules } from './access.ts'
import { WebHostError } from './errors.ts'
import { isSameToken, linkWith, newToken, openPages, type Pages } from './pages.ts'
import { pathOf, startRpcServer } from './rpc-server.ts'

export { isLoopback } from './access.ts'
export { WebHostError } from './errors.ts'

const enterPath = '/enter'
/** A code has 43. */
const codeCharsMax = 100

export interface WebHostOptions {
  /** The served router; closing it is the caller's task. */
  shiplog: { router: AnyRouter }
  /** 0 for any free one. */
  port: number
  /** Default: 127.0.0.1. Any other address than loopback was requested explicitly, and the caller warned. */
  address?: string
  /** The folder with `index.html` of the built renderer. */
  rendererDir: string
  /** The file for the port and the hashes of pages' tokens. Default: none. */
  pagesFile?: string
  /** Listen where the last start did, if that is known and free. */
  asBefore?: boolean
  /** The program's version: a command line of another version is refused. */
  version?: string
}

export interface WebHost {
  /** With a page's token in its fragment, which a browser never sends. For a user's eyes alone. */
  url: string
  /** For lease.json: with a token that decides nothing (K7). */
  endpoint: string
  port: number
  /** For a command's arguments: opens one page, once, within a minute. */
  openingUrl(): string
  /** Ends every connection and its iterators, and waits for them. Idempotent. */
  close(): Promise<void>
}

/** Resolves once it listens. Throws `WebHostError` when it can't. */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const { shiplog, rendererDir, address = '127.0.0.1', port, version } = options
  if (!existsSync(join(rendererDir, 'index.html'))) {
    throw new WebHostError(
      'not-built',
      port,
      `The app is not built: there is no index.html in ${rendererDir}. Run: npm run build`,
    )
  }
  const pages = await openPages(options.pagesFile ?? null)
  const [pageToken, endpointToken] = [pages.mint(), newToken()]
  const start = (port: number) =>
    startRpcServer({
      router: shiplog.router,
      address,
      port,
      grantOf(token) {
        if (pages.isPage(token)) return 'decide'
        return isSameToken(token, endpointToken) ? 'act' : null
      },
      version,
      answer: (request, response, access) =>
        void (request.method === 'POST' && pathOf(request) === enterPath
          ? enter(request, response, access, pages)
          : answer(request, response, access, rendererDir)),
    })
  const known = options.asBefore ? pages.port : null
  const server = await (known === null ? start(port) : start(known).catch(() => start(port)))
  await pages.listensOn(server.port)
  return {
    url: linkWith(server.origin, pageToken),
    endpoint: linkWith(server.origin, endpointToken),
    port: server.port,
    openingUrl: () => `${server.origin}/#code=${pages.mintCode()}`,
    async close() {
      await server.close()
      await pages.close()
    },
  }
}

/** A page sends the code in its URL, and receives its own token. */
async function enter(
  request: IncomingMessage,
  response: ServerResponse,
  access: AccessRules,
  pages: Pages,
): Promise<void> {
  const headers = { ...securityHeaders, 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' }
  let code = ''
  try {
    for await (const chunk of request.setEncoding('utf8')) {
      code += chunk
      if (code.length > codeCharsMax) break
    }
  } catch {
    return // it hung up
  }
  const isOurs = access.isOwnHost(request) && access.isOwnOrigin(request)
  const token = isOurs ? pages.redeem(code) : null
  response
    .writeHead(token === null ? 403 : 200, headers)
    .end(token ?? 'This link was used already, or is too old.\n')
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  access: AccessRules,
  rendererDir: string,
): Promise<void> {
  const say = (status: number, text: string, headers: Record<string, string> = {}) => {
    response.writeHead(status, {
      ...securityHeaders,
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      ...headers,
    })
    response.end(`${text}\n`)
  }
  if (!access.isOwnHost(request)) {
    return say(403, 'Open Shiplog by the address that it printed.')
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return say(405, 'Only GET and HEAD are answered here.', { Allow: 'GET, HEAD' })
  }
  try {
    const file = await readRendererFile(rendererDir, pathOf(request))
    response.writeHead(file.status, { ...file.headers, 'Content-Length': file.body.byteLength })
    response.end(request.method === 'HEAD' ? undefined : file.body)
  } catch (error) {
    console.error(error)
    say(500, 'The file could not be read; the reason is where Shiplog was started.')
  }
}
