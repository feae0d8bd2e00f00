/**
 * The web host: the built renderer over HTTP, the contract over a WebSocket at `/rpc`. The page itself
 * holds nothing secret; every call needs the token, the right Host and the right Origin.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { AnyRouter } from '@orpc/server'
import { WebSocketServer } from 'ws'
import { securityHeaders } from '../content-security.ts'
import { readRendererFile } from '../renderer-files.ts'
import { type AccessRules, createAccessRules, inUrl, protocolName } from './access.ts'
import { createConnections } from './connections.ts'
import { listenError, WebHostError } from './errors.ts'

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
}

export interface WebHost {
  /** With the token in its fragment, which a browser never sends. */
  url: string
  port: number
  /** Ends every connection and its iterators, and waits for them. Idempotent. */
  close(): Promise<void>
}

/** 256 bits, as many as the hash it is compared by. */
const tokenBytes = 32
/** The largest thing that a page sends is a scenario's text or a long prompt. */
const messageBytesMax = 16 * 1024 * 1024
/** A page is told so, and asks for the new URL instead of trying again for ever. */
const wrongTokenCloseCode = 4401

/** Resolves once it listens. Throws `WebHostError` when it can't. */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const { shiplog, rendererDir, address = '127.0.0.1' } = options
  const token = options.token ?? randomBytes(tokenBytes).toString('base64url')
  if (!existsSync(join(rendererDir, 'index.html'))) {
    throw new WebHostError(
      'not-built',
      options.port,
      `The app is not built: there is no index.html in ${rendererDir}. Run: npm run build`,
    )
  }

  const server = createServer()
  const port = await listen(server, address, options.port)
  const access = createAccessRules({ address, port, token })
  const connections = createConnections(shiplog.router)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: messageBytesMax,
    // Never the token: what is chosen is sent back.
    handleProtocols: (offered) => (offered.has(protocolName) ? protocolName : false),
  })

  server.on('request', (request, response) => {
    void answer(request, response, access, rendererDir)
  })
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy())
    if (pathOf(request) !== '/rpc') return refuse(stream, '404 Not Found')
    const result = access.checkUpgrade(request)
    if (result === 'wrong-host' || result === 'wrong-origin') return refuse(stream, '403 Forbidden')
    if (result === 'wrong-protocol') return refuse(stream, '400 Bad Request')
    sockets.handleUpgrade(request, stream, head, (socket) => {
      if (result === 'allowed') return connections.accept(socket)
      // A refused handshake looks like a dead server to a page, so it is taken and closed at once.
      socket.on('error', () => {})
      socket.close(wrongTokenCloseCode, 'wrong token')
    })
  })

  let closing: Promise<void> | undefined
  return {
    url: `http://${inUrl(shownName(address))}:${port}/#token=${token}`,
    port,
    close() {
      closing ??= (async () => {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()))
        await connections.close()
        for (const socket of sockets.clients) socket.terminate()
        server.closeAllConnections()
        await closed
      })()
      return closing
    },
  }
}

async function listen(server: Server, address: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host: address, port, exclusive: true }, resolve)
  try {
    await promise
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, address, port)
  }
  server.off('error', reject)
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('listening on no port')
  return bound.port
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

/** Without the query, and not resolved: `/a/../b` stays what it is and is then refused. */
function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? ''
}

function refuse(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** What a browser on this machine opens: a wildcard is no address to go to. */
function shownName(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  return address === '::' ? '::1' : address
}
