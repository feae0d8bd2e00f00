/**
 * The server of a process that holds the data directory for longer than a moment, for other processes of this
 * machine: the contract on a loopback port, its address and token in lease.json, which only its owner can read.
 */
import type { AnyRouter } from '@orpc/server'
import { isSameToken, linkWith, newToken } from '../web/pages.ts'
import { type RpcServer, startRpcServer } from '../web/rpc-server.ts'

export interface LocalEndpointOptions {
  /** The served router; closing it is the caller's task. */
  shiplog: { router: AnyRouter; setEndpoint(endpoint: string | null): Promise<void> }
  /** The program's version: a client of another version is refused. */
  version: string
}

export interface LocalEndpoint {
  /** No new client finds it; connected ones stay. May be called twice. */
  unpublish(): Promise<void>
  /** Whether anybody is connected. */
  isUsed(): boolean
  /** Resolves as soon as no client is connected. */
  unused(): Promise<void>
  /** Unpublishes, and ends every connection and its calls. May be called twice. */
  close(): Promise<void>
}

/** Resolves once others can find it. Throws when no port can be had or the lease can't be written. */
export async function openLocalEndpoint(options: LocalEndpointOptions): Promise<LocalEndpoint> {
  const { shiplog, version } = options
  const token = newToken()
  const server: RpcServer = await startRpcServer({
    router: shiplog.router,
    // Agents can read lease.json: its token does not permit decisions.
    grantOf: (given) => (isSameToken(given, token) ? 'act' : null),
    address: '127.0.0.1',
    port: 0,
    version,
    answer: (_request, response) => void response.writeHead(404).end(),
  })
  let unpublishing: Promise<void> | undefined
  const unpublish = () => (unpublishing ??= shiplog.setEndpoint(null))
  try {
    await shiplog.setEndpoint(linkWith(server.origin, token))
  } catch (error) {
    await server.close()
    throw error
  }
  return {
    unpublish,
    isUsed: server.isUsed,
    unused: server.unused,
    async close() {
      await unpublish().finally(server.close)
    },
  }
}
