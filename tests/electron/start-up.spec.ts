import type { MenuItem } from 'electron'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { appOrigin, clientOf, expect, firstPage, isReal, test, waitMs } from './app.ts'

test('opens a window with the app in it, and more of them', async ({ launch }) => {
  const app = await launch()
  const page = await firstPage(app)
  await expect(page).toHaveTitle(/Shiplog/)
  // The first screen comes from the services, so it is there only once the port works.
  await expect(page.getByRole('button', { name: 'Try the demo' })).toBeVisible()
  const shown = await app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    return { url: window?.webContents.getURL(), visible: window?.isVisible() }
  })
  expect(shown.url).toMatch(new RegExp(`^${appOrigin}/index\\.html`))
  expect(shown.visible).toBe(true)
  await test.step('more windows, each with a port of its own', async () => {
    const second = app.waitForEvent('window', { timeout: waitMs })
    await app.evaluate(({ Menu }) => {
      const file = Menu.getApplicationMenu()?.items.find((item) => item.label === '&File')
      // Electron's items have a Menu for their submenu; those of the stand-in are the template's.
      const submenu = file?.submenu as unknown as { items?: MenuItem[] } & MenuItem[]
      const item = (submenu.items ?? submenu).find(({ label }) => label === 'New Window')
      if (!item) throw new Error('the File menu has no New Window')
      ;(item.click as () => void)()
    })
    await expect((await second).getByRole('button', { name: 'Try the demo' })).toBeVisible()
  })
})

test('hands a port over that answers calls, gives typed errors and streams a feed', {
  tag: '@soak',
}, async ({ launch, dataDir }) => {
  const client = await clientOf(await launch())
  expect(await client.app.info()).toMatchObject({ host: 'desktop', dataDir, canPickFolder: true })
  const feed = await client.feed.ledger()
  expect((await feed.next()).value).toMatchObject({ type: 'snapshot', state: { projects: [] } })
  await feed.return()
  await expect(client.tasks.report({ taskId: 'ffffffff' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    data: { what: 'task', id: 'ffffffff' },
  })
})

test('shows the system’s folder dialog for the page, and a transcript in a window of its own', async ({
  standing: app,
  dir,
}) => {
  const client = await clientOf(app)
  await app.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] })
  }, dir)
  expect(await client.app.pickFolder()).toEqual({ dir })
  await app.evaluate(({ dialog }) => {
    dialog.showOpenDialog = async () => ({ canceled: true, filePaths: [] })
  })
  expect(await client.app.pickFolder()).toEqual({ dir: null })

  const taskId = '3f0c9d3e-5b1a-4a2b-9c7d-0123456789ab' as TaskId
  const opened = app.waitForEvent('window')
  expect(await client.app.openWindow({ taskId, seq: 7 })).toEqual({ opened: true })
  const page = await opened
  await expect.poll(() => page.url()).toContain(`#/transcript/${taskId}?seq=7`)
  await expect(page.getByText(/^No task /)).toBeVisible()
  await page.close()
})

test('a page that is loaded again is connected again', async ({
  standing: app,
  standingPage: page,
}) => {
  const demo = page.getByRole('button', { name: 'Try the demo' })
  await expect(demo).toBeVisible()
  await Promise.all([
    page.waitForEvent('load'),
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.reload()),
  ])
  await expect(demo).toBeVisible()
})

test('remembers the place and the zoom of its window, and the place of a transcript’s', {
  tag: '@soak',
}, async ({ launch }) => {
  test.skip(isReal, 'a window manager may put a window elsewhere')
  const taskId = '3f0c9d3e-5b1a-4a2b-9c7d-0123456789ab' as TaskId
  const main = { x: 120, y: 80, width: 1000, height: 700 }
  const transcript = { x: 900, y: 60, width: 800, height: 900 }
  const withTranscript = async () => {
    const app = await launch()
    const client = await clientOf(app)
    const opened = app.waitForEvent('window')
    await client.app.openWindow({ taskId, seq: 1 })
    await expect.poll(async () => (await opened).url()).toContain('#/transcript/')
    return app
  }
  const app = await withTranscript()
  await app.evaluate(
    ({ BrowserWindow }, places) => {
      for (const window of BrowserWindow.getAllWindows()) {
        const isMain = !window.webContents.getURL().includes('#/transcript/')
        window.setBounds(isMain ? places.main : places.transcript)
        if (isMain) window.webContents.setZoomFactor(1.5)
      }
    },
    { main, transcript },
  )
  await app.close()
  const again = await withTranscript()
  const restored = await again.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((window) => ({
      ...window.getNormalBounds(),
      zoom: window.webContents.getZoomFactor(),
    })),
  )
  expect(restored).toEqual([
    { ...main, zoom: 1.5 },
    { ...transcript, zoom: 1 },
  ])
})
