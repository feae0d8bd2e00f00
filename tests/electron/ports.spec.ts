import type { ElectronApplication, Page } from '@playwright/test'
import { clientOver, expect, firstPage, lead, quietAddress, test, waitMs } from './app.ts'

/** Asks for a port as the page would, and tells how it fares: a call that is answered, or a closed port. */
function tryPort(page: Page): Promise<'answered' | 'closed'> {
  return page.evaluate(async () => {
    const outcome = Promise.withResolvers<'answered' | 'closed'>()
    window.addEventListener('message', (event) => {
      const [port] = event.ports
      if (event.data?.type !== 'shiplog-port' || !port) return
      Object.assign(window, { keptPort: port })
      port.addEventListener('close', () => outcome.resolve('closed'))
      port.addEventListener('message', () => outcome.resolve('answered'))
      port.start()
      // `app.info`, as ORPC puts it on the wire.
      port.postMessage(JSON.stringify({ i: '1', p: { u: '/app/info' } }))
    })
    window.postMessage({ type: 'shiplog-connect' }, location.origin)
    return outcome.promise
  })
}

/** A window that is not the app's, with the app's own preload in it. */
async function openForeignWindow(app: ElectronApplication, url: string): Promise<Page> {
  await firstPage(app)
  const opened = app.waitForEvent('window', { timeout: waitMs })
  await app.evaluate(async ({ app: electronApp, BrowserWindow }, address) => {
    const preload = `${electronApp.getAppPath()}/out/preload/index.cjs`
    const window = new BrowserWindow({ webPreferences: { preload, sandbox: true } })
    await window.loadURL(address)
  }, url)
  const page = await opened
  await page.waitForURL((shown) => shown.pathname === new URL(url).pathname)
  return page
}

test('a port of the app’s own page is answered', async ({ standing }) => {
  expect(await tryPort(await lead(standing, await quietAddress()))).toBe('answered')
})

test('a port of a window that the app did not make is refused', async ({ launch }) => {
  const app = await launch()
  expect(await tryPort(await openForeignWindow(app, await quietAddress()))).toBe('closed')
})

test('a port of the app’s own window is refused when it shows another page', async ({ launch }) => {
  const app = await launch()
  await firstPage(app)
  await app.evaluate(({ ipcMain }) => {
    const outcome = Promise.withResolvers<string>()
    Object.assign(globalThis, { portOutcome: outcome.promise })
    ipcMain.prependListener('orpc-port', (event: Electron.IpcMainEvent) => {
      const origin = event.senderFrame?.origin
      if (origin === 'app://shiplog') return // of the app's page, which was there before
      event.ports[0]?.on('close', () => outcome.resolve(`closed for ${origin}`))
    })
  })
  const page = await lead(app, 'data:text/html,<p>elsewhere</p>')
  // The preload can't answer an opaque origin; by then the main process has been asked.
  await page.evaluate(() => window.postMessage({ type: 'shiplog-connect' }, '*'))
  const outcome = await app.evaluate(
    () => (globalThis as unknown as { portOutcome: Promise<string> }).portOutcome,
  )
  expect(outcome).toBe('closed for null')
})

