/**
 * Measures the time from the click on an agent to the rows of its long transcript, against a page that mounts all of
 * one.
 */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright'
import { chromiumLaunchOptions } from '../../scripts/chromium.mjs'
import { type Bench, notJudged } from '../runner/bench.ts'
import { alternate, find, judge, type Measured } from '../runner/rounds.ts'
import { hasFullTranscript, type LongTranscript, longTitle, shortTitle } from './long-transcript.ts'
import { goTo, openWindow, rowOf, rows, type Served, viewport } from './window-page.ts'

const firstRowsMsMax = 150
const ratioMin = 200
/** Share of the entries that the baseline mounts: all of them take minutes and gigabytes. */
const mountedShare = 0.1

export async function measureOpeningInWindow(
  bench: Bench,
  made: LongTranscript,
  host: Served,
): Promise<Measured> {
  const mounted = Math.max(1, Math.floor(made.entries * mountedShare))
  bench.say(`opening, and mounting ${mounted} entries`)
  const everything = await serveEverything(made.file, mounted)
  try {
    const rounds = await alternate(
      {
        app: async () => ({ ms: await openLong(host.url) }),
        // The baseline's first rows are its last, because it shows nothing before.
        all: async () => ({ ms: (await mountAll(everything.url)) / mountedShare }),
      },
      { rounds: bench.rounds },
    )
    const ms = find(rounds, 'ms', {
      'from the click to the first rows': ({ app }) => app.ms,
      'reading, sending and mounting all of it': ({ all }) => all.ms,
    })
    const ratios = find(rounds, 'x', {
      'all of it over the first rows': ({ app, all }) => all.ms / app.ms,
    })
    const judged = hasFullTranscript(bench)
    return {
      title: `Opening a transcript of ${bench.sizes.journalMb} MB, ${made.entries} entries, in the window`,
      rounds: rounds.length,
      figures: Object.values(ms),
      ratios: Object.values(ratios),
      verdicts: judged
        ? [
            judge(ms['from the click to the first rows'], { atMost: firstRowsMsMax }),
            judge(ratios['all of it over the first rows'], { atLeast: ratioMin }),
          ]
        : [],
      notes: [
        'A new page in each round, which has shown another transcript; the host has read this one before.',
        `All of it: measured on ${mounted} entries in a page of its own and multiplied by ${1 / mountedShare}: one request, JSON.parse, marked, innerHTML, no framework.`,
        ...(judged ? [] : [notJudged]),
      ],
    }
  } finally {
    await everything.stop()
  }
}

async function openLong(url: string): Promise<number> {
  const window = await openWindow(url)
  try {
    const { page } = window
    // Loads and compiles the code first, as in a window that is in use.
    await rowOf(page, shortTitle).click()
    await page.locator(rows).first().waitFor()
    await goTo(page, '#/settings')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await page.waitForTimeout(500)
    const opened = page.evaluate(
      (title) =>
        benchProbe.clickTo(
          () => benchProbe.rowsInView(`section[aria-label="Transcript of ${title}"]`).length > 0,
        ),
      longTitle,
    )
    await rowOf(page, longTitle).click()
    return await opened
  } finally {
    await window.close()
  }
}

async function mountAll(url: string): Promise<number> {
  const browser = await chromium.launch(chromiumLaunchOptions())
  try {
    const page = await (await browser.newContext({ viewport })).newPage()
    await page.goto(url)
    page.setDefaultTimeout(600_000)
    return await page.evaluate(() => mountEverything())
  } finally {
    await browser.close()
  }
}

/** Serves a page that shows a transcript all at once, as a short one can be shown. */
async function serveEverything(file: string, entries: number) {
  const marked = createRequire(import.meta.url).resolve('marked')
  const server = createServer(async (request, response) => {
    if (request.url === '/entries') {
      let left = entries
      for await (const line of createInterface({ input: createReadStream(file) })) {
        if (left-- === 0) break
        response.write(`${line}\n`)
      }
      return response.end()
    }
    if (request.url === '/marked.js') {
      response.setHeader('content-type', 'text/javascript')
      return response.end(await readFile(marked))
    }
    response.setHeader('content-type', 'text/html')
    response.end(everythingPage)
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const everythingPage = `<!doctype html><meta charset="utf-8"><body><script type="module">
import { marked } from '/marked.js'
const textOf = (value) => typeof value === 'string' ? value : JSON.stringify(value, null, 2)
window.mountEverything = async () => {
  const started = performance.now()
  const text = await (await fetch('/entries')).text()
  for (const line of text.split('\\n')) {
    if (line === '') continue
    const entry = JSON.parse(line)
    const article = document.createElement('article')
    if (entry.type === 'message')
      article.innerHTML = entry.parts.map((part) => marked.parse(part.text ?? part.name)).join('')
    else {
      const pre = document.createElement('pre')
      pre.textContent = textOf(entry.input ?? entry.output ?? entry)
      article.append(pre)
    }
    document.body.append(article)
  }
  document.body.getBoundingClientRect()
  return await new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => resolve(performance.now() - started)
    port2.postMessage(null)
  }))
}
</script>`

declare global {
  function mountEverything(): Promise<number>
}
