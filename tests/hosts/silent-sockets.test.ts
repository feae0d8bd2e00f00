/** Sockets that stay silent are cut off: anybody on the machine can knock, and a refused page may never hang up. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { protocolName } from '../../src/main/hosts/web/access.ts'
import { startRpcServer } from '../../src/main/hosts/web/rpc-server.ts'
import { createCountingRouter } from './web-fixture.ts'

/** Never, within a test. */
const neverMs = 3_600_000

/** More than the buffers of both ends of a socket hold. */
const longAnswerBytes = 64 * 1024 * 1024

async function serverThat(
  silence: Parameters<typeof startRpcServer>[0]['silence'],
  answer: (response: ServerResponse) => void = (response) => void response.end(),
) {
  const server = await startRpcServer({
    router: createCountingRouter().router,
    address: '127.0.0.1',
    port: 0,
    silence,
    grantOf: () => null,
    answer: (_request, response) => answer(response),
  })
  onTestFinished(() => server.close())
  return server
}

async function knockAt(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  // Being cut off may come as a reset, for which `once` would reject.
  socket.on('error', () => undefined)
  return socket
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => void socket.resume().once('close', () => resolve()))

it('disconnects a client that sends nothing, or an incomplete request', async () => {
  const { port } = await serverThat({
    requestMsMax: 20,
    requestCheckMs: 10,
    refusedMsMax: neverMs,
    idleMsMax: neverMs,
  })
  const silent = await knockAt(port)
  const silentEnded = closed(silent)
  const half = await knockAt(port)
  half.write('GET / HTTP/1.1\r\nHost:')
  await Promise.all([silentEnded, closed(half)])
})

it('disconnects a client that does not read the answer', async () => {
  const { promise: cutOff, resolve } = Promise.withResolvers<void>()
  // The socket is as silent until its request is read: on a busy machine it would be cut off before that.
  const { port } = await serverThat(
    { requestMsMax: neverMs, requestCheckMs: neverMs, refusedMsMax: neverMs, idleMsMax: 2_000 },
    (response) => void response.once('close', resolve).end(Buffer.alloc(longAnswerBytes)),
  )
  const socket = await knockAt(port)
  socket.pause().write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  await cutOff
})

it('closes a refused socket that stays open, after sending it the reason', async () => {
  const { port } = await serverThat({
    requestMsMax: neverMs,
    requestCheckMs: neverMs,
    refusedMsMax: 20,
    idleMsMax: neverMs,
  })
  const socket = await knockAt(port)
  const received: Buffer[] = []
  socket.on('data', (data) => received.push(data))
  const headers = [
    'GET /rpc HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Origin: http://127.0.0.1:${port}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Sec-WebSocket-Protocol: ${protocolName}, token.wrong`,
  ]
  socket.write(`${headers.join('\r\n')}\r\n\r\n`)
  // It answers nothing, and above all not the frame that closes.
  await closed(socket)
  const text = Buffer.concat(received).toString('latin1')
  expect(text).toMatch(/^HTTP\/1\.1 101 /)
  expect(text).toContain('wrong token')
})
