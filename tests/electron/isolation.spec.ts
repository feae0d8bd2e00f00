import { appOrigin, expect, lead, quietAddress, test } from './app.ts'

test('the page has no Node, and of the preload two words and one function', async ({
  standingPage: page,
}) => {
  const found = await page.evaluate(() => ({
    node: ['require', 'process', 'module', 'Buffer', 'global', 'electron', 'ipcRenderer'].filter(
      (name) => name in window,
    ),
    exposed: Object.entries((window as unknown as { shiplog: object }).shiplog).map(
      ([name, value]) => [name, typeof value === 'function' ? value(new File([], 'a')) : value],
    ),
    frozen: Object.isFrozen((window as unknown as { shiplog: object }).shiplog),
  }))
  expect(found.node).toEqual([])
  expect(found.exposed).toEqual([
    ['host', 'desktop'],
    ['platform', process.platform],
    ['pathOf', ''], // of a file in memory
  ])
  expect(found.frozen).toBe(true)
})

test('what the page does to its own globals does not reach the preload', async ({ launch }) => {
  const app = await launch()
  const page = await lead(app, await quietAddress())
  const port = await page.evaluate(async () => {
    // In a shared world the preload would now make its channel with this, and hand it to the page.
    const stolen: unknown[] = []
    const RealChannel = MessageChannel
    Object.assign(window, {
      MessageChannel: class extends RealChannel {
        constructor() {
          super()
          stolen.push(this.port1)
        }
      },
    })
    const given = Promise.withResolvers<boolean>()
    window.addEventListener('message', (event) => {
      if (event.data?.type === 'shiplog-port') given.resolve(event.ports[0] instanceof MessagePort)
    })
    window.postMessage({ type: 'shiplog-connect' }, location.origin)
    return { given: await given.promise, stolen: stolen.length }
  })
  expect(port).toEqual({ given: true, stolen: 0 })
})

test.describe('the content-security policy', () => {
  test('comes with every file of the app', async ({ standingPage: page }) => {
    const policies = await page.evaluate(async () => {
      const scripts = [...document.querySelectorAll('script')].map((script) => script.src)
      const answers = await Promise.all(['/', '/missing.js', ...scripts].map((url) => fetch(url)))
      return answers.map((answer) => answer.headers.get('content-security-policy'))
    })
    expect(policies.length).toBeGreaterThan(2)
    for (const policy of policies) {
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self';")
    }
  })

  test('lets no inline script run and nothing be fetched from elsewhere', async ({
    standingPage: page,
  }) => {
    const violated = await page.evaluate(async () => {
      const reported: string[] = []
      const all = Promise.withResolvers<void>()
      document.addEventListener('securitypolicyviolation', (event) => {
        reported.push(event.effectiveDirective)
        if (reported.length === 4) all.resolve()
      })
      const add = (name: string, attributes: Record<string, string>) => {
        const element = document.createElement(name)
        for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
        document.body.append(element)
        return element
      }
      const script = document.createElement('script')
      script.textContent = 'window.inlineScriptRan = true'
      document.body.append(script)
      add('img', { src: 'https://tracker.invalid/pixel.png' })
      add('iframe', { src: 'https://frame.invalid/' })
      fetch('https://elsewhere.invalid/').catch(() => {})
      await all.promise
      return { reported: reported.sort(), ran: 'inlineScriptRan' in window }
    })
    expect(violated).toEqual({
      reported: ['connect-src', 'frame-src', 'img-src', 'script-src-elem'],
      ran: false,
    })
  })
})

test('serves the renderer’s files and no others', async ({ standingPage: page }) => {
  const statuses = await page.evaluate(async () => {
    const get = async (path: string) => (await fetch(path)).status
    return {
      page: await get('/index.html'),
      outside: await get('/..%2fmain%2findex.js'),
      missing: await get('/package.json'),
    }
  })
  expect(statuses).toEqual({ page: 200, outside: 400, missing: 404 })
})

test('answers for its own host alone', async ({ standing, standingPage: page }) => {
  const failed = await standing.evaluate(async ({ BrowserWindow }) => {
    const other = new BrowserWindow({ show: false })
    await other.loadURL('app://elsewhere/index.html').catch(() => {})
    const title = other.webContents.getURL()
    other.destroy()
    return title
  })
  expect(failed).not.toContain(appOrigin)
  await expect(page).toHaveTitle(/Shiplog/)
})

test.describe('permissions', () => {
  test('are denied', async ({ standingPage: page }) => {
    const denied = await page.evaluate(async () => {
      const state = async (name: string) =>
        (await navigator.permissions.query({ name: name as PermissionName })).state
      const located = Promise.withResolvers<string>()
      navigator.geolocation.getCurrentPosition(
        () => located.resolve('found'),
        (error) => located.resolve(`error ${error.code}`),
      )
      return {
        geolocation: await located.promise,
        camera: await state('camera'),
        clipboardRead: await state('clipboard-read'),
      }
    })
    expect(denied).toEqual({
      geolocation: 'error 1',
      camera: 'denied',
      clipboardRead: 'denied',
    })
  })

  test('but to copy text, which buttons of the page do', async ({ standingPage: page }) => {
    await page.bringToFront()
    await expect(page.getByRole('button', { name: 'Try the demo' })).toBeVisible()
    await page.locator('body').click({ position: { x: 2, y: 2 } })
    expect(await page.evaluate(() => navigator.clipboard.writeText('copied'))).toBeUndefined()
  })

  test('but to notify, which only the page of the app can', async ({ standingPage: page }) => {
    expect(await page.evaluate(() => Notification.requestPermission())).toBe('granted')
  })
})
