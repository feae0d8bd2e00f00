/** Going from one screen of the window to another, with few agents in the sidebar and with many. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright'
import { chromiumLaunchOptions } from '../scripts/chromium.mjs'
import { openLedger } from '../src/main/ledger/ledger.ts'
import { layoutOf } from '../src/main/sessions/session-files.ts'
import type { ProjectId, TaskId } from '../src/shared/records/ids.ts'
import type { Bench } from './bench.ts'
import { makeUp } from './made-up.ts'
import { alternate, find, type Measured } from './rounds.ts'
import { finishedTask, projectAdded, writeTranscript } from './voyages.ts'

/** Trees and the tasks of each: 6 and 570, as the window was first measured with. */
const few = { trees: 2, tasks: 3 }
const many = { trees: 38, tasks: 15 }
const entriesEach = 20
/** There and back again, to the settings and to both trees. */
const laps = 5
/** What a navigation leaves to be done later is done by then; it is waited for on both sides. */
const settledMs = 400

const cli = fileURLToPath(new URL('../out/main/cli.js', import.meta.url))

export async function measureWindow(bench: Bench): Promise<Measured> {
  const browser = await chromium.launch(chromiumLaunchOptions())
  const hosts: ChildProcess[] = []
  try {
    const sides = {
      few: await openSide(bench, browser, few, hosts),
      many: await openSide(bench, browser, many, hosts),
    }
    const rounds = await alternate(
      { few: () => navigate(sides.few), many: () => navigate(sides.many) },
      { rounds: bench.rounds },
    )
    const named = (what: string, { trees, tasks }: typeof few) => `${what}, ${trees * tasks} tasks`
    const fewTasks = few.trees * few.tasks
    const manyTasks = many.trees * many.tasks
    const ms = find(rounds, 'ms', {
      [named('work for one navigation', few)]: (round: Round) => round.few.taskMs,
      [named('work for one navigation', many)]: (round: Round) => round.many.taskMs,
      [named('script in it', few)]: (round: Round) => round.few.scriptMs,
      [named('script in it', many)]: (round: Round) => round.many.scriptMs,
    })
    const ratios = find(rounds, 'x', {
      [`work with ${manyTasks} tasks over work with ${fewTasks}`]: (round: Round) =>
        round.many.taskMs / round.few.taskMs,
    })
    const nodes = await Promise.all([sides.few, sides.many].map(({ page }) => nodesIn(page)))
    return {
      title: `Going to another screen with ${fewTasks} and with ${manyTasks} tasks in the sidebar, all unfolded`,
      rounds: rounds.length,
      figures: Object.values(ms),
      ratios: Object.values(ratios),
      verdicts: [],
      notes: [
        'Time at work on the page’s main thread (Performance.getMetrics: TaskDuration, ScriptDuration), idle time left out.',
        `Elements on the page: ${nodes[0]} with ${fewTasks} tasks, ${nodes[1]} with ${manyTasks}.`,
      ],
    }
  } finally {
    await browser.close()
    for (const host of hosts) await end(host)
  }
}

type Work = { taskMs: number; scriptMs: number }
type Round = { few: Work; many: Work }

interface Side {
  page: Page
  roots: TaskId[]
}

async function openSide(
  { dir, seed, say }: Bench,
  browser: Browser,
  size: { trees: number; tasks: number },
  hosts: ChildProcess[],
): Promise<Side> {
  const dataDir = join(dir, `data-${size.trees}`)
  say(`making ${size.trees * size.tasks} tasks`)
  const roots = await makeTrees(dataDir, join(dir, 'project'), seed, size)
  const host = spawn(process.execPath, [cli, 'serve', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  hosts.push(host)
  const [printed] = await once(host.stdout, 'data')
  // A context of its own, so that each has a process of its own.
  const page = await (
    await browser.newContext({ viewport: { width: 1280, height: 800 } })
  ).newPage()
  await page.goto(String(printed).trim())
  await page.getByRole('treeitem').first().waitFor()
  return { page, roots }
}

/** Work for each navigation, on average: both trees and the settings in turn, once round to warm up. */
async function navigate({ page, roots }: Side): Promise<Work> {
  const [first = '', second = ''] = roots
  const lap = async () => {
    for (const place of [`/t/${first}`, `/t/${second}`, '/settings']) {
      await page.evaluate((hash) => {
        window.location.hash = hash
      }, place)
      await page.waitForTimeout(settledMs)
    }
  }
  await lap()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const before = await metrics(session)
  for (let n = 0; n < laps; n++) await lap()
  const after = await metrics(session)
  await session.detach()
  const each = (name: string) =>
    (((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1_000) / (laps * 3)
  return { taskMs: each('TaskDuration'), scriptMs: each('ScriptDuration') }
}

type Session = Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>

async function metrics(session: Session): Promise<Map<string, number>> {
  const { metrics: found } = await session.send('Performance.getMetrics')
  return new Map(found.map(({ name, value }) => [name, value]))
}

const nodesIn = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelectorAll('*').length)

/** Finished roots with finished sub-agents, all of them still there. Gives the roots' ids. */
async function makeTrees(
  dataDir: string,
  projectDir: string,
  seed: number,
  { trees, tasks }: { trees: number; tasks: number },
): Promise<TaskId[]> {
  const made = makeUp(seed)
  await mkdir(projectDir, { recursive: true })
  const voyage = { projectId: made.uuid<ProjectId>(), projectDir }
  const ledger = await openLedger(layoutOf(dataDir).ledger, dataDir)
  await ledger.record(projectAdded(voyage))
  const roots: TaskId[] = []
  for (let tree = 0; tree < trees; tree++) {
    const rootId = made.uuid<TaskId>()
    roots.push(rootId)
    for (let n = 0; n < tasks; n++) {
      const id = n === 0 ? rootId : made.uuid<TaskId>()
      const counts = await writeTranscript(dataDir, id, seed + n, entriesEach)
      const parentId = n === 0 ? null : rootId
      const title = n === 0 ? `Voyage ${tree}` : `Leg ${n} of voyage ${tree}`
      await ledger.record(
        ...finishedTask(voyage, { id, parentId, title, prompt: made.text(200) }, counts),
      )
    }
  }
  await ledger.close()
  return roots
}

async function end(host: ChildProcess): Promise<void> {
  const ended = once(host, 'exit')
  host.kill('SIGTERM')
  await ended
}
