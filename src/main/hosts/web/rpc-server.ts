/**
 * The contract over WebSockets at `/rpc` of an HTTP server. Every call needs the token, the right Host
 * and the right Origin. The web host also serves pages, the local endpoint does not.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AnyRouter } from '@orpc/server'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Grant } from '../../../shared/contract/grants.ts'
import { type AccessRules, createAccessRules, inUrl, protocolName } from './access.ts'
import { createConnections } from './connections.ts'
import { listenError } from './errors.ts'

interface RpcServerOptions {
  router: AnyRouter
  address: string
  /** 0 for any free one. */
  port: number
  /** The permissions of a token; null if the token is unknown. */
  grantOf(token: string): Grant | null
  /** The program's version. A client that sends another one is refused; a page sends none. */
  version?: string | undefined
  /** Answers the requests that are not for `/rpc`. */
  answer(request: IncomingMessage, response: ServerResponse, access: AccessRules): void
  /** How long a socket may stay silent. */
  silence?: typeof silenceDefaults
}

export interface RpcServer {
  /** The address for a browser of this machine. */
  origin: string
  port: number
  isUsed(): boolean
  /** Resolves as soon as no client is connected. */
  unused(): Promise<void>
  /** Ends every connection and its iterators, and waits for them. Idempotent. */
  close(): Promise<void>
}

/** Close codes of a connection that was accepted only to report why it is refused. */
export const refusalCodes = {
  /** A page then asks for the new URL, instead of retrying forever. */
  wrongToken: 4401,
  /** The reason is the server's version. */
  otherVersion: 4426,
} as const

/** The largest message of a client contains a scenario's text or a long prompt. */
const messageBytesMax = 16 * 1024 * 1024
/** A browser opens six at once for its pages, and one for each that stays. */
const connectionsMax = 256
const refusedAtOnceMax = 32

const silenceDefaults = {
  /**
   * A client that has not authenticated within this time is disconnected: every process on this machine can connect.
   */
  requestMsMax: 10_000,
  requestCheckMs: 2_000,
  /** A client that takes nothing of an answer for so long is disconnected. Not for WebSockets. */
  idleMsMax: 30_000,
  /** A refused socket stays open only until its page has received the reason. */
  refusedMsMax: 1_000,
}

/**
 * The first snapshot of a long ledger is a megabyte that compresses to a tenth. Small messages, including all
 * streams, are not compressed, and no connection keeps a dictionary in memory between two messages.
 */
const compression = {
  threshold: 16 * 1024,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  zlibDeflateOptions: { level: 3 },
}

/** Resolves once it listens. Throws `WebHostError` when it can't. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { router, address, version, answer, silence = silenceDefaults } = options
  const { requestMsMax, requestCheckMs, refusedMsMax, idleMsMax } = silence
  const server = createServer({
    headersTimeout: requestMsMax,
    requestTimeout: requestMsMax,
    connectionsCheckingInterval: requestCheckMs,
  })
  server.maxConnections = connectionsMax
  server.timeout = idleMsMax
  const port = await listen(server, address, options.port)
  const access = createAccessRules({ address, port, grantOf: options.grantOf, version })
  const connections = createConnections(router)
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: compression,
    maxPayload: messageBytesMax,
    // Never the token: the selected protocol is sent back.
    handleProtocols: (offered) => (offered.has(protocolName) ? protocolName : false),
  })

  const refused = new Set<WebSocket>()

  server.on('request', (request, response) => answer(request, response, access))
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy())
    if (pathOf(request) !== '/rpc') return refuse(stream, '404 Not Found')
    const result = access.checkUpgrade(request)
    if (result === 'wrong-host' || result === 'wrong-origin') return refuse(stream, '403 Forbidden')
    if (result === 'wrong-protocol') return refuse(stream, '400 Bad Request')
    const isGranted = result === 'act' || result === 'decide'
    if (!isGranted && refused.size >= refusedAtOnceMax) return stream.destroy()
    sockets.handleUpgrade(request, stream, head, (socket) => {
      if (isGranted) return connections.accept(socket, { grant: result })
      // A refused handshake looks like a dead server to a page, so it is taken and closed at once.
      socket.on('error', () => {})
      refused.add(socket)
      const cutOff = setTimeout(() => socket.terminate(), refusedMsMax)
      socket.on('close', () => {
        clearTimeout(cutOff)
        refused.delete(socket)
      })
      if (result === 'wrong-token') socket.close(refusalCodes.wrongToken, 'wrong token')
      else socket.close(refusalCodes.otherVersion, version)
    })
  })

  let closing: Promise<void> | undefined
  return {
    origin: `http://${inUrl(shownName(address))}:${port}`,
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

/** The path of a request, without the query and not resolved: `/a/../b` stays what it is and is then refused. */
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
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    // Without waiting for the other side to hang up.
    stream.destroy(),
  )
}

/** The address that a browser on this machine opens: a wildcard address can't be opened. */
function shownName(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  return address === '::' ? '::1' : address
}
