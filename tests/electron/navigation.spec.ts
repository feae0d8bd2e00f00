import type { ElectronApplication, Page } from '@playwright/test'
import { expect, firstPage, test } from './app.ts'

/** Keeps what the main process is asked about, and what it gives to the system's browser. */
async function watch(app: ElectronApplication, page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: 'Try the demo' })).toBeVisible()
  await app.evaluate(({ BrowserWindow, shell }) => {
    const seen = { refused: [] as string[], opened: [] as string[] }
    Object.assign(globalThis, { seen })
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    contents?.on('will-frame-navigate', (details) => {
      if (details.defaultPrevented) seen.refused.push(details.url)
    })
    shell.openExternal = async (url) => {
      seen.opened.push(url)
    }
  })
}

const seenBy = (app: ElectronApplication): Promise<{ refused: string[]; opened: string[] }> =>
  app.evaluate(() => (globalThis as unknown as { seen: never }).seen)

/** Puts a link at the top of everything in the window. */
async function addLink(page: Page, href: string, target = ''): Promise<void> {
  await page.evaluate(
    ([url, name]) => {
      const link = Object.assign(document.createElement('a'), { href: url, target: name })
      link.textContent = 'the link'
      link.style.cssText = 'position: fixed; top: 0; left: 0; z-index: 99999'
      document.body.append(link)
    },
    [href, target] as const,
  )
}

test('a page can’t lead the window away', async ({ launch }) => {
  // One of its own: a click of another test may be too short a while ago.
  const app = await launch()
  const page = await firstPage(app)
  await watch(app, page)
  const before = page.url()
  for (const [to, asked] of [
    ['https://evil.invalid/#there', 'https://evil.invalid/#there'],
    // Files of the app, but not its page: a script or an image can't be navigated to.
    ['/icon.svg', 'app://shiplog/icon.svg'],
  ] as const) {
    await page.evaluate((url) => {
      location.href = url
    }, to)
    await expect.poll(async () => (await seenBy(app)).refused).toContain(asked)
  }
  expect(page.url()).toBe(before)
  expect(await page.evaluate(() => 1 + 1)).toBe(2)
  // No click, so nothing that the system's browser should show.
  expect((await seenBy(app)).opened).toEqual([])
})

test('a page can’t open a window', async ({ standing: app, standingPage: page }) => {
  await watch(app, page)
  await page.evaluate(() => {
    window.open('https://evil.invalid/')
    window.open('app://shiplog/index.html')
    window.open('about:blank')
  })
  // A click is an event after those, so what they asked for has been answered when it is.
  await addLink(page, 'https://example.invalid/after', '_blank')
  await page.getByText('the link').click()
  await expect
    .poll(async () => (await seenBy(app)).opened)
    .toEqual(['https://example.invalid/after'])
  await expect.poll(() => app.windows().length).toBe(1)
  const windows = await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
  expect(windows).toBe(1)
})

test('a link that a user clicks opens in the system’s browser', async ({
  standing: app,
  standingPage: page,
}) => {
  await watch(app, page)
  const before = page.url()
  await addLink(page, 'https://example.invalid/report?a=1#b')
  await page.getByText('the link').click()
  await expect
    .poll(async () => (await seenBy(app)).opened)
    .toEqual(['https://example.invalid/report?a=1#b'])
  expect(page.url()).toBe(before)
})

test('a link that would start another program does nothing', async ({
  standing: app,
  standingPage: page,
}) => {
  await watch(app, page)
  for (const href of ['ssh://evil.invalid/', 'https://a:b@example.invalid/']) {
    await addLink(page, href, '_blank')
    const link = page.getByText('the link')
    await link.click()
    await link.evaluate((element) => element.remove())
  }
  await addLink(page, 'https://example.invalid/last', '_blank')
  await page.getByText('the link').click()
  await expect
    .poll(async () => (await seenBy(app)).opened)
    .toEqual(['https://example.invalid/last'])
})
