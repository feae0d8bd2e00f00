import { EventEmitter, once } from 'node:events'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { RPCHandler } from '@orpc/server/websocket'
import { expect, it, vi } from 'vitest'
import { type ServedPort, servePort } from '../../../src/main/hosts/desktop/serve-port.ts'
import { type CountingClient, createCountingRouter } from '../web-fixture.ts'

/** The page's end of a channel whose other end is served; what a structured clone would carry goes over. */
function servedPage() {
  const { router, counts } = createCountingRouter()
  const page = new EventEmitter()
  const main = new EventEmitter()
  const posted = new EventEmitter()
  const port = Object.assign(main, {
    postMessage: (data: unknown) => {
      page.emit('message', { data: structuredClone(data) })
      posted.emit('message')
    },
    start: () => {},
  })
  servePort(port as unknown as ServedPort, new RPCHandler(router))
  const send = (data: unknown): void => {
    main.emit('message', { data: structuredClone(data) })
  }
  const client: CountingClient = createORPCClient(
    new RPCLink({
      port: { on: (event, listener) => void page.on(event, listener), postMessage: send },
    }),
  )
  return { client, counts, send, closePage: () => main.emit('close'), posted }
}

it('answers calls and streams', async () => {
  const { client } = servedPage()
  expect(await client.ping()).toEqual({ pong: true })
  const feed = await client.quiet()
  expect((await feed.next()).value).toEqual({ n: 1 })
})

it('ends the requests of a page when its end of the port is closed', async () => {
  const { client, counts, closePage } = servedPage()
  const feed = await client.quiet()
  await feed.next()
  closePage()
  await vi.waitFor(() => expect(counts).toMatchObject({ feedsOpened: 1, feedsEnded: 1 }), 30_000)
})

it('stops streaming to a closed page', async () => {
  const { client, counts, closePage, posted } = servedPage()
  const feed = await client.flood()
  await feed.next()
  await once(posted, 'message')
  closePage()
  await vi.waitFor(() => expect(counts.feedsEnded).toBe(1), 30_000)
  expect(counts.produced).toBeLessThan(20_000)
})

it.each([
  ['half a call', '{"i":"1"'],
  ['nothing', null],
  ['a number', 7],
  ['bytes of no meaning', new Uint8Array([255, 254])],
])('logs %s and continues', async (_name, message) => {
  const { client, send } = servedPage()
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  send(message)
  await vi.waitFor(() => expect(logged).toHaveBeenCalledOnce(), 30_000)
  logged.mockRestore()
  expect(await client.ping()).toEqual({ pong: true })
})
