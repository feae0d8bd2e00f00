/**
 * Serves Shiplog's tools to installed agents, over HTTP on the loopback of this host. Each run has a URL and a bearer
 * token of its own, so that a call is known to come from the agent of that run.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { usualCallTiming } from '../../../../shared/agents/mcp-call.ts'
import { isRecordTool } from '../../../../shared/agents/record-tools.ts'
import type { ToolName } from '../../../../shared/agents/tools.ts'
import type { OfferedAgent } from '../../tools/tool-definitions.ts'
import { offeredTools } from '../../tools/tool-definitions.ts'
import { createToolCalls, type ToolCalls } from './tool-calls.ts'
import { createToolServer, type ToolServerTiming } from './tool-server.ts'

interface ToolServers {
  /**
   * Opens the server of one run. Its URL is served when this resolves. Rejects with the system's
   * error if no port can be opened.
   */
  open(offer: {
    /** Reports whether the agent has a tool. Only those for sub-agents and reports are offered. */
    has: (name: ToolName) => boolean
    /** True for a sub-agent: it is offered `agent_report`. */
    mustReport: boolean
    /** True: it is offered the tools that read the record as well. */
    readsRecord?: boolean
    /** The agents that it may start. */
    agents: () => Promise<readonly OfferedAgent[]>
  }): Promise<RunToolServer>
}

/** Lives as long as a run. */
export interface RunToolServer
  extends Pick<ToolCalls, 'connect' | 'received' | 'reported' | 'stopWaiting' | 'turnEnded'> {
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

/** A server of one run. */
interface Served {
  token: Buffer
  handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>
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

  async function listening(): Promise<Server> {
    const server = createServer((req, res) => {
      answer(req, res).catch(() => {
        if (res.headersSent) res.destroy()
        else refuse(res, 500)
      })
    })
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
    const handler = createMcpHandler(() =>
      createToolServer({
        ...{ version, calls, timing, onListed: () => list.resolve(true) },
        tools: async () => offeredTools({ has: isOffered, agents: await agents(), readsRecord }),
      }),
    )
    const handle = toNodeHandler(handler)
    served.set(path, { token: Buffer.from(token), handle: (req, res) => handle(req, res) })
    http ??= listening()
    let port: number
    try {
      port = ((await http).address() as AddressInfo).port
    } catch (error) {
      served.delete(path)
      http = null
      throw error
    }
    const { connect, received, reported, stopWaiting, turnEnded } = calls
    return {
      ...{ connect, received, reported, stopWaiting, turnEnded },
      entry: {
        type: 'http',
        name: 'shiplog',
        url: `http://127.0.0.1:${port}${path}`,
        headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
      },
      listed: (withinMs = listedWithinMs) => within(list.promise, withinMs),
      async close() {
        if (!served.delete(path)) return
        calls.close()
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
