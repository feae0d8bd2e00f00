import { once } from 'node:events'
import { connect as connectTcp, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, it, vi } from 'vitest'
import { isLoopback } from '../../src/main/hosts/web/access.ts'
import { startWebHost } from '../../src/main/hosts/web/index.ts'
import {
  type ConnectOptions,
  clientOn,
  connect,
  createCountingRouter,
  get,
  outcomeOf,
  startFixture,
  tokenOf,
} from './web-fixture.ts'

describe('files of the renderer', () => {
  it('serves the page with a content-security policy that lets only its own scripts run', async () => {
    await using fixture = await startFixture()
    const page = await get(fixture.host, '/?x=1')
    expect(page.status).toBe(200)
    expect(page.body).toContain('<title>Shiplog</title>')
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.headers['x-content-type-options']).toBe('nosniff')
    const policy = page.headers['content-security-policy']
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
  })

  it('lets a browser cache files whose names contain their hash', async () => {
    await using fixture = await startFixture()
    const script = await get(fixture.host, '/assets/index-abc123.js')
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(script.headers['cache-control']).toContain('immutable')
    expect((await get(fixture.host, '/assets/name%20with%20space.css')).body).toBe('a{}')
  })

  it.each([
    ['a step up', '/../secret.html', 400],
    ['an encoded step up', '/%2e%2e/secret.html', 400],
    ['an encoded slash', '/assets%2f..%2f..%2fsecret.html', 400],
    ['a backslash', '/assets\\..\\index.html', 400],
    ['a NUL', '/index.html%00.js', 400],
    ['bad encoding', '/%zz', 400],
    ['an absolute path', '//etc/index.html', 400],
    ['a symlink that leads out', '/linked.html', 404],
    ['a directory', '/assets/', 400],
    ['a directory without a slash', '/assets', 404],
    ['what is not there', '/missing.js', 404],
    ['a name that is too long', `/${'a'.repeat(3000)}.js`, 404],
  ])('refuses %s', async (_name, path, status) => {
    await using fixture = await startFixture()
    const answer = await get(fixture.host, path)
    expect(answer.status).toBe(status)
    expect(answer.body).not.toContain('outside')
    expect(answer.headers['content-security-policy']).toBeDefined()
  })

  it('answers HEAD without a body, and nothing but GET and HEAD', async () => {
    await using fixture = await startFixture()
    const head = await get(fixture.host, '/', { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, body: '' })
    const post = await get(fixture.host, '/', { method: 'POST' })
    expect(post.status).toBe(405)
    expect(post.headers.allow).toBe('GET, HEAD')
  })

  it('refuses the page under another name that points here (DNS rebinding)', async () => {
    await using fixture = await startFixture()
    const { port } = fixture.host
    for (const name of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      // They begin or end as ours do.
      `localhost.evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `evil-localhost:${port}`,
      `localhost:${port}.evil.example`,
      `localhost:${port + 1}`,
    ]) {
      const { status } = await get(fixture.host, '/', { headers: { Host: name } })
      expect(status, name).toBe(403)
    }
    const own = { Host: `LOCALHOST:${fixture.host.port}` }
    expect((await get(fixture.host, '/', { headers: own })).status).toBe(200)
  })
})

/** Names that begin or end like one of ours, and what some parsers read as one. `PORT` is our own. */
const lookalikes = [
  'localhost.evil.example:PORT',
  'localhost.evil.example',
  '127.0.0.1.evil.example:PORT',
  '127.0.0.1.evil.example',
  '[::1].evil:PORT',
  '[::1]evil:PORT',
  '[::1',
  'evil.localhost:PORT',
  'notlocalhost:PORT',
  'LOCALHOST.EVIL.EXAMPLE:PORT',
  'localhost.:PORT',
  '127.0.0.1.:PORT',
  '127.1:PORT',
  '2130706433:PORT',
  '0x7f.0.0.1:PORT',
  '0.0.0.0:PORT',
  '[::ffff:127.0.0.1]:PORT',
  'localhost',
  'localhost:',
  'localhost:80',
  'localhost:PORT0',
  'localhost:0PORT',
  'localhost:PORT:PORT',
  'localhost:PORT.evil.example',
  'localhost:PORT@evil.example',
  'evil.example@localhost:PORT',
  'evil.example#localhost:PORT',
  'evil.example, localhost:PORT',
  'localhost :PORT',
]

describe('a Host that looks like our own', () => {
  it.each(lookalikes)('%j gets neither the page nor a connection', async (name) => {
    await using fixture = await startFixture()
    const host = name.replaceAll('PORT', String(fixture.host.port))
    const { status } = await get(fixture.host, '/', { headers: { Host: host } })
    expect([400, 403]).toContain(status)
    const outcome = await outcomeOf(
      connect(fixture.host, { hostHeader: host, origin: `http://${host}` }),
    )
    expect([{ refused: 400 }, { refused: 403 }]).toContainEqual(outcome)
  })

  it('is not an address that only this machine can reach', () => {
    for (const address of ['127.0.0.1', '127.8.9.10', 'localhost', '::1'])
      expect(isLoopback(address)).toBe(true)
    for (const address of [
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '[::1].evil',
      '128.0.0.1',
      'x127.0.0.1',
    ])
      expect(isLoopback(address)).toBe(false)
  })
})

