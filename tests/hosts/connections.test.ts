import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createConnections } from '../../src/main/hosts/web/connections.ts'
import { clientOn, createCountingRouter } from './web-fixture.ts'

async function listening(connections: ReturnType<typeof createConnections>) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket, { url }) =>
    connections.accept(socket, { grant: url === '/window' ? 'decide' : 'act' }),
  )
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('refuses a feed beyond the limit of a connection, until it closes one', async () => {
  const { router, counts } = createCountingRouter()
  const connections = createConnections(router, { feedsMax: 2 })
  const url = await listening(connections)
  const greedy = clientOn(new WebSocket(url))
  const open = async () => {
    const feed = await greedy.quiet()
    await feed.next()
    return feed
  }
  const [first] = [await open(), await open()]
  await expect(open()).rejects.toMatchObject({
    code: 'REFUSED',
    message: expect.stringContaining('2 feeds open'),
  })
  // Neither its other calls nor other connections are concerned.
  expect(await greedy.ping()).toEqual({ pong: true })
  const other = await clientOn(new WebSocket(url)).quiet()
  expect(await other.next()).toMatchObject({ value: { n: 1 } })
  await first?.return?.()
  await expect.poll(() => counts.feedsEnded).toBe(1)
  await open()
  await connections.close()
})

it('refuses a feed beyond the limit of all connections, but reserves some for windows', async () => {
  const { router, counts } = createCountingRouter()
  const connections = createConnections(router, { feedsAllMax: 4, feedsOfWindowsMin: 1 })
  const url = await listening(connections)
  const open = async (path = '') => {
    const feed = await clientOn(new WebSocket(url + path)).quiet()
    await feed.next()
    return feed
  }
  const refusal = { code: 'REFUSED', data: { reason: 'in-use' } }
  const [first] = [await open(), await open(), await open()]
  await expect(open()).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining('3 feeds open'),
  })
  await open('/window')
  await expect(open('/window')).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining('4 feeds open'),
  })
  await first?.return?.()
  await expect.poll(() => counts.feedsEnded).toBe(1)
  // That of another connection.
  await open()
  await connections.close()
})

it('disconnects a client that no longer answers, and keeps one that does', async () => {
  const { router, counts } = createCountingRouter()
  // Long enough for the client that answers, which shares this thread with everything else.
  const connections = createConnections(router, { heartbeatMs: 500 })
  const url = await listening(connections)

  const alive = clientOn(new WebSocket(url))
  const feed = await alive.quiet()
  await feed.next()
  const [code] = await once(new WebSocket(url, { autoPong: false }), 'close')
  expect(code).toBe(1006) // cut off, not told
  expect(await alive.ping()).toEqual({ pong: true })
  expect(counts).toMatchObject({ feedsOpened: 1, feedsEnded: 0 })

  await connections.close()
  expect(counts.feedsEnded).toBe(1)
})
