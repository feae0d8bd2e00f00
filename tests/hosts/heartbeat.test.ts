import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createConnections } from '../../src/main/hosts/web/connections.ts'
import { clientOn, createCountingRouter } from './web-fixture.ts'

it('cuts off a client that no longer answers, and leaves one that does alone', async () => {
  const { router, counts } = createCountingRouter()
  // Long enough for the client that answers, which shares this thread with everything else.
  const connections = createConnections(router, { heartbeatMs: 500 })
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', connections.accept)
  await once(server, 'listening')
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`

  const alive = clientOn(new WebSocket(url))
  const feed = await alive.quiet()
  await feed.next()
  const [code] = await once(new WebSocket(url, { autoPong: false }), 'close')
  expect(code).toBe(1006) // cut off, not told
  expect(await alive.ping()).toEqual({ pong: true })
  expect(counts).toMatchObject({ feedsOpened: 1, feedsEnded: 0 })

  await connections.close()
  expect(counts.feedsEnded).toBe(1)
  server.close()
})
