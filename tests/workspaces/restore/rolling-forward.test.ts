/** What a crash cut short is ended at the next start; what can't be is told once, and waited for. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Shiplog } from '../../../src/main/composition/shiplog.ts'
import { openJournal } from '../../../src/main/journal/index.ts'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import type { LedgerRecord } from '../../../src/shared/records/ledger.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'
import { checkAfterCrash } from '../../crash/crash-check.ts'
import { isSoak, seed, tryEach } from '../../crash/effort.ts'
import { callsOf, crashStates, everyState, stepsOfEachClass } from '../../crash/explore.ts'
import type { Reopened } from '../../crash/facts.ts'
import { type Attempt, type Fault, record } from '../../crash/fault-fs/record.ts'
import { eventsIn, type Layers, openLayers, reopenLayers, sail } from '../../crash/layers.ts'
import { scratch } from '../../crash/places.ts'
import { allTasks, type Fixture, start, taskOf, until } from '../../harness.ts'
import { acrossFolders } from '../../journal/file-systems.ts'
import { preparedFixture } from '../../prepared-fixture.ts'
import { itInSoak } from '../../soak.ts'

const family = `
version: 1
name: family
agents:
  lead:
    turns:
      - call: task
        with: { agent: middle, title: Middle, prompt: Go }
      - call: task
        with: { agent: leaf, title: Other, prompt: Go }
      - say: Both are back.
  middle:
    turns:
      - call: task
        with: { agent: leaf, title: Leaf, prompt: Go }
      - report: { title: Middle, markdown: Done. }
  leaf:
    turns:
      - call: write_file
        with: { path: "{{taskId}}.txt", content: leaf }
      - report: { title: Leaf, markdown: Done. }
`

const finishedFamily = preparedFixture(async (fixture) => {
  const root = await start(fixture, family, { keep: true })
  await until(fixture.shiplog, (tasks) =>
    tasks.some(({ id, status }) => id === root && status === 'completed'),
  )
  return { root }
})

itInSoak(
  '[R5] says of the whole tree at once that it is being removed, before anything is waited for',
  {
    timeout: 60_000,
  },
  async () => {
    const { fixture, root } = await finishedFamily()
    const { client } = fixture.shiplog
    const ids = (await allTasks(fixture.shiplog)).map(({ id }) => id)
    const feed = await client.feed.ledger(undefined, {})
    const removed = client.workspace.remove({ workspaceId: root })
    let first: LedgerRecord[] = []
    for await (const news of feed) {
      if (news.type !== 'records') continue
      first = news.records
      break
    }
    expect(first.slice(0, ids.length).map(({ event }) => event)).toEqual(
      expect.arrayContaining(
        ids.map((workspaceId) => ({
          type: 'workspace.removal-advanced',
          workspaceId,
          step: 'started',
          pending: null,
        })),
      ),
    )
    expect((await removed).removed.toSorted()).toEqual(ids.toSorted())
  },
)

it('[R1] [R5] leaves the ancestors of a failure waiting, reports it once, and continues with the rest', {
  timeout: 60_000,
}, async () => {
  const { fixture, root } = await finishedFamily()
  const [middle, leaf] = [
    await taskOf(fixture.shiplog, 'Middle'),
    await taskOf(fixture.shiplog, 'Leaf'),
  ]
  const tasks = await allTasks(fixture.shiplog)
  await closeWithRemovalBegun(fixture, tasks)
  // The changes of the leaf can't be saved: that is what its removal must not go on without.
  const obstacle = join(fixture.dataDir, 'sessions', middle.id, 'subagent-patches')
  await rm(obstacle, { recursive: true, force: true })
  await mkdir(join(obstacle, '..'), { recursive: true })
  await writeFile(obstacle, 'in the way')

  const shiplog = await fixture.restart()
  const state = Object.fromEntries(
    (await allTasks(shiplog)).map(({ title, archived }) => [title, archived]),
  )
  expect(state).toMatchObject({ Other: true, Leaf: false, Middle: false })
  const held = await taskOf(shiplog, root)
  expect([held.archived, held.workspace?.pending?.error]).toEqual([
    false,
    expect.stringContaining('"Leaf", below it, could not be removed'),
  ])
  expect(held.workspace?.pending?.heldBy).toBe(leaf.id)
  for (const { workspace } of [middle, leaf, held])
    expect(existsSync(workspace?.path ?? '')).toBe(true)
  const { notices } = await shiplog.client.app.info()
  const told = notices.filter(({ tone }) => tone === 'error').map(({ text }) => text)
  expect(told).toEqual([expect.stringContaining('The removal of "Leaf" could not be completed')])

  await rm(obstacle)
  const again = await fixture.restart()
  expect((await allTasks(again)).map(({ archived }) => archived)).toEqual([true, true, true, true])
  expect(await again.client.doctor.check({ repair: false })).toMatchObject({ problems: [] })
})

describe('removals that continue in the background after a start', () => {
  const inBackground = { host: 'web', rollForwardMsMax: 0 } as const

  it('[R1] [R5] are stopped by a close, and completed by the next start', {
    timeout: 60_000,
  }, async () => {
    const { fixture, root } = await finishedFamily()
    await closeWithRemovalBegun(fixture, await allTasks(fixture.shiplog))

    const opened = await fixture.restart(inBackground)
    expect((await taskOf(opened, root)).workspace).toMatchObject({ removal: 'started' })
    await opened.close()
    const steps = (await eventsIn(layoutOf(fixture.dataDir).ledger)).flatMap(({ event }) =>
      event.type === 'workspace.removal-advanced' && event.workspaceId === root ? [event.step] : [],
    )
    expect(steps).toEqual(['started'])

    await allRemoved(await fixture.restart())
  })

  it('[R1] are completed once if the user asks for the same removal meanwhile', {
    timeout: 60_000,
  }, async () => {
    const { fixture, root } = await finishedFamily()
    await closeWithRemovalBegun(fixture, await allTasks(fixture.shiplog))

    const shiplog = await fixture.restart(inBackground)
    await shiplog.client.workspace.remove({ workspaceId: root })
    await allRemoved(shiplog)
    const steps = (await eventsIn(layoutOf(fixture.dataDir).ledger)).flatMap(({ event }) =>
      event.type === 'workspace.removal-advanced' ? [`${event.workspaceId} ${event.step}`] : [],
    )
    expect(new Set(steps).size).toBe(steps.length)
  })

  async function allRemoved(shiplog: Shiplog): Promise<void> {
    const tasks = await allTasks(shiplog)
    expect(tasks.map(({ archived }) => archived)).toEqual([true, true, true, true])
    expect((await taskOf(shiplog, 'Leaf')).patch).toBe('ready')
    expect(await shiplog.client.doctor.check({ repair: false })).toMatchObject({ problems: [] })
  }
})

it('[R1] keeps a saved patch if the ledger lost the record of it and the worktree is gone', {
  timeout: 60_000,
}, async () => {
  const { fixture, root } = await finishedFamily()
  const leaf = await taskOf(fixture.shiplog, 'Leaf')
  await fixture.shiplog.client.workspace.remove({ workspaceId: leaf.id })
  expect(await taskOf(fixture.shiplog, leaf.id)).toMatchObject({ archived: true, patch: 'ready' })
  await fixture.shiplog.close()
  const { ledger } = layoutOf(fixture.dataDir)
  const lines = (await readFile(ledger, 'utf8')).split('\n')
  const lost = lines.findIndex((line) => line.includes(leaf.id) && line.includes('"patch-saved"'))
  expect(lost).toBeGreaterThan(0)
  await writeFile(ledger, `${lines.slice(0, lost).join('\n')}\n`)
  await rm(join(fixture.dataDir, 'ledger.snapshot.json'), { force: true })

  const { client } = await fixture.restart()
  expect(existsSync(leaf.workspace?.path ?? '')).toBe(false)
  expect(await taskOf(fixture.shiplog, leaf.id)).toMatchObject({ archived: true, patch: 'ready' })
  expect((await client.tasks.applyPatch({ taskId: leaf.id })).kind).toBe('applied')
  expect((await taskOf(fixture.shiplog, root)).archived).toBe(false)
})

it.each([
  ['by rename', undefined],
  ...(isSoak ? [['to another file system', acrossFolders] as const] : []),
] as const)(
  '[R6] ends what a crash cut off of moving a root to the trash and back, %s',
  { timeout: isSoak ? 1_200_000 : 300_000 },
  async (_, inject) => {
    const place = scratch()
    const dataDir = join(place, 'data')
    const before = await openLayers(dataDir)
    await sail(before, () => undefined)
    await before.ledger.close()

    const recording = record(dataDir, { inject })
    const layers = await openLayers(dataDir)
    const root = rootOf(layers)
    await layers.workspaces.trash(root)
    await layers.workspaces.untrash(root)
    await layers.workspaces.trash(root)
    await layers.workspaces.restore(root)
    await layers.ledger.close()
    const trace = recording.stop()
    expect(layers.problems).toEqual([])
    expect(misplaced(layers)).toEqual([])

    const { tried, failures } = await tryEach(
      'crash points (trash)',
      inject
        ? crashStates(trace, seed, stepsOfEachClass(trace, callsOf(trace)))
        : everyState(trace, seed),
      (candidate) =>
        checkAfterCrash(join(place, 'state'), candidate, (dir) => reopenInPlace(dir, inject)),
    )
    expect(failures).toEqual({})
    if (!isSoak) expect(tried).toBeGreaterThan(inject ? 30 : 10)
  },
)

/** Ends Shiplog as a kill does that follows the first step of the removal of all these tasks. */
async function closeWithRemovalBegun(fixture: Fixture, tasks: Task[]): Promise<void> {
  await fixture.shiplog.close()
  const ledger = await openJournal(layoutOf(fixture.dataDir).ledger)
  for (const { id: workspaceId } of tasks) {
    const type = 'workspace.removal-advanced'
    await ledger.append({ v: 1, type, workspaceId, step: 'started', pending: null })
  }
  await ledger.close()
}

