/** Opens the built app, as `shiplog serve` serves it, in a Chromium of its own, and measures its processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, type CDPSession, chromium, type Page } from 'playwright'
import { chromiumLaunchOptions } from '../../scripts/chromium.mjs'

const cli = fileURLToPath(new URL('../../out/main/cli.js', import.meta.url))
export const viewport = { width: 1280, height: 800 }

export interface Served {
  /** Includes the token. */
  url: string
  close(): Promise<void>
}

export async function serve(dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const host = spawn(process.execPath, [cli, 'serve', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const printed = await new Promise<string>((resolve, reject) => {
    host.stdout.once('data', (text) => resolve(String(text)))
    host.once('exit', () =>
      reject(new Error('The app did not start: build it with npm run build.')),
    )
  })
  return {
    url: printed.trim(),
    async close() {
      if (host.exitCode !== null || host.signalCode !== null) return
      const ended = once(host, 'exit')
      host.kill('SIGTERM')
      await ended
    },
  }
}

export interface Window {
  browser: Browser
  page: Page
  /** The page's DevTools session: metrics, collections, input without Playwright's waits. */
  cdp: CDPSession
  memory(): Promise<Memory>
  /** Seconds of processor that the page's process has used. */
  cpuSeconds(): Promise<number>
  close(): Promise<void>
}

/** Measured after a garbage collection. */
interface Memory {
  /** Memory of the page's process that it shares with no other; NaN where the system does not report it. */
  ownMb: number
  heapMb: number
}

/** Each window gets its own browser, so that its one page has a process of its own. */
export async function openWindow(url: string): Promise<Window> {
  const browser = await chromium.launch(chromiumLaunchOptions())
  const context = await browser.newContext({ viewport })
  const page = await context.newPage()
  await page.addInitScript({ path: fileURLToPath(new URL('page-probe.js', import.meta.url)) })
  await page.goto(url)
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable')
  const system = await browser.newBrowserCDPSession()

  // A spare process may exist beside the page's; it has used no CPU time.
  async function pageProcess() {
    const { processInfo } = await system.send('SystemInfo.getProcessInfo')
    const [renderer] = processInfo
      .filter(({ type }) => type === 'renderer')
      .toSorted((a, b) => b.cpuTime - a.cpuTime)
    if (!renderer) throw new Error('Chromium names no process for the page.')
    return renderer
  }
  async function memory(): Promise<Memory> {
    await cdp.send('HeapProfiler.collectGarbage')
    const { metrics } = await cdp.send('Performance.getMetrics')
    const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')
    return {
      ownMb: await ownMemoryMb((await pageProcess()).id),
      heapMb: (heap?.value ?? Number.NaN) / 1e6,
    }
  }
  const cpuSeconds = async () => (await pageProcess()).cpuTime
  return { browser, page, cdp, memory, cpuSeconds, close: () => browser.close() }
}

async function ownMemoryMb(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  const kilobytes = [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB$/gm)].map(([, kb]) => Number(kb))
  return kilobytes.length === 0 ? Number.NaN : kilobytes.reduce((sum, kb) => sum + kb, 0) / 1e3
}

/** Rows of a transcript. */
export const rows = 'article[data-row]'

export const rowOf = (page: Page, title: string) => page.getByRole('treeitem', { name: title })

/** Navigates without a reload. */
export const goTo = (page: Page, hash: string): Promise<void> =>
  page.evaluate((to) => {
    window.location.hash = to
  }, hash)

/** Navigates without a reload, and waits for the rows of the transcript. */
export async function showRows(page: Page, hash: string): Promise<void> {
  await goTo(page, hash)
  await page.locator(rows).first().waitFor()
}

/** See page-probe.js. */
interface Probe {
  afterPaint(work: (now: number) => void): void
  frames(): { stop(): number[] }
  toPaint(type: string): { stop(): number[] }
  clickTo(isThere: () => boolean): Promise<number>
  /** The seq of each row of a transcript that can be seen. */
  rowsInView(within: string): number[]
}

declare global {
  var benchProbe: Probe
}
