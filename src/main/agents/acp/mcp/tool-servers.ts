/**
 * Serves Shiplog's tools to installed agents over HTTP on this host's loopback. Each run has its own URL and bearer
 * token, so that a call is known to come from the agent of that run.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { bridgeProtocol } from '../../../../shared/agents/mcp-bridge.ts'
import { usualCallTiming } from '../../../../shared/agents/mcp-call.ts'
import { isRecordTool } from '../../../../shared/agents/record-tools.ts'
import type { ToolName } from '../../../../shared/agents/tools.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import { type OfferedAgent, offeredTools } from '../../tools/tool-definitions.ts'
import { type BridgeEntry, bridgeEntry } from './stdio-bridge.ts'
import { createToolCalls, type ToolCalls } from './tool-calls.ts'
import { createToolServer, type ToolServerTiming } from './tool-server.ts'

export interface ToolServers {
  /**
   * Opens the server of one run. Its URL is served when this resolves. Rejects with the system's
   * error if no port can be opened.
   */
  open(offer: {
    /** Reports whether the agent has a tool. Only those for sub-agents and reports are offered. */
    has: (name: ToolName) => boolean
    /** True for a sub-agent: it is offered `agent_report`. */
    mustReport: boolean
    /** Also offers the tools that read the record. */
    readsRecord?: boolean
    /** The agents that it may start. */
    agents: () => Promise<readonly OfferedAgent[]>
  }): Promise<RunToolServer>
}

/** Lives as long as a run. */
export interface RunToolServer
  extends Pick<ToolCalls, 'connect' | 'received' | 'reported' | 'stopWaiting' | 'turnEnded'> {
  /** Returns the entry for an agent that can't connect over HTTP: it starts a program instead. */
  bridge(taskId: TaskId): BridgeEntry
  /** For `mcpServers` of `session/new`, `session/load` and `session/resume`. */
  readonly entry: {
    type: 'http'
    name: 'shiplog'
    url: string
    headers: { name: string; value: string }[]
  }
  /**
   * Resolves with true once the agent has listed the tools, with false if it has not within
   * `withinMs` from now. Call it after `session/new`, and send the first prompt when it resolves.
   */
  listed(withinMs?: number): Promise<boolean>
  /** Refuses calls from now on. Resolves once nothing is served any more. */
  close(): Promise<void>
}

/** Agents list them 1 to 2 s after `session/new`, on a busy machine later. */
const listedWithinMs = 20_000

/** Tools that deal with other agents. The agent's own tools do the rest. */
const offeredNames: ReadonlySet<ToolName> = new Set<ToolName>([
  'task',
  'task_await',
  'task_list',
  'task_stop',
  'task_apply_patch',
])

/** The server of one run. */
interface Served {
  token: Buffer
  handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>
  /** Serves a bridge until its socket closes. */
  serveLines: (socket: Duplex) => void
}

export function createToolServers({
  version,
  timing = { ...usualCallTiming, graceMs: 2_000 },
}: {
  version: string
  timing?: ToolServerTiming
}): ToolServers {
  const served = new Map<string, Served>()
  let http: Promise<Server> | null = null

  const hasValidHost = localhostHostValidation()
  const hasValidOrigin = localhostOriginValidation()

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!hasValidHost(req, res) || !hasValidOrigin(req, res)) return
    const run = served.get((req.url ?? '').split('?', 1)[0] ?? '')
    if (!run) return refuse(res, 404)
    if (!hasToken(req, run.token)) return refuse(res, 401)
    await run.handle(req, res)
  }

  /** Handles the request of a bridge, which becomes a plain connection. */
  function upgrade(req: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy())
    const run = served.get(req.url ?? '')
    const isBridge = req.headers.upgrade === bridgeProtocol && req.headers.origin === undefined
    if (!run || !isBridge || !hasToken(req, run.token)) {
      const status = run && isBridge ? '401 Unauthorized' : '404 Not Found'
      return void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${bridgeProtocol}\r\n\r\n`,
    )
    run.serveLines(socket)
  }

  async function listen(): Promise<Server> {
    const server = createServer((req, res) => {
      answer(req, res).catch(() => {
        if (res.headersSent) res.destroy()
        else refuse(res, 500)
      })
    })
    server.on('upgrade', upgrade)
    // Calls take minutes.
    server.requestTimeout = 0
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => resolve())
    })
    return server
  }

  /** The port is open only while agents run. */
  async function closeUnlessUsed(): Promise<void> {
    if (served.size > 0 || http === null) return
    const closing = http
    http = null
    const server = await closing
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  async function open({
    has,
    mustReport,
    readsRecord,
    agents,
  }: Parameters<ToolServers['open']>[0]): Promise<RunToolServer> {
    const path = `/mcp/${randomBytes(16).toString('hex')}`
    const token = randomBytes(32).toString('base64url')
    const calls = createToolCalls(timing)
    const list = Promise.withResolvers<true>()
    const isOffered = (name: ToolName) =>
      name === 'agent_report'
        ? mustReport
        : (offeredNames.has(name) || isRecordTool(name)) && has(name)
    const create = () =>
      createToolServer({
        version,
        calls,
        timing,
        onListed: () => list.resolve(true),
        tools: async () => offeredTools({ has: isOffered, agents: await agents(), readsRecord }),
      })
    const handler = createMcpHandler(create)
    const handle = toNodeHandler(handler)
    const bridges = new Set<Duplex>()
    served.set(path, {
      token: Buffer.from(token),
      handle: (req, res) => handle(req, res),
      serveLines(socket) {
        bridges.add(socket)
        const server = serveStdio(create, { transport: new StdioServerTransport(socket, socket) })
        socket.once('close', () => {
          bridges.delete(socket)
          void server.close().catch(() => undefined)
        })
      },
    })
    http ??= listen()
    let port: number
    try {
      port = ((await http).address() as AddressInfo).port
    } catch (error) {
      served.delete(path)
      http = null
      throw error
    }
    const { connect, received, reported, stopWaiting, turnEnded } = calls
    const url = `http://127.0.0.1:${port}${path}`
    return {
      connect,
      received,
      reported,
      stopWaiting,
      turnEnded,
      bridge: (taskId) => bridgeEntry(taskId, { url, token }),
      entry: {
        type: 'http',
        name: 'shiplog',
        url,
        headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
      },
      listed: (withinMs = listedWithinMs) => within(list.promise, withinMs),
      async close() {
        if (!served.delete(path)) return
        calls.close()
        for (const socket of bridges) socket.destroy()
        await handler.close()
        await closeUnlessUsed()
      },
    }
  }

  return { open }
}

function refuse(res: ServerResponse, status: number): void {
  res.writeHead(status).end()
}

function hasToken({ headers }: IncomingMessage, token: Buffer): boolean {
  const given = Buffer.from(/^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '')
  return given.length === token.length && timingSafeEqual(given, token)
}

async function within(done: Promise<true>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<false>()
  const timer = setTimeout(() => late.resolve(false), ms)
  try {
    return await Promise.race([done, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