function rootOf({ ledger }: Layers) {
  const root = [...ledger.state.tasks.values()].find(({ parentId }) => parentId === null)
  if (!root) throw new Error('there is no root')
  return root.id
}

/** Where the root lies is what the ledger says of it, and it lies there alone. */
function misplaced(layers: Layers): string[] {
  const { layout, ledger } = layers
  const id = rootOf(layers)
  const task = ledger.state.tasks.get(id)
  const wanted = task?.trashed ? 'trash' : task?.archived ? 'archive' : 'sessions'
  const places = {
    sessions: layout.sessionDir(id),
    archive: layout.archiveDir(id),
    trash: join(layout.trash, `archive-${id}`),
  }
  return Object.entries(places)
    .filter(([name, path]) => existsSync(path) !== (name === wanted))
    .map(
      ([name]) => `the ledger says ${wanted}, and ${name} ${name === wanted ? 'lacks' : 'has'} it`,
    )
}

async function reopenInPlace(
  dataDir: string,
  inject: ((attempt: Attempt) => Fault | null) | undefined,
): Promise<Reopened> {
  const recording = record(dataDir, { inject })
  try {
    const layers = await openLayers(dataDir)
    const wrong = [...layers.problems, ...misplaced(layers)]
    await layers.ledger.close()
    const opened = await reopenLayers(dataDir)
    return {
      ...opened,
      problems: () => [...wrong, ...opened.problems()],
      close: () => opened.close().finally(() => void recording.stop()),
    }
  } catch (error) {
    recording.stop()
    throw error
  }
}
