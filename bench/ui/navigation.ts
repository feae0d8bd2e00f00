/** Measures navigation between screens of the window, with few agents in the sidebar and with many. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import type { ProjectId, TaskId } from '../../src/shared/records/ids.ts'
import { finishedTask, projectAdded, writeTranscript } from '../data/finished-tasks.ts'
import { createGenerator } from '../data/generate.ts'
import type { Bench } from '../runner/bench.ts'
import { alternate, find, type Measured } from '../runner/rounds.ts'
import { goTo, openWindow, type Served, serve, type Window } from './window-page.ts'

/** Trees, and tasks in each: 6 and 570 in total, the counts of the first measurement. */
const few = { trees: 2, tasks: 3 }
const many = { trees: 38, tasks: 15 }
const entriesEach = 20
/** There and back again, to the settings and to both trees. */
const laps = 5
/** Deferred work of a navigation ends within this time; both sides wait for it. */
const settledMs = 400

export async function measureNavigation(bench: Bench): Promise<Measured> {
  const opened: (Served | Window)[] = []
  try {
    const sides = {
      few: await openSide(bench, few, opened),
      many: await openSide(bench, many, opened),
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
    const nodes = await Promise.all(
      [sides.few, sides.many].map(({ window }) => nodesIn(window.page)),
    )
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
    for (const one of opened.toReversed()) await one.close()
  }
}

type Work = { taskMs: number; scriptMs: number }
type Round = { few: Work; many: Work }

interface Side {
  window: Window
  roots: TaskId[]
}

async function openSide(
  { dir, seed, say }: Bench,
  size: { trees: number; tasks: number },
  opened: (Served | Window)[],
): Promise<Side> {
  const dataDir = join(dir, `data-${size.trees}`)
  say(`making ${size.trees * size.tasks} tasks`)
  const roots = await makeTrees(dataDir, join(dir, 'project'), seed, size)
  const host = await serve(dataDir)
  opened.push(host)
  const window = await openWindow(host.url)
  opened.push(window)
  await window.page.getByRole('treeitem').first().waitFor()
  return { window, roots }
}

/** Returns the average work of a navigation: both trees and the settings in turn, after one warm-up lap. */
async function navigate({ window: { page, cdp }, roots }: Side): Promise<Work> {
  const [first = '', second = ''] = roots
  const lap = async () => {
    for (const place of [`/t/${first}`, `/t/${second}`, '/settings']) {
      await goTo(page, place)
      await page.waitForTimeout(settledMs)
    }
  }
  await lap()
  const before = await metrics(cdp)
  for (let n = 0; n < laps; n++) await lap()
  const after = await metrics(cdp)
  const each = (name: string) =>
    (((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1_000) / (laps * 3)
  return { taskMs: each('TaskDuration'), scriptMs: each('ScriptDuration') }
}

async function metrics(cdp: CDPSession): Promise<Map<string, number>> {
  const { metrics: found } = await cdp.send('Performance.getMetrics')
  return new Map(found.map(({ name, value }) => [name, value]))
}

const nodesIn = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelectorAll('*').length)

/** Creates finished roots with finished sub-agents, none of them removed. Returns the roots' ids. */
async function makeTrees(
  dataDir: string,
  projectDir: string,
  seed: number,
  { trees, tasks }: { trees: number; tasks: number },
): Promise<TaskId[]> {
  const made = createGenerator(seed)
  await mkdir(projectDir, { recursive: true })
  const place = { projectId: made.uuid<ProjectId>(), projectDir }
  const ledger = await openLedger(layoutOf(dataDir).ledger, dataDir)
  await ledger.record(projectAdded(place))
  const roots: TaskId[] = []
  for (let tree = 0; tree < trees; tree++) {
    const rootId = made.uuid<TaskId>()
    roots.push(rootId)
    for (let n = 0; n < tasks; n++) {
      const id = n === 0 ? rootId : made.uuid<TaskId>()
      const counts = await writeTranscript(dataDir, id, seed + n, entriesEach)
      const parentId = n === 0 ? null : rootId
      const title = n === 0 ? `Tree ${tree}` : `Task ${n} of tree ${tree}`
      await ledger.record(
        ...finishedTask(place, { id, parentId, title, prompt: made.text(200) }, counts),
      )
    }
  }
  await ledger.close()
  return roots
}
