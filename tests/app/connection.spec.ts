/** The page and its host: the token, a lost connection, and a host that was started again. */
import { expect, start, test } from './app.ts'
import { composer, conversation, openAt, row, transcript, tree } from './places.ts'
import { gatedScenario, talkScenario } from './scenarios.ts'

test('without the right token nothing is shown, and the page says what to do', async ({
  app,
  faults,
  page,
}) => {
  const host = await app.serve()
  await host.client.projects.add({ dir: await app.repository('parser') })
  await page.goto(`${host.origin}/#token=wrong`)
  await expect(page.getByText(/^This address has an old token/)).toBeVisible()
  await expect(page.getByRole('tree')).toHaveCount(0)

  await page.evaluate(() => sessionStorage.clear())
  await page.goto('about:blank')
  await page.goto(host.origin)
  await expect(page.getByText(/^This address has no token/)).toBeVisible()
  await expect(page.getByRole('tree')).toHaveCount(0)

  await page.goto('about:blank')
  await openAt(page, host)
  await expect(row(page, 'parser')).toBeVisible()
  expect(page.url()).not.toContain('token')
  expect(await page.title()).not.toContain('token')
  faults.expected(/WebSocket connection/)
})

test('the whole URL, pasted into the tab that has no token or an old one, is all that it takes', async ({
  app,
  faults,
  page,
}) => {
  const host = await app.serve()
  await host.client.projects.add({ dir: await app.repository('parser') })
  // As the address bar does it: only what is after the # changes, so the page is not loaded again.
  const paste = (url: string) => page.evaluate((pasted) => window.location.assign(pasted), url)
  await page.goto(`${host.origin}/`)
  await expect(page.getByText(/^This address has no token/)).toBeVisible()
  await paste(`${host.origin}/#token=wrong`)
  await expect(page.getByText(/^This address has an old token/)).toBeVisible()
  await paste(`${host.url}&to=/settings`)
  await expect(page.getByText('Data directory')).toBeVisible()
  await expect(row(page, 'parser')).toBeVisible()
  expect(page.url()).toBe(`${host.origin}/#/settings`)

  await test.step('also in a tab that shows what an earlier host had', async () => {
    await host.kill()
    const next = await app.serve({ port: host.port })
    await expect(page.getByText(/^Shiplog was started again and has a new token/)).toBeVisible()
    await paste(next.url)
    await expect(page.getByText(/has a new token/)).toBeHidden()
    await expect(row(page, 'parser')).toBeVisible()
  })
  faults.expected(/WebSocket connection/)
})

test('a copied link opens in another tab of the browser, and without one the printed URL leads to it', async ({
  finished,
  page,
  browser,
}) => {
  const { host } = finished
  const { id, title } = finished.task('Cover the parser')
  const link = `${host.origin}/#/t/${id}`
  await openAt(page, host)
  await expect(row(page, 'parser').first()).toBeVisible()
  await test.step('in a tab beside one that is open', async () => {
    const other = await page.context().newPage()
    await other.goto(link)
    await expect(conversation(other).getByRole('heading', { level: 1 })).toHaveText(title)
    expect(other.url()).toBe(link)
    await other.reload()
    await expect(conversation(other).getByRole('heading', { level: 1 })).toHaveText(title)
    await other.close()
  })
  await test.step('in another browser', async () => {
    const context = await browser.newContext()
    const stranger = await context.newPage()
    await stranger.goto(link)
    await expect(stranger.getByText(/^This address has no token/)).toBeVisible()
    await stranger.evaluate((url) => window.location.assign(url), host.url)
    await expect(conversation(stranger).getByRole('heading', { level: 1 })).toHaveText(title)
    await context.close()
  })
})

test('a lost connection is said, what was loaded stays, and the feeds go on where they were', async ({
  app,
  page,
}) => {
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

test('after the host was killed and started again on its port, the page says that it needs the new URL', async ({
  app,
  faults,
  page,
}) => {
  const before = await app.serve()
  const project = await before.client.projects.add({ dir: await app.repository('parser') })
  const { taskId } = await start(before, project, talkScenario, 'Hello')
  await openAt(page, before, `/t/${taskId}`)
  await expect(conversation(page).getByText('You said: Hello.')).toBeVisible()
  await before.kill()
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeVisible()

  const host = await app.serve({ port: before.port })
  await expect(page.getByText(/^Shiplog was started again and has a new token/)).toBeVisible()
  await expect(conversation(page).getByText('You said: Hello.')).toBeVisible()
  await composer(page).fill('Go on')
  await expect(conversation(page).getByText(/The connection is lost/)).toBeHidden()
  await expect(
    conversation(page).getByText('Shiplog was started again. Open the URL that it printed.'),
  ).toBeVisible()

  await page.goto('about:blank')
  await openAt(page, host, `/t/${taskId}`)
  await expect(conversation(page).getByText('You said: Hello.')).toBeVisible()
  await expect(tree(page).getByRole('treeitem')).toHaveCount(2)
  faults.expected(/WebSocket connection/)
})
