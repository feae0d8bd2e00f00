/** The page and its host: the token, a lost connection, and a host that was started again. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, start, test } from './app.ts'
import { composer, conversation, openAt, row, transcript } from './places.ts'
import { gatedScenario, talkScenario } from './scenarios.ts'

test('without the right token nothing is shown, and the page gives advice', async ({
  app,
  faults,
  page,
}) => {
  const host = await app.serve()
  await host.client.projects.add({ dir: await app.repository('parser') })
  await page.goto(`${host.origin}/#token=wrong`)
  await expect(page.getByText(/^This link has expired/)).toBeVisible()
  await expect(page.getByRole('tree')).toHaveCount(0)

  await page.evaluate(() => sessionStorage.clear())
  await page.goto('about:blank')
  await page.goto(host.origin)
  await expect(page.getByText(/^This link is incomplete/)).toBeVisible()
  await expect(page.getByRole('tree')).toHaveCount(0)

  await page.goto('about:blank')
  await openAt(page, host)
  await expect(row(page, 'parser')).toBeVisible()
  await expect(page).not.toHaveURL(/token/)
  expect(await page.title()).not.toContain('token')
  await test.step('the whole URL, pasted into the tab that has no token or an old one, is all that it takes', async () => {
    await page.evaluate(() => sessionStorage.clear())
    await page.goto('about:blank')
    // As the address bar does it: only what is after the # changes, so the page is not loaded again.
    const paste = (url: string) => page.evaluate((pasted) => window.location.assign(pasted), url)
    await page.goto(`${host.origin}/`)
    await expect(page.getByText(/^This link is incomplete/)).toBeVisible()
    await paste(`${host.origin}/#token=wrong`)
    await expect(page.getByText(/^This link has expired/)).toBeVisible()
    await paste(`${host.url}&to=/settings`)
    await expect(page.getByRole('heading', { name: 'Data directory' })).toBeVisible()
    await expect(row(page, 'parser')).toBeVisible()
    await expect(page).toHaveURL(`${host.origin}/#/settings`)

    await test.step('also in the field of the page, which rejects a line without a token', async () => {
      await page.evaluate(() => sessionStorage.clear())
      await page.goto('about:blank')
      await page.goto(`${host.origin}/#/settings`)
      const field = page.getByRole('textbox', { name: 'Link or token' })
      await field.fill(`${host.origin}/`)
      await page.getByRole('button', { name: 'Open' }).click()
      await expect(page.getByText('There is no token in this.', { exact: false })).toBeVisible()
      await field.fill(` ${host.url}\n`)
      await field.press('Enter')
      await expect(page.getByRole('heading', { name: 'Data directory' })).toBeVisible()
      await expect(page).toHaveURL(`${host.origin}/#/settings`)
    })
  })
  await test.step('[K7] a code opens one page, once', async () => {
    await page.evaluate(() => sessionStorage.clear())
    await page.goto('about:blank')
    await page.goto(`${host.origin}/#code=${'x'.repeat(43)}`)
    await expect(page.getByText(/^This link is incomplete/)).toBeVisible()
    await expect(page).not.toHaveURL(/code/)
  })
  faults.expected(/WebSocket connection|403/)
})

test('a copied link opens in another tab of the browser, and without one the printed URL leads to it', {
  tag: '@soak',
}, async ({ finished, page, browser }) => {
  const { host } = finished
  const { id, title } = finished.task('Cover the parser')
  const link = `${host.origin}/#/t/${id}`
  await openAt(page, host)
  await expect(row(page, 'parser').first()).toBeVisible()
  await test.step('in a tab beside one that is open', async () => {
    const other = await page.context().newPage()
    await other.goto(link)
    await expect(conversation(other).getByRole('heading', { level: 1 })).toHaveText(title)
    await expect(other).toHaveURL(link)
    await other.reload()
    await expect(conversation(other).getByRole('heading', { level: 1 })).toHaveText(title)
    await other.close()
  })
  await test.step('in another browser', async () => {
    const context = await browser.newContext()
    const stranger = await context.newPage()
    await stranger.goto(link)
    await expect(stranger.getByText(/^This link is incomplete/)).toBeVisible()
    await stranger.evaluate((url) => window.location.assign(url), host.url)
    await expect(conversation(stranger).getByRole('heading', { level: 1 })).toHaveText(title)
    await context.close()
  })
})

test('a lost connection is reported, loaded data stays, and the feeds continue where they were', {
  tag: '@soak',
}, async ({ app, page }) => {
  const sockets: { close(): Promise<void> }[] = []
  let reachable = true
  await page.routeWebSocket(/\/rpc$/, (socket) => {
    if (!reachable) return socket.close({ code: 1001 })
    socket.connectToServer()
    sockets.push({ close: () => socket.close({ code: 1001 }) })
  })
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const lead = app.gate('lead')
  const helper = app.gate('helper')
  const scenario = gatedScenario({ lead: lead.command, helper: helper.command })
  const { taskId } = await start(host, project, scenario)
  await openAt(page, host, `/t/${taskId}`)
  const talk = conversation(page)
  await helper.reached()
  await expect(talk.getByRole('article', { name: 'Task: Help along' })).toBeVisible()

  await talk.getByRole('button', { name: 'View transcript of Help along' }).click()
  const dialog = transcript(page, 'Help along')
  await expect(dialog.getByText('· live')).toBeVisible()
  reachable = false
  for (const socket of sockets) await socket.close()
  await test.step('the dialog that lies over the window says so as well', async () => {
    await expect(dialog.getByText('Connection lost. Reconnecting…')).toBeVisible()
    await expect(dialog.getByText('when last seen')).toBeVisible()
    await expect(dialog.getByText('· live')).toBeHidden()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  })
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeVisible()
  await expect(talk.getByRole('article', { name: 'Task: Help along' })).toBeVisible()
  await helper.open()
  await lead.open()
  await expect
    .poll(async () => (await host.client.tasks.list({ all: true })).tasks[0]?.status)
    .toBe('completed')
  await expect(row(page, 'Do it').getByRole('img', { name: 'Running' })).toBeVisible()

  reachable = true
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeHidden()
  await expect(row(page, 'Do it').getByRole('img', { name: 'Completed' })).toBeVisible()
  await expect(talk.getByRole('heading', { name: 'Done together' })).toBeVisible()
  // Each entry once, although the feed was opened twice.
  await expect(talk.getByText('I ask a helper and keep working.')).toHaveCount(1)
})

test('[K7] after the host was killed and started again, an open page reconnects by itself, and its link is valid', {
  tag: '@soak',
}, async ({ app, faults, page }) => {
  const before = await app.serve()
  const project = await before.client.projects.add({ dir: await app.repository('parser') })
  const { taskId } = await start(before, project, talkScenario, 'Hello')
  await openAt(page, before, `/t/${taskId}`)
  const said = conversation(page).getByText('You said: Hello.')
  await expect(said).toBeVisible()
  // Until its run has ended, rows still come.
  await expect(row(page, 'Hello').getByRole('img', { name: 'Completed' })).toBeVisible()
  const place = await said.boundingBox()
  await before.kill()
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeVisible()
  expect(await said.boundingBox()).toEqual(place)
  // Only while nobody is there: once the host is back, the page may find it sooner than a click comes.
  await page.getByRole('button', { name: 'Try now' }).click()

  const host = await app.serve()
  expect(host.port).toBe(before.port)
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeHidden()
  await composer(page).fill('Go on')
  await composer(page).press('Control+Enter')
  await expect(conversation(page).getByText('Go on', { exact: true })).toBeVisible()

  await page.goto('about:blank')
  await openAt(page, before, `/t/${taskId}`)
  await expect(said).toBeVisible()
  await test.step('a page that the host does not know any more keeps what it shows, and offers a field for the link', async () => {
    await host.kill()
    await app.forgetPages()
    const again = await app.serve({ port: host.port })
    await expect(page.getByText(/What is shown may be out of date/)).toBeVisible()
    await expect(said).toBeVisible()
    await page.getByRole('button', { name: 'Enter the link' }).click()
    await page.getByRole('textbox', { name: 'Link or token' }).fill(again.url)
    await page.getByRole('button', { name: 'Open' }).click()
    await expect(said).toBeVisible()
  })
  faults.expected(/WebSocket connection/)
})

test('removes a service worker of another program that used this port before', {
  tag: '@soak',
}, async ({ app, faults, page }) => {
  const before = createServer((request, response) => {
    const isScript = request.url === '/worker.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? passingWorker : '<!doctype html><title>Another program</title>')
  })
  await new Promise<void>((resolve) => before.listen(0, '127.0.0.1', resolve))
  const { port } = before.address() as AddressInfo
  await page.goto(`http://127.0.0.1:${port}/`)
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/worker.js')
    if (!navigator.serviceWorker.controller)
      await new Promise((resolve) => {
        navigator.serviceWorker.addEventListener('controllerchange', resolve)
      })
  })
  before.closeAllConnections()
  await new Promise((resolve) => before.close(resolve))

  const host = await app.serve({ port })
  await host.client.projects.add({ dir: await app.repository('parser') })
  await page.goto('about:blank')
  await openAt(page, host, '/settings')
  await expect(page.getByRole('heading', { name: 'Data directory' })).toBeVisible()
  await expect
    .poll(() =>
      page.evaluate(async () => [
        navigator.serviceWorker.controller,
        (await navigator.serviceWorker.getRegistrations()).length,
      ]),
    )
    .toEqual([null, 0])
  // The browser looked for a newer worker.
  faults.expected(/404/)
})

/** It sees every request of its origin and answers from the network. */
const passingWorker = `
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('fetch', (event) => event.respondWith(fetch(event.request)))
`
