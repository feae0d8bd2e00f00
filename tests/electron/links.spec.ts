import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appDir, executablePath, expect, firstPage, test } from './app.ts'

/** Starts the app as a user or the system would, with no debugger; resolves to its exit code. */
async function startAnother(
  environment: Record<string, string>,
  dataDir: string,
  args: string[] = [],
): Promise<number> {
  const sandbox = process.platform === 'linux' ? ['--no-sandbox'] : []
  const child = spawn(executablePath, [...sandbox, appDir, ...args], {
    env: { ...environment, SHIPLOG_DATA_DIR: dataDir },
    stdio: 'ignore',
  })
  const [code] = await once(child, 'exit')
  return code
}

test('what is started a second time, and links, come to the window that is there', async ({
  launch,
  environment,
  dataDir,
}) => {
  const app = await launch()
  const page = await firstPage(app)
  await expect(page.getByRole('button', { name: 'Try the demo' })).toBeVisible()
  await test.step('starting it again shows the window', async () => {
    await app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows()
      const focused = Promise.withResolvers<void>()
      Object.assign(globalThis, { focused: focused.promise })
      if (!window) throw new Error('no window')
      // A window manager may refuse the focus; what counts is that it was asked for.
      const focus = window.focus.bind(window)
      window.focus = () => {
        focus()
        focused.resolve()
      }
      window.minimize()
    })
    expect(await startAnother(environment, dataDir)).toBe(0)
    await app.evaluate(() => (globalThis as unknown as { focused: Promise<void> }).focused)
    const windows = await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.isMinimized()),
    )
    expect(windows).toEqual([false])
  })
  await test.step('a link given to a second instance is shown by the first, without a reload', async () => {
    await page.evaluate(() => Object.assign(window, { notReloaded: true }))
    const id = randomUUID()
    expect(await startAnother(environment, dataDir, [`shiplog://t/${id}`])).toBe(0)
    await expect.poll(() => page.evaluate(() => location.hash)).toBe(`#/t/${id}`)
    expect(await page.evaluate(() => 'notReloaded' in window)).toBe(true)
  })
  await test.step('what a second instance is given besides a link is not looked at', async () => {
    const before = await page.evaluate(() => location.href)
    for (const link of ['shiplog://settings', 'shiplog://t/../x', 'https://evil.invalid/']) {
      expect(await startAnother(environment, dataDir, [link])).toBe(0)
    }
    // A good one afterwards: once it is shown, those before it have been dealt with.
    const seen = await page.evaluate(() => {
      const hashes: string[] = []
      addEventListener('hashchange', () => hashes.push(location.hash))
      Object.assign(window, { hashes })
      return location.href
    })
    expect(seen).toBe(before)
    const id = randomUUID()
    await startAnother(environment, dataDir, [`shiplog://t/${id}`])
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { hashes: string[] }).hashes))
      .toEqual([`#/t/${id}`])
  })
  await test.step('a link that macOS hands over is shown', async () => {
    const id = randomUUID()
    const prevented = await app.evaluate(({ app: electronApp }, link) => {
      let taken = false
      const event = {
        preventDefault: () => {
          taken = true
        },
      }
      electronApp.emit('open-url', event, link)
      return taken
    }, `shiplog://t/${id}`)
    expect(prevented).toBe(true)
    await expect.poll(() => page.evaluate(() => location.hash)).toBe(`#/t/${id}`)
  })
})

test('a link that it is started with is what it opens on', { tag: '@soak' }, async ({ launch }) => {
  const id = randomUUID()
  const app = await launch({ args: [`shiplog://t/${id}`] })
  const page = await firstPage(app)
  await expect.poll(() => page.evaluate(() => location.hash)).toBe(`#/t/${id}`)
})

test('two data directories are two apps', { tag: '@soak' }, async ({ launch, dir }) => {
  const first = await launch()
  const second = await launch({ dataDir: `${dir}/other data` })
  for (const app of [first, second]) {
    await expect((await firstPage(app)).getByRole('button', { name: 'Try the demo' })).toBeVisible()
  }
})
