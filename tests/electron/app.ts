/** Starts the built app under the real Electron or under the stand-in, and talks to it as a page does. */
import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import {
  test as base,
  type ElectronApplication,
  _electron as electron,
  type Page,
} from '@playwright/test'
import type { ShiplogClient } from '../../src/shared/contract/index.ts'

const realExecutable = process.env.SHIPLOG_ELECTRON_EXECUTABLE
/** True: the specs run on Electron itself. */
export const isReal = realExecutable !== undefined
export const executablePath =
  realExecutable ?? fileURLToPath(new URL('./standin/electron', import.meta.url))

/** The folder of package.json, whose `main` is the built main bundle. */
export const appDir = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
export const appOrigin = 'app://shiplog'

/** Playwright's own half minute is too short to start an app on a busy machine. */
export const waitMs = 180_000

interface LaunchOptions {
  /** After the app's folder. */
  args?: string[]
  dataDir?: string
}

interface Fixtures {
  /** A new folder, gone afterwards. */
  dir: string
  /** A data directory in it, which every launch uses unless told otherwise. */
  dataDir: string
  environment: Record<string, string>
  /** Whatever it starts has ended when the test has. */
  launch(options?: LaunchOptions): Promise<ElectronApplication>
}

interface WorkerFixtures {
  /** An app for all tests of a worker that only look at it: starting one costs two seconds. */
  standing: ElectronApplication
}

export const test = base.extend<Fixtures & { standingPage: Page }, WorkerFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
  dir: async ({}, use) => inNewFolder(use),
  dataDir: async ({ dir }, use) => use(join(dir, 'data')),
  environment: async ({ dir }, use) => use(environmentIn(dir)),
  launch: async ({ dataDir, environment }, use) => launching(environment, dataDir, use),
  standing: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) =>
      inNewFolder((dir) =>
        launching(environmentIn(dir), join(dir, 'data'), async (launch) => use(await launch())),
      ),
    { scope: 'worker' },
  ],
  // Loaded again: nothing of what a test did in it is left for the next.
  standingPage: async ({ standing }, use) => {
    await use(await lead(standing, `${appOrigin}/index.html`))
  },
})

async function inNewFolder(use: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'shiplog-electron-'))
  await use(dir)
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
}

const environmentIn = (dir: string): Record<string, string> => ({
  ...(process.env as Record<string, string>),
  XDG_CONFIG_HOME: join(dir, 'config'),
  STANDIN_NODE: process.execPath,
})

/** Whatever was launched has ended when it resolves. */
async function launching(
  environment: Record<string, string>,
  dataDir: string,
  use: (launch: Fixtures['launch']) => Promise<void>,
): Promise<void> {
  const launched: { app: ElectronApplication; child: ChildProcess; ended: Promise<unknown> }[] = []
  await use(async ({ args = [], dataDir: otherDir } = {}) => {
    const app = await electron.launch({
      executablePath,
      args: [appDir, ...args],
      env: { ...environment, SHIPLOG_DATA_DIR: otherDir ?? dataDir },
      timeout: waitMs,
    })
    app.context().setDefaultTimeout(waitMs)
    const child = app.process()
    launched.push({ app, child, ended: once(child, 'exit') })
    return app
  })
  for (const { app, child, ended } of launched) {
    if (child.exitCode === null && child.signalCode === null) {
      // Agents may still be at work, and a question would wait for somebody to answer it.
      await answerQuestions(app, 'Interrupt and quit').catch(() => {})
      await app.close().catch(() => {}) // it may have been ending by itself
    }
    await ended // or it could still write into the folder that goes next
  }
}

export { expect } from '@playwright/test'

/** Answers every message box from now on with the button of that label; keeps what was asked. */
export function answerQuestions(app: ElectronApplication, label: string): Promise<void> {
  return app.evaluate(({ dialog }, wanted) => {
    const asked: string[] = []
    Object.assign(globalThis, { askedQuestions: asked })
    dialog.showMessageBox = async (...args: unknown[]) => {
      const { message, detail, buttons = [] } = args.at(-1) as Electron.MessageBoxOptions
      asked.push(`${message}\n${detail}`)
      return { response: buttons.indexOf(wanted), checkboxChecked: false }
    }
  }, label)
}

export function askedQuestions(app: ElectronApplication): Promise<string[]> {
  return app.evaluate(() => (globalThis as { askedQuestions?: string[] }).askedQuestions ?? [])
}

/** Resolves to the exit code once the process has ended. Called while it still runs. */
export async function exitOf(app: ElectronApplication): Promise<number | null> {
  const [code] = await once(app.process(), 'exit')
  return code
}

/**
 * An address of the app's own origin where no script of ours runs: the preload is there, its port has
 * not been asked for, and a spec can be the page.
 */
export async function quietAddress(): Promise<string> {
  const assets = await readdir(join(appDir, 'out', 'renderer', 'assets'))
  const style = assets.find((name) => name.endsWith('.css'))
  if (!style) throw new Error('the built renderer has no style sheet')
  return `${appOrigin}/assets/${style}`
}

/** The first window's page once it is there: Playwright sees a window before it shows anything. */
export async function firstPage(app: ElectronApplication): Promise<Page> {
  const page = await app.firstWindow({ timeout: waitMs })
  await page.waitForURL(/^(?!about:)/)
  return page
}

/** Leads the app's first window to the address, as only the app itself can. */
export async function lead(app: ElectronApplication, address: string): Promise<Page> {
  const page = await firstPage(app)
  await Promise.all([
    // Playwright sees the load after the app does. If the page is already at this address, its URL alone
    // would let the caller go on in the old document.
    page.waitForEvent('load'),
    app.evaluate(async ({ BrowserWindow }, url) => {
      await BrowserWindow.getAllWindows()[0]?.loadURL(url)
    }, address),
  ])
  // In the stand-in's Chromium the scheme and host are others.
  await page.waitForURL((url) => url.pathname === new URL(address).pathname)
  return page
}

/** The window's page at an address without scripts, and a client that speaks through its port. */
export async function clientOf(app: ElectronApplication): Promise<ShiplogClient> {
  return clientOver(await lead(app, await quietAddress()))
}

/** Does what the renderer does to get its port, and hands what goes over it to a client out here. */
export async function clientOver(page: Page): Promise<ShiplogClient> {
  const arrivals = new EventEmitter()
  await page.exposeFunction('tellSpec', (data: unknown) => arrivals.emit('message', { data }))
  await page.evaluate(async () => {
    const given = Promise.withResolvers<MessagePort>()
    window.addEventListener('message', (event) => {
      const [port] = event.ports
      if (event.data?.type === 'shiplog-port' && port) given.resolve(port)
    })
    window.postMessage({ type: 'shiplog-connect' }, location.origin)
    const port = await given.promise
    const { tellSpec } = window as unknown as { tellSpec(data: unknown): void }
    port.onmessage = (event) => tellSpec(event.data)
    Object.assign(window, { specPort: port })
  })
  const port = {
    on: (event: string, listener: (event?: { data: unknown }) => void) => {
      arrivals.on(event, listener)
    },
    postMessage: (data: unknown) => {
      const posted = page.evaluate((message) => {
        ;(window as unknown as { specPort: MessagePort }).specPort.postMessage(message)
      }, data)
      posted.catch(() => {}) // the window was closed while a call was on its way
    },
  }
  return createORPCClient(new RPCLink({ port }))
}