test('an iframe gets no port, neither by asking nor by posting one', async ({ launch }) => {
  const app = await launch()
  const page = await lead(app, await quietAddress())
  await app.evaluate(({ ipcMain }) => {
    Object.assign(globalThis, { portsSent: 0 })
    ipcMain.on('orpc-port', () => {
      ;(globalThis as unknown as { portsSent: number }).portsSent++
    })
  })
  await page.evaluate(() => document.body.append(document.createElement('iframe')))
  const frame = page.frames().find((candidate) => candidate !== page.mainFrame())
  if (!frame) throw new Error('the iframe has not come to be')
  expect(await frame.evaluate(() => 'shiplog' in window)).toBe(false)
  const portsGiven = page.evaluate(async () => {
    let ports = 0
    const heard = Promise.withResolvers<void>()
    window.addEventListener('message', (event) => {
      if (event.data?.type === 'shiplog-port') ports++
      // An answer to the frame's question would have been posted by the first, and come before the second.
      if (event.data === 'first') window.postMessage('second', location.origin)
      if (event.data === 'second') heard.resolve()
    })
    Object.assign(window, { isListening: true })
    await heard.promise
    return ports
  })
  await page.waitForFunction(() => 'isListening' in window)
  await frame.evaluate(() => {
    parent.postMessage({ type: 'shiplog-connect' }, '*')
    parent.postMessage('first', '*')
  })
  expect(await portsGiven).toBe(0)
  expect(await tryPort(page)).toBe('answered')
  const sent = await app.evaluate(() => (globalThis as unknown as { portsSent: number }).portsSent)
  expect(sent).toBe(1)

  // A frame that got hold of the channel nevertheless.
  const outcome = await app.evaluate(async ({ BrowserWindow, ipcMain, MessageChannelMain }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    const { port1, port2 } = new MessageChannelMain()
    const answer = Promise.withResolvers<string>()
    port2.on('message', () => answer.resolve('answered'))
    port2.on('close', () => answer.resolve('closed'))
    port2.start()
    port2.postMessage(JSON.stringify({ i: '1', p: { u: '/app/info' } }))
    const senderFrame = contents?.mainFrame.frames[0]
    if (!senderFrame) return 'no frame'
    ipcMain.emit('orpc-port', { sender: contents, senderFrame, ports: [port1] })
    return answer.promise
  })
  expect(outcome).toBe('closed')
})

test('a page that asks twice is given one port', { tag: '@soak' }, async ({ standing }) => {
  const page = await lead(standing, await quietAddress())
  const given = await page.evaluate(async () => {
    let ports = 0
    const heard = Promise.withResolvers<void>()
    window.addEventListener('message', (event) => {
      if (event.data?.type === 'shiplog-port') ports++
      // Answers to both questions have been posted by the first of these, and come before the second.
      if (event.data === 'first') window.postMessage('second', location.origin)
      if (event.data === 'second') heard.resolve()
    })
    window.postMessage({ type: 'shiplog-connect' }, location.origin)
    window.postMessage({ type: 'shiplog-connect' }, location.origin)
    window.postMessage('first', location.origin)
    await heard.promise
    return ports
  })
  expect(given).toBe(1)
})

test('what a page asked for ends when the page is gone', { tag: '@soak' }, async ({ launch }) => {
  const app = await launch()
  await firstPage(app)
  await app.evaluate(({ ipcMain }) => {
    const closed = Promise.withResolvers<void>()
    Object.assign(globalThis, { portClosed: closed.promise })
    ipcMain.on('orpc-port', (event: Electron.IpcMainEvent) => {
      event.ports[0]?.on('close', () => closed.resolve())
    })
  })
  const page = await lead(app, await quietAddress())
  const client = await clientOver(page)
  const feed = await client.feed.ledger()
  await feed.next()
  await lead(app, 'app://shiplog/index.html')
  await app.evaluate(() => (globalThis as unknown as { portClosed: Promise<void> }).portClosed)
  await expect(page.getByRole('button', { name: 'Try the demo' })).toBeVisible()
})

test('a message that is no call does not end the app', async ({ standing }) => {
  const page = await lead(standing, await quietAddress())
  expect(await tryPort(page)).toBe('answered')
  const answered = await page.evaluate(async () => {
    const { keptPort: port } = window as unknown as { keptPort: MessagePort }
    const answer = Promise.withResolvers<string>()
    port.addEventListener('message', (event) => answer.resolve(JSON.parse(event.data).i))
    port.postMessage('{"not": "a call"')
    port.postMessage(null)
    port.postMessage(JSON.stringify({ i: '2', p: { u: '/app/info' } }))
    return answer.promise
  })
  expect(answered).toBe('2')
})
