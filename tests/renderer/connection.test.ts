import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createORPCClient } from '@orpc/client'
import { implement, withEventMeta } from '@orpc/server'
import { RPCHandler } from '@orpc/server/ws'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws'
import { createWebSocketLink } from '../../src/renderer/rpc/client.ts'
import { createConnection } from '../../src/renderer/rpc/connection.ts'
import { problemOf } from '../../src/renderer/rpc/problem.ts'
import { closeCodeRefused } from '../../src/renderer/rpc/reconnecting-socket.ts'
import { takeToken } from '../../src/renderer/rpc/token.ts'
import type { LedgerFeedEvent } from '../../src/shared/contract/feed.ts'
import { contract, type ShiplogClient } from '../../src/shared/contract/index.ts'
import { activityLine } from '../../src/shared/records/tasks/activity.ts'
import { createFakeHost } from '../fake-host/fake-host.ts'
import { until } from './until.ts'

const token = 'right'

describe('connection to the web host', () => {
  let server: Server
  let sockets: Set<ServerSocket>
  let seenLastEventIds: (string | undefined)[]
  /** The token that the host knows. */
  let known: string
  let url: string
  let closers: (() => void)[]

  beforeEach(async () => {
    sockets = new Set()
    seenLastEventIds = []
    closers = []
    known = token
    const os = implement(contract)
    const { router } = createFakeHost()
    const handler = new RPCHandler({
      ...router,
      feed: {
        ...router.feed,
        ledger: os.feed.ledger.handler(async function* ({ lastEventId }) {
          seenLastEventIds.push(lastEventId)
          const from = Number(lastEventId ?? 0)
          for (let seq = from + 1; seq <= from + 3; seq++)
            yield withEventMeta(activityEvent(seq), { id: String(seq), retry: 1 })
          await new Promise(() => {})
        }),
      },
    })
    server = createServer()
    const wss = new WebSocketServer({ server, handleProtocols: () => 'shiplog.v1' })
    wss.on('connection', (socket, request) => {
      sockets.add(socket)
      if (!request.headers['sec-websocket-protocol']?.includes(`token.${known}`))
        return socket.close(closeCodeRefused)
      return handler.upgrade(socket, { context: {} })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/rpc`
  })
  afterEach(async () => {
    for (const close of closers) close()
    for (const socket of sockets) socket.terminate()
    await new Promise((resolve) => server.close(resolve))
  })

  function connect(withToken: string) {
    const connection = createConnection()
    const { link, close } = createWebSocketLink(
      connection,
      () => new WebSocket(url, ['shiplog.v1', `token.${withToken}`]),
    )
    closers.push(close)
    return { connection, client: createORPCClient<ShiplogClient>(link) }
  }

  it('continues a feed at its position after a lost connection', async () => {
    const { client, connection } = connect(token)
    const events = await client.feed.ledger()
    const read = async () => activityOf((await events.next()).value as LedgerFeedEvent)
    expect([await read(), await read(), await read()]).toEqual(['1', '2', '3'])
    const next = read()
    for (const socket of sockets) socket.terminate()
    await until(connection, ({ kind }) => kind === 'lost')
    expect(await next).toBe('4')
    expect(seenLastEventIds).toEqual([undefined, '3'])
    expect(connection.getState()).toEqual({ kind: 'open' })
    await events.return?.()
  })

  it('fails a pending call, with advice', async () => {
    const { client, connection } = connect(token)
    await until(connection, ({ kind }) => kind === 'open')
    const call = client.app.info()
    for (const socket of sockets) socket.terminate()
    const error = await call.then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(problemOf(error, 'read the settings')).toMatchObject({
      code: 'CONNECTION',
      next: expect.stringContaining('Try again'),
    })
  })

  it('recognizes a wrong token, and does not retry', async () => {
    const { connection } = connect('wrong')
    await until(connection, ({ kind }) => kind === 'refused')
    expect(sockets.size).toBe(1)
  })

  it('stays lost until the host has answered; a host with another token never counts', async () => {
    const { connection } = connect(token)
    await until(connection, ({ kind }) => kind === 'open')
    const seen: string[] = []
    connection.subscribe(({ kind }) => seen.push(kind))
    known = 'another'
    for (const socket of sockets) socket.terminate()
    await until(connection, ({ kind }) => kind === 'refused')
    expect(new Set(seen)).toEqual(new Set(['lost', 'refused']))
  })

  it('passes on the typed errors of the contract', async () => {
    const { client } = connect(token)
    const error = await client.projects.add({ dir: '/missing' }).catch((reason: unknown) => reason)
    expect(problemOf(error, 'add the project')).toMatchObject({
      code: 'INVALID',
      field: 'dir',
      message: expect.stringContaining('does not exist'),
    })
  })
})

describe('token', () => {
  const places = (hash: string) => {
    const kept = new Map<string, string>()
    const visited: string[] = []
    return {
      visited,
      kept,
      location: { hash, pathname: '/', search: '' },
      history: {
        state: null,
        replaceState: (_: unknown, __: string, to: string) => visited.push(to),
      },
      sessionStorage: {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => kept.set(key, value),
        removeItem: (key: string) => kept.delete(key),
      },
    } as unknown as Parameters<typeof takeToken>[0] & {
      visited: string[]
      kept: Map<string, string>
    }
  }

  it('is kept for the tab and leaves the visible URL', () => {
    const at = places('#token=ab%2Bc')
    expect(takeToken(at)).toBe('ab+c')
    expect(at.visited).toEqual(['/#/'])
    expect(takeToken({ ...at, location: { hash: '#/archive', pathname: '/', search: '' } })).toBe(
      'ab+c',
    )
    expect(at.visited).toHaveLength(1)
  })

  it('is missing if none was given', () => {
    expect(takeToken(places('#/t/abcd'))).toBeNull()
  })
})

const taskId = '11111111-1111-4111-8111-111111111111'
const activityEvent = (seq: number): LedgerFeedEvent =>
  ({
    type: 'activity',
    activity: { [taskId]: { state: 'working', text: String(seq) } },
  }) as LedgerFeedEvent
const activityOf = (event: LedgerFeedEvent): string | null | undefined =>
  event.type === 'activity' ? activityLine(Object.values(event.activity)[0] ?? null) : undefined