describe('connecting', () => {
  it('takes the token of its own URL, and never sends it back', async () => {
    await using fixture = await startFixture()
    expect(fixture.host.url).toBe(
      `http://127.0.0.1:${fixture.host.port}/#token=${tokenOf(fixture.host)}`,
    )
    const socket = connect(fixture.host)
    const [upgrade] = await once(socket, 'upgrade')
    expect(JSON.stringify(upgrade.rawHeaders)).not.toContain(tokenOf(fixture.host))
    expect(socket.protocol).toBe('shiplog.v1')
    expect(await clientOn(socket).ping()).toEqual({ pong: true })
  })

  it('makes a new token for each start', async () => {
    const { router } = createCountingRouter()
    await using fixture = await startFixture()
    const { rendererDir } = fixture
    const tokens = new Set<string | undefined>()
    for (let n = 0; n < 2; n++) {
      const host = await startWebHost({ shiplog: { router }, port: 0, rendererDir })
      tokens.add(/#token=([\w-]{43})$/.exec(host.url)?.[1])
      await host.close()
    }
    expect(tokens.size).toBe(2)
    expect(tokens).not.toContain(undefined)
  })

  const refusals: [string, ConnectOptions, { refused: number } | { closed: number }][] = [
    [
      'a wrong token, in a way that a page can tell',
      { protocols: ['shiplog.v1', 'token.x'] },
      { closed: 4401 },
    ],
    ['no token', { protocols: ['shiplog.v1'] }, { closed: 4401 }],
    ['an empty token', { protocols: ['shiplog.v1', 'token.'] }, { closed: 4401 }],
    ['another protocol', { protocols: ['token.x'] }, { refused: 400 }],
    ['no protocol', { protocols: [] }, { refused: 400 }],
    ['a page from elsewhere', { origin: 'https://evil.example' }, { refused: 403 }],
    ['a sandboxed page', { origin: 'null' }, { refused: 403 }],
    ['no origin', { origin: null }, { refused: 403 }],
    ['our own name by https', { origin: 'https://127.0.0.1' }, { refused: 403 }],
    [
      'a rebound name',
      { hostHeader: 'evil.example', origin: 'http://evil.example' },
      { refused: 403 },
    ],
    ['another path', { path: '/' }, { refused: 404 }],
  ]
  it.each(refusals)('refuses %s', async (_name, options, expected) => {
    await using fixture = await startFixture()
    expect(await outcomeOf(connect(fixture.host, options))).toEqual(expected)
  })

  it('refuses a page of another program on this machine', async () => {
    await using fixture = await startFixture()
    const origin = `http://127.0.0.1:${fixture.host.port + 1}`
    expect(await outcomeOf(connect(fixture.host, { origin }))).toEqual({ refused: 403 })
    // Both are ours, but a page opened by one name has no business at the other.
    const mixed = `http://localhost:${fixture.host.port}`
    expect(await outcomeOf(connect(fixture.host, { origin: mixed }))).toEqual({ refused: 403 })
  })

  it('holds few refused connections at a time, cuts them off, and takes good ones meanwhile', async () => {
    await using fixture = await startFixture()
    const { port } = fixture.host
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      // Ones that never answer a close: what a browser does at once, an attacker need not do.
      const knocking = Array.from({ length: 40 }, () => knock(port))
      const answers = await Promise.all(knocking.map(({ answer }) => answer))
      expect(answers.filter((answer) => answer === 'taken')).toHaveLength(32)
      expect(answers.filter((answer) => answer === 'cut off')).toHaveLength(8)
      const good = connect(fixture.host)
      await once(good, 'open')
      await vi.advanceTimersByTimeAsync(1_000)
      await Promise.all(knocking.map(({ closed }) => closed))
      expect(await knock(port).answer).toBe('taken')
    } finally {
      vi.useRealTimers()
    }
  })

  it('answers on the address that it was told to listen on', async ({ skip }) => {
    const address = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .find((entry) => entry.family === 'IPv4' && !entry.internal)?.address
    if (address === undefined) return skip('this machine has no address but loopback')
    await using fixture = await startFixture({ address: '0.0.0.0' })
    const asked = { Host: `${address}:${fixture.host.port}` }
    expect((await get(fixture.host, '/', { headers: asked })).status).toBe(200)
    const rebound = { Host: `evil.example:${fixture.host.port}` }
    expect((await get(fixture.host, '/', { headers: rebound })).status).toBe(403)
  })
})

