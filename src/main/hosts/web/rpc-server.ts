/**
 * The contract over WebSockets at `/rpc` of an HTTP server. Every call needs the token, the right Host
 * and the right Origin. The web host answers with pages beside it, the local endpoint with nothing.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AnyRouter } from '@orpc/server'
import { WebSocketServer } from 'ws'
import { type AccessRules, createAccessRules, inUrl, protocolName } from './access.ts'
import { createConnections } from './connections.ts'
import { listenError } from './errors.ts'

interface RpcServerOptions {
  router: AnyRouter
  address: string
  /** 0: any free one. */
  port: number
  /** Default: a new random one. */
  token?: string | undefined
  /** Of the program. A client that names another one is refused; a page names none. */
  version?: string | undefined
  /** For what is no call. */
  answer(request: IncomingMessage, response: ServerResponse, access: AccessRules): void
}

export interface RpcServer {
  /** With the token in its fragment, which a browser never sends. */
  url: string
  port: number
  isUsed(): boolean
  /** Resolves as soon as nobody is connected. */
  unused(): Promise<void>
  /** Ends every connection and its iterators, and waits for them. Idempotent. */
  close(): Promise<void>
}

/** Close codes of a connection that was taken only to be told why it is refused. */
export const refusalCodes = {
  /** A page asks for the new URL then, instead of trying again for ever. */
  wrongToken: 4401,
  /** The reason is the server's version. */
  otherVersion: 4426,
} as const

/** 256 bits, as many as the hash it is compared by. */
const tokenBytes = 32
/** The largest thing that a client sends is a scenario's text or a long prompt. */
const messageBytesMax = 16 * 1024 * 1024

/**
 * The first snapshot of a long ledger is a megabyte that packs to a tenth. Small messages, so all that streams,
 * go as they are, and no connection keeps a dictionary in memory between two messages.
 */
const compression = {
  threshold: 16 * 1024,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  zlibDeflateOptions: { level: 3 },
}

/** Resolves once it listens. Throws `WebHostError` when it can't. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { router, address, version, answer } = options
  const token = options.token ?? randomBytes(tokenBytes).toString('base64url')
  const server = createServer()
  const port = await listen(server, address, options.port)
  const access = createAccessRules({ address, port, token, version })
  const connections = createConnections(router)
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: compression,
    maxPayload: messageBytesMax,
    // Never the token: what is chosen is sent back.
    handleProtocols: (offered) => (offered.has(protocolName) ? protocolName : false),
  })

  server.on('request', (request, response) => answer(request, response, access))
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
      if (result === 'wrong-token') socket.close(refusalCodes.wrongToken, 'wrong token')
      else socket.close(refusalCodes.otherVersion, version)
    })
  })

  let closing: Promise<void> | undefined
  return {
    url: `http://${inUrl(shownName(address))}:${port}/#token=${token}`,
    port,
    isUsed: connections.isUsed,
    unused: connections.unused,
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

/** Without the query, and not resolved: `/a/../b` stays what it is and is then refused. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? ''
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

function refuse(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** What a browser on this machine opens: a wildcard is no address to go to. */
function shownName(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  return address === '::' ? '::1' : address
}
