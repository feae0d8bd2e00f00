import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import {
  isPublicAddress,
  type PublicUrlOptions,
} from '../../../src/main/agents/tools/web/public-url.ts'
import { createWebFetch } from '../../../src/main/agents/tools/web/web-fetch.ts'
import { createMasker } from '../../../src/main/secrets/masker.ts'
import type { ToolContext } from '../../../src/shared/agents/driver/tool-context.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const page =
  (type: string, body: string | Buffer, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': type })
    response.end(body)
  }

const mask = createMasker()
const onLoopback: PublicUrlOptions = { isAllowed: (address) => address === '127.0.0.1' }
const fetchPage = (url: string, options = onLoopback, signal = new AbortController().signal) =>
  createWebFetch(options)({ url }, { mask, signal } as unknown as ToolContext)

it('returns HTML as Markdown, without scripts', async () => {
  const url = await serve(
    page(
      'text/html; charset=utf-8',
      '<head><title>x</title></head><h1>Ü</h1><script>bad()</script><p><b>Hi</b> <a href="/a">there</a>',
    ),
  )
  expect((await fetchPage(url)).output).toBe('# Ü\n\n**Hi** [there](/a)')
})

it('returns other text unchanged, decoded by its character set', async () => {
  const url = await serve(page('text/plain; charset="iso-8859-1"', Buffer.from([0xfc])))
  expect((await fetchPage(url)).output).toBe('ü')
  expect((await fetchPage(await serve(page('application/json', '{"a":1}')))).output).toBe('{"a":1}')
})

it('refuses content that is not text, and states the status of an error', async () => {
  await expect(fetchPage(await serve(page('image/png', 'x')))).rejects.toThrow(
    'not text (image/png)',
  )
  await expect(fetchPage(await serve(page('text/plain', 'gone', 410)))).rejects.toThrow(
    'answered 410.\ngone',
  )
})

it('truncates an endless body', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const more = (): unknown => response.destroyed || response.write('x'.repeat(100_000), more)
    more()
  })
  const { output } = await fetchPage(url)
  expect(output).toMatch(/x\n\[the rest is left out\]$/)
  expect(output.length).toBeLessThan(70_000)
})

it('sends nothing to this machine or a private network', async () => {
  let requests = 0
  const url = await serve((_, response) => void response.end(String(requests++)))
  const { port } = new URL(url)
  const resolvesTo = (...addresses: string[]): PublicUrlOptions => ({
    lookup: (_, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      ),
  })
  for (const host of [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
  ])
    await expect(fetchPage(`http://${host}:${port}`, {}), host).rejects.toThrow('does not reach')
  await expect(fetchPage(`http://localhost:${port}`, {})).rejects.toThrow('does not reach')
  await expect(fetchPage(`http://rebound.test:${port}`, resolvesTo('127.0.0.1'))).rejects.toThrow(
    'rebound.test (127.0.0.1)',
  )
  await expect(
    fetchPage(`http://mixed.test:${port}`, resolvesTo('93.184.216.34', '127.0.0.1')),
  ).rejects.toThrow('does not reach')
  expect(requests).toBe(0)
})

it.each([
  ['93.184.216.34', true],
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['169.254.169.254', false],
  ['10.1.2.3', false],
  ['172.31.0.1', false],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['224.0.0.1', false],
  ['::', false],
  ['::1', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::7f00:1', false],
  ['2002:7f00:1::', false],
  ['2001::1', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['no address', false],
])('knows whether %s is public: %s', (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected)
})

it('refuses other protocols, passwords, and known secrets in the address', async () => {
  await expect(fetchPage('file:///etc/passwd')).rejects.toThrow('only http and https')
  await expect(fetchPage('https://me:word@example.com')).rejects.toThrow('password')
  await expect(fetchPage('https://token@example.com')).rejects.toThrow('password')
  await expect(fetchPage('example.com')).rejects.toThrow('whole address')
  mask.learn([{ name: 'KEY', value: 'sk-live-0123456789abcdef' }])
  await expect(fetchPage('http://127.0.0.1/?q=sk-live-0123456789abcdef')).rejects.toThrow(
    'known secret',
  )
  await expect(fetchPage('http://127.0.0.1/?q=%73k-live-0123456789abcdef')).rejects.toThrow(
    'known secret',
  )
})

it('follows no redirect to another address, on the same server either', async () => {
  const other = await serve(page('text/plain', 'secret'))
  const url = await serve((request, response) => {
    const to = { '/same': '/same/', '/path': '/end', '/other': other, '/round': '/round' }[
      request.url ?? ''
    ]
    if (to) response.writeHead(302, { location: to }).end()
    else response.writeHead(200, { 'content-type': 'text/plain' }).end('arrived')
  })
  expect((await fetchPage(`${url}/same`)).output).toBe('arrived')
  await expect(fetchPage(`${url}/path`)).rejects.toThrow(`leads to ${url}/end. Call web_fetch`)
  await expect(fetchPage(`${url}/other`)).rejects.toThrow(`leads to ${other}/. Call web_fetch`)
  await expect(fetchPage(`${url}/round`)).rejects.toThrow('more than 5 times')
})

it('shows no known secret of a redirect, and no half of one where a long page is cut', async () => {
  const key = 'sk-live-0123456789abcdef'
  mask.learn([{ name: 'KEY', value: key }])
  const leading = await serve((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.2/?q=${key}` }).end()
  })
  const refused = await fetchPage(leading).catch((error: Error) => error.message)
  expect(refused).toMatch(/leads to http:\/\/127\.0\.0\.2\/\?q=\[hidden: KEY\]/)
  const long = await serve(page('text/plain', `${'x'.repeat(64 * 1024 - 10)}${key} end`))
  expect((await fetchPage(long)).output).not.toContain('sk-live')
})

it('ends with its run', async () => {
  const abort = new AbortController()
  const url = await serve(() => abort.abort(new Error('stopped')))
  await expect(fetchPage(url, onLoopback, abort.signal)).rejects.toThrow('stopped')
})

it('refuses a page whose Markdown would grow without limit, and converts only the beginning of a long one', async () => {
  const nested = `${'<blockquote>'.repeat(2_000)}${'a<br>'.repeat(20_000)}`
  const deep = await serve(page('text/html', nested))
  expect((await fetchPage(deep)).output).toContain('<blockquote><blockquote>')
  const long = await serve(page('text/html', `<h1>Title</h1>${'<p>word</p>'.repeat(60_000)}`))
  const { output } = await fetchPage(long)
  expect(output).toMatch(/^# Title\n\nword/)
  expect(output).toMatch(/\[the rest is left out\]$/)
})
