/** A web host with a small router of its own, and raw clients: `fetch` would tidy up a hostile request. */
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { os, type RouterClient } from '@orpc/server'
import { WebSocket } from 'ws'
import { startWebHost, type WebHost, type WebHostOptions } from '../../src/main/hosts/web/index.ts'
import type { CallContext } from '../../src/shared/contract/grants.ts'

export function createCountingRouter() {
  const counts = { produced: 0, feedsOpened: 0, feedsEnded: 0 }
  /** Until `signal` says so; each event is 10 kB, so that a few fill the buffers of a socket. */
  async function* flood(signal: AbortSignal | undefined) {
    counts.feedsOpened++
    try {
      for (let n = 1; n <= 20_000 && !signal?.aborted; n++) {
        counts.produced++
        yield { n, padding: 'x'.repeat(10_000) }
      }
    } finally {
      counts.feedsEnded++
    }
  }
  async function* quiet(signal: AbortSignal | undefined) {
    counts.feedsOpened++
    try {
      yield { n: 1 }
      if (!signal?.aborted) await new Promise((done) => signal?.addEventListener('abort', done))
    } finally {
      counts.feedsEnded++
    }
  }
  const router = {
    ping: os.handler(() => ({ pong: true })),
    grant: os.$context<CallContext>().handler(({ context }) => context.grant),
    flood: os.handler(({ signal }) => flood(signal)),
    quiet: os.handler(({ signal }) => quiet(signal)),
  }
  return { router, counts }
}

export type CountingClient = RouterClient<ReturnType<typeof createCountingRouter>['router']>

/** The token of the link that it printed. */
export const tokenOf = ({ url }: Pick<WebHost, 'url'>): string =>
  new URL(url).hash.slice('#token='.length)

export async function startFixture(options: Partial<WebHostOptions> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'shiplog-web-'))
  const rendererDir = join(dir, 'renderer')
  await mkdir(join(rendererDir, 'assets'), { recursive: true })
  await writeFile(join(rendererDir, 'index.html'), '<!doctype html><title>Shiplog</title>')
  await writeFile(join(rendererDir, 'assets', 'index-abc123.js'), 'export {}')
  await writeFile(join(rendererDir, 'assets', 'name with space.css'), 'a{}')
  await writeFile(join(dir, 'secret.html'), 'outside')
  await symlink(join(dir, 'secret.html'), join(rendererDir, 'linked.html'))
  const { router, counts } = createCountingRouter()
  const host = await startWebHost({ shiplog: { router }, port: 0, rendererDir, ...options })
  return {
    host,
    counts,
    rendererDir,
    /** What a connection may do. */
    grantOf: (socket: WebSocket) => clientOn(socket).grant(),
    async [Symbol.asyncDispose]() {
      await host.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Sends the path as it is given. */
export async function get(
  host: WebHost,
  path: string,
  { body, ...options }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  const call = request({ host: '127.0.0.1', port: host.port, path, ...options })
  call.end(body)
  const [response] = await once(call, 'response')
  let answered = ''
  for await (const chunk of response) answered += chunk
  return { status: response.statusCode, headers: response.headers, body: answered }
}

export interface ConnectOptions {
  path?: string
  origin?: string | null
  hostHeader?: string
  protocols?: string[]
}

export function connect(host: WebHost, options: ConnectOptions = {}): WebSocket {
  const { path = '/rpc', protocols = ['shiplog.v1', `token.${tokenOf(host)}`] } = options
  const origin =
    options.origin === undefined ? `http://127.0.0.1:${host.port}` : (options.origin ?? undefined)
  return new WebSocket(`ws://127.0.0.1:${host.port}${path}`, protocols, {
    ...(origin === undefined ? {} : { origin }),
    ...(options.hostHeader === undefined ? {} : { headers: { Host: options.hostHeader } }),
  })
}

/** How an attempt to connect ended: the HTTP status of a refusal, or the close code after opening. */
export function outcomeOf(socket: WebSocket): Promise<{ refused: number } | { closed: number }> {
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.on('unexpected-response', (call, response) => {
      resolve({ refused: response.statusCode ?? 0 })
      call.destroy()
    })
    socket.on('close', (code) => resolve({ closed: code }))
  })
}

export function clientOn(socket: WebSocket): CountingClient {
  return createORPCClient(new RPCLink({ websocket: socket }))
}