describe('calls', () => {
  it('pauses a producer while the reader is slow, and ends it when the reader disconnects', async () => {
    await using fixture = await startFixture()
    const socket = connect(fixture.host)
    const feed = await clientOn(socket).flood()
    await feed.next()
    socket.pause()
    const held = await settled(() => fixture.counts.produced)
    expect(held).toBeLessThan(5_000)
    socket.terminate()
    await vi.waitFor(() => expect(fixture.counts.feedsEnded).toBe(1), 30_000)
  })

  it('cuts a connection that sends more than a message may hold', async () => {
    await using fixture = await startFixture()
    const socket = connect(fixture.host)
    await once(socket, 'open')
    socket.send(Buffer.alloc(17 * 1024 * 1024))
    expect(await outcomeOf(socket)).toEqual({ closed: 1009 })
  })

  it('survives a message that is no call', async () => {
    await using fixture = await startFixture()
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const socket = connect(fixture.host)
    await once(socket, 'open')
    socket.send('{"not":"a call"')
    expect(await clientOn(socket).ping()).toEqual({ pong: true })
    logged.mockRestore()
  })
})

describe('closing', () => {
  it('closes sockets, ends their iterators and frees the port', async () => {
    await using fixture = await startFixture()
    const socket = connect(fixture.host)
    const feed = await clientOn(socket).quiet()
    await feed.next()
    const outcome = outcomeOf(socket)
    await Promise.all([fixture.host.close(), fixture.host.close()])
    expect(await outcome).toEqual({ closed: 1001 })
    expect(fixture.counts).toMatchObject({ feedsOpened: 1, feedsEnded: 1 })
    const next = createServer().listen(fixture.host.port, '127.0.0.1')
    await once(next, 'listening')
    next.close()
  })

  it('does not wait for a client that never answers', async () => {
    await using fixture = await startFixture()
    const socket = connect(fixture.host)
    await once(socket, 'open')
    socket.pause()
    await fixture.host.close()
    socket.terminate()
  })
})

describe('what keeps it from starting', () => {
  it('a port in use: names it and gives advice', async () => {
    await using fixture = await startFixture()
    const { port } = fixture.host
    await expect(startFixture({ port })).rejects.toMatchObject({
      kind: 'port-in-use',
      port,
      message: expect.stringMatching(/in use by another program.*--port/),
    })
  })

  it('an address of another machine', async () => {
    await expect(startFixture({ address: '192.0.2.1' })).rejects.toMatchObject({
      kind: 'address-not-available',
      message: expect.stringContaining('--host'),
    })
  })

  it('an app that is not built', async () => {
    const { router } = createCountingRouter()
    const start = startWebHost({ shiplog: { router }, port: 0, rendererDir: '/nowhere' })
    await expect(start).rejects.toMatchObject({ kind: 'not-built' })
  })
})

/** Its value once it has stopped changing: the socket's buffers are full then. */
async function settled(read: () => number): Promise<number> {
  let last = -1
  await vi.waitFor(
    () => {
      const now = read()
      const changed = now !== last
      last = now
      expect(changed).toBe(false)
    },
    { interval: 200, timeout: 60_000 },
  )
  return last
}

/** A handshake with a wrong token, by hand. `taken`: it was answered, so that the client learns why it is refused. */
function knock(port: number) {
  const socket = connectTcp(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    [
      'GET /rpc HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `Origin: http://127.0.0.1:${port}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
      'Sec-WebSocket-Protocol: shiplog.v1, token.x',
      '\r\n',
    ].join('\r\n'),
  )
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const taken = new Promise<'taken'>((resolve) => socket.once('data', () => resolve('taken')))
  return { closed, answer: Promise.race([taken, closed.then(() => 'cut off' as const)]) }
}
