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
import { pathOf, startRpcServer } from './rpc-server.ts'

export { isLoopback } from './access.ts'
export { WebHostError } from './errors.ts'

export interface WebHostOptions {
  /** What is served; closing it is the caller's. */
  shiplog: { router: AnyRouter }
  /** 0: any free one. */
  port: number
  /** Default: 127.0.0.1. What is not loopback was asked for by name, and the caller warned. */
  address?: string
  /** Where `index.html` of the built renderer is. */
  rendererDir: string
  /** Default: a new random one. */
  token?: string
  /** Of the program: another command line of another version is refused. */
  version?: string
}

export interface WebHost {
  /** With the token in its fragment, which a browser never sends. */
  url: string
  port: number
  /** Ends every connection and its iterators, and waits for them. Idempotent. */
  close(): Promise<void>
}

/** Resolves once it listens. Throws `WebHostError` when it can't. */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const { shiplog, rendererDir, address = '127.0.0.1', port, token, version } = options
  if (!existsSync(join(rendererDir, 'index.html'))) {
    throw new WebHostError(
      'not-built',
      port,
      `The app is not built: there is no index.html in ${rendererDir}. Run: npm run build`,
    )
  }
  return startRpcServer({
    router: shiplog.router,
    address,
    port,
    token,
    version,
    answer: (request, response, access) => void answer(request, response, access, rendererDir),
  })
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
