import { describe, expect, it } from 'vitest'
import {
  keptReasons,
  lastActivityMs,
  planSweep,
  protectedTasks,
} from '../../src/main/retention/plan.ts'
import { planPurge, trashedThings, whatIs } from '../../src/main/retention/trash.ts'
import { type RetentionSettings, retentionDefaults } from '../../src/shared/contract/retention.ts'
import { newReceiptId, newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import { noUsage } from '../../src/shared/records/usage.ts'
import fc from '../random.ts'
import { createWorld, dayMs, nowMs, type Wanted } from './tasks.ts'

const removedBy = (
  world: ReturnType<typeof createWorld>,
  settings: Partial<RetentionSettings>,
  sizes: ReadonlyMap<TaskId, number | null> = new Map(),
) => planSweep(world.state, sizes, { ...retentionDefaults, ...settings }, nowMs)

const unlimited = { transcriptTtlDays: null, transcriptsMax: null, bytesMax: null }

describe('transcripts that a sweep removes', () => {
  it('[X2] are finished for 30 days, oldest first', () => {
    const world = createWorld()
    const at30 = world.add({ endedDaysAgo: 30 })
    world.add({ endedDaysAgo: 29.99 })
    const at90 = world.add({ endedDaysAgo: 90, status: 'failed' })
    const at45 = world.add({ endedDaysAgo: 45, status: 'abandoned' })
    const { remove, kept } = removedBy(world, {})
    expect(remove.map(({ id, reason }) => [id, reason])).toEqual([
      [at90, 'age'],
      [at45, 'age'],
      [at30, 'age'],
    ])
    expect(kept).toBe(1)
  })

  it('[X1] are selected by the time of the last activity, not of the start', () => {
    const world = createWorld()
    const id = world.add({ endedDaysAgo: 100 })
    world.record(
      nowMs - 3 * dayMs,
      {
        type: 'task.spawned',
        taskId: id,
        run: 2,
        process: { pid: 1, startedAt: '1' },
        spawnCommit: null,
      },
      {
        type: 'task.completed',
        taskId: id,
        run: 2,
        usage: noUsage,
      },
    )
    expect(removedBy(world, {}).remove).toEqual([])
  })

  it.each<[string, Wanted]>([
    ['runs', { status: 'spawned' }],
    ['runs again', { status: 'resumed' }],
    ['is interrupted', { status: 'interrupted' }],
    ['is queued', { status: 'queued' }],
    ['is blocked', { status: 'blocked' }],
    ['still has its workspace', { archived: false }],
    ['is pinned', { pinned: true }],
    ['was imported', { imported: true }],
  ])('[X1] never takes what %s, nor what it continues', (_, wanted) => {
    const world = createWorld()
    const first = world.add({ endedDaysAgo: 400 })
    const second = world.add({ endedDaysAgo: 300, resumedFrom: first })
    world.add({ ...wanted, endedDaysAgo: 200, resumedFrom: second })
    const all = { transcriptTtlDays: 0, transcriptsMax: 0, bytesMax: 0 }
    expect(removedBy(world, all).remove).toEqual([])
  })

  it('[X1] exclude all below a pinned task', () => {
    const world = createWorld()
    const root = world.add({ pinned: true, endedDaysAgo: 99 })
    const child = world.add({ parentId: root, endedDaysAgo: 99 })
    world.add({ parentId: child, endedDaysAgo: 99 })
    expect(removedBy(world, {}).remove).toEqual([])
    world.record(nowMs, { type: 'task.unpinned', taskId: root })
    expect(removedBy(world, {}).remove).toHaveLength(3)
  })

  it('[X3] include a restored one only as late as if it had just ended', () => {
    const world = createWorld()
    const id = world.add({ endedDaysAgo: 99 })
    world.expire(id, 2)
    expect(removedBy(world, {}).remove).toEqual([])
    world.record(nowMs - dayMs, { type: 'transcript.unexpired', taskId: id, because: 'person' })
    expect(removedBy(world, {}).remove).toEqual([])
    expect(removedBy(world, { transcriptTtlDays: 1 }).remove.map((one) => one.id)).toEqual([id])
  })

  it('are the oldest beyond a number and a budget of bytes, and not one more', () => {
    const world = createWorld()
    const ids = [5, 4, 3, 2, 1].map((endedDaysAgo) => world.add({ endedDaysAgo }))
    const sizes = new Map(ids.map((id) => [id, 10]))
    const reasons = (settings: Partial<RetentionSettings>) =>
      removedBy(world, { ...unlimited, ...settings }, sizes).remove.map((one) => one.reason)
    expect(reasons({ transcriptsMax: 3 })).toEqual(['count', 'count'])
    expect(reasons({ bytesMax: 31 })).toEqual(['bytes', 'bytes'])
    expect(reasons({ bytesMax: 30 })).toEqual(['bytes', 'bytes'])
    expect(reasons({ bytesMax: 29 })).toEqual(['bytes', 'bytes', 'bytes'])
    expect(reasons({ transcriptsMax: 4, bytesMax: 20 })).toEqual(['count', 'bytes', 'bytes'])
    expect(reasons({})).toEqual([])
  })

  it('exclude missing ones', () => {
    const world = createWorld()
    const id = world.add({ endedDaysAgo: 90 })
    expect(removedBy(world, {}, new Map([[id, null]]))).toEqual({ remove: [], kept: 0 })
  })

  it('[X1] for any tasks and settings: none protected, oldest first, limits met exactly', () => {
    const wanted: fc.Arbitrary<Wanted & { continues: number; below: number; bytes: number }> =
      fc.record({
        status: fc.constantFrom(
          'completed',
          'failed',
          'abandoned',
          'interrupted',
          'spawned',
          'queued',
          'blocked',
        ),
        endedDaysAgo: fc.integer({ min: 0, max: 60 }),
        archived: fc.boolean(),
        pinned: fc.boolean(),
        imported: fc.boolean(),
        continues: fc.integer({ min: -9, max: 9 }),
        below: fc.integer({ min: -9, max: 9 }),
        bytes: fc.integer({ min: 0, max: 50 }),
      })
    const cap = fc.option(fc.integer({ min: 0, max: 12 }), { nil: null })
    fc.assert(
      fc.property(
        fc.array(wanted, { maxLength: 12 }),
        cap,
        cap,
        cap,
        (tasks, ttl, countMax, bytesCap) => {
          const world = createWorld()
          const ids: TaskId[] = []
          const sizes = new Map<TaskId, number>()
          for (const { continues, below, bytes, ...one } of tasks) {
            const id = world.add({
              ...one,
              resumedFrom: ids[continues] ?? null,
              parentId: ids[below] ?? null,
            })
            ids.push(id)
            sizes.set(id, bytes)
          }
          const settings = {
            transcriptTtlDays: ttl === null ? null : ttl * 5,
            transcriptsMax: countMax,
            bytesMax: bytesCap === null ? null : bytesCap * 20,
            trashTtlDays: 7,
            trashBytesMax: null,
          }
          const { remove, kept } = planSweep(world.state, sizes, settings, nowMs)
          const task = (id: TaskId) => world.state.tasks.get(id) ?? expect.fail(`no task ${id}`)

          // Nothing protected, nothing twice.
          const safe = new Set(whatMustStay(tasks).map((n) => ids[n] as TaskId))
          expect(remove.filter(({ id }) => safe.has(id))).toEqual([])
          expect(new Set(remove.map(({ id }) => id)).size).toBe(remove.length)

          // Whatever is left that could have gone is not older than what went.
          const all = [...world.state.tasks.values()].filter((one) => one.hasTranscript)
          const gone = new Set(remove.map(({ id }) => id))
          const left = all.filter((one) => !gone.has(one.id))
          const free = left.filter((one) => !safe.has(one.id))
          const times = remove.map(({ id }) => lastActivityMs(task(id)))
          expect(times).toEqual(times.toSorted((a, b) => a - b))
          const newestGone = times.at(-1) ?? Number.NEGATIVE_INFINITY
          for (const one of free) expect(lastActivityMs(one)).toBeGreaterThanOrEqual(newestGone)

          // Every limit holds, or nothing that may go is left.
          const { transcriptTtlDays, transcriptsMax, bytesMax } = settings
          const bytesOf = (some: { id: TaskId }[]) =>
            some.reduce((sum, { id }) => sum + (sizes.get(id) ?? 0), 0)
          expect(kept).toBe(left.length)
          if (free.length > 0) {
            if (transcriptsMax !== null) expect(left.length).toBeLessThanOrEqual(transcriptsMax)
            if (bytesMax !== null) expect(bytesOf(left)).toBeLessThanOrEqual(bytesMax)
          }
          const old = (one: { id: TaskId }) =>
            transcriptTtlDays !== null &&
            lastActivityMs(task(one.id)) <= nowMs - transcriptTtlDays * dayMs
          expect(free.filter(old)).toEqual([])

          // Not one more than needed.
          const last = remove.at(-1)
          if (last && !old(last)) {
            const before = [...left, last]
            const countBroken = transcriptsMax !== null && before.length > transcriptsMax
            const bytesBroken = bytesMax !== null && bytesOf(before) > bytesMax
            expect(countBroken || bytesBroken).toBe(true)
          }
        },
      ),
    )
  })

  it('are found in a cyclic lineage', () => {
    const world = createWorld()
    const id = world.add({ pinned: true })
    const task = world.state.tasks.get(id)
    if (task) world.state.tasks.set(id, { ...task, resumedFrom: { taskId: id, seq: 0 } })
    expect(protectedTasks(world.state)).toEqual(new Set([id]))
  })
})

describe('permanent deletions from the trash', () => {
  const purged = (
    world: ReturnType<typeof createWorld>,
    names: string[],
    seen = new Map<string, number>(),
    { trashBytesMax = null as number | null, bytes = 1 } = {},
  ) => {
    const looked = new Map(
      names.map((name) => [name, { sinceMs: seen.get(name) ?? nowMs, bytes }] as const),
    )
    const things = trashedThings(names, world.state, looked, 7, nowMs)
    return planPurge(things, { trashBytesMax }, nowMs).map(({ name, kind }) => [name, kind])
  }

  it('[X3] include an expired transcript after its announced day', () => {
    const world = createWorld()
    const [old, young, promised] = [world.add(), world.add(), world.add()]
    world.expire(old, 7)
    world.expire(young, 6.9)
    world.expire(promised, 8, 30)
    const names = [old, young, promised].map((id) => `transcript-${id}`)
    expect(purged(world, names)).toEqual([[`transcript-${old}`, 'trashed-transcript']])
  })

  it('[X3] include a deleted root 7 days after its deletion, unless it is pinned', () => {
    const world = createWorld()
    const ids = [8, 6, 9].map((daysAgo) => {
      const id = world.add()
      world.record(nowMs - daysAgo * dayMs, { type: 'workspace.trashed', workspaceId: id })
      return id
    })
    world.record(nowMs, { type: 'task.pinned', taskId: ids[2] as TaskId })
    const names = ids.map((id) => `archive-${id}`)
    expect(purged(world, names)).toEqual([[names[0], 'trashed-workspace']])
  })

  it('[X3] include an item of unknown age 7 days after it was first seen', () => {
    const world = createWorld()
    const seen = new Map([
      ['doctor-2020', nowMs - 7 * dayMs],
      ['session-x', nowMs - 6.9 * dayMs],
    ])
    expect(purged(world, ['doctor-2020', 'session-x', 'new'], seen)).toEqual([
      ['doctor-2020', 'trashed-file'],
    ])
  })

  it('[X3] include the oldest leftovers beyond the limit of bytes, and nothing with an announced day', () => {
    const world = createWorld()
    const ids = [world.add(), world.add(), world.add(), world.add()]
    const [old, older, pinned, root] = ids as [TaskId, TaskId, TaskId, TaskId]
    world.record(nowMs - 6 * dayMs, { type: 'workspace.trashed', workspaceId: root })
    world.record(nowMs, { type: 'task.pinned', taskId: pinned })
    const names = [`worktree-${old}-a`, `worktree-${older}-b`, `worktree-${pinned}-c`]
    const [oldName = '', olderName = '', pinnedName = ''] = names
    const seen = new Map([
      [oldName, nowMs - 2 * dayMs],
      [olderName, nowMs - 3 * dayMs],
      [pinnedName, nowMs - 5 * dayMs],
      ['restart', nowMs - 1000],
    ])
    const all = [...names, `archive-${root}`, 'restart']
    const left = (trashBytesMax: number) =>
      purged(world, all, seen, { trashBytesMax, bytes: 10 }).map(([name]) => name)
    expect(left(50)).toEqual([])
    expect(left(49)).toEqual([olderName])
    expect(left(30)).toEqual([olderName, oldName])
    expect(left(0)).toEqual([olderName, oldName])
  })

  it('exclude items that belong elsewhere according to the ledger', () => {
    const world = createWorld()
    const [archived, kept] = [world.add(), world.add()]
    const names = [`archive-${archived}`, `transcript-${kept}`]
    expect(purged(world, names, new Map(names.map((name) => [name, 0])))).toEqual([])
  })

  it('include what a crash left of a permanently deleted item', () => {
    const world = createWorld()
    const [root, task] = [world.add(), world.add()]
    const receiptId = newReceiptId()
    world.record(nowMs, { type: 'workspace.trashed', workspaceId: root })
    world.record(nowMs, { type: 'workspace.purged', workspaceId: root, receiptId })
    world.expire(task, 8)
    world.record(nowMs, { type: 'transcript.purged', taskId: task, receiptId })
    expect(whatIs(`archive-${root}`, world.state).kind).toBe('gone')
    expect(whatIs(`transcript-${task}`, world.state).kind).toBe('gone')
    expect(whatIs(`archive-${newTaskId()}`, world.state).kind).toBe('trashed-file')
    expect(purged(world, [`archive-${root}`, `transcript-${task}`])).toEqual([])
  })
})

/**
 * What X1 says must stay, from what was asked for and not from what the code makes of it: indexes. `continues`
 * and `below` name an earlier one, or nothing.
 */
function whatMustStay(tasks: (Wanted & { continues: number; below: number })[]): number[] {
  const above = (n: number): number[] => {
    const parent = tasks[n]?.below ?? -1
    return parent >= 0 && parent < n ? [parent, ...above(parent)] : []
  }
  const continued = (n: number): number[] => {
    const before = tasks[n]?.continues ?? -1
    return before >= 0 && before < n ? [before, ...continued(before)] : []
  }
  // What has not begun was never pinned here.
  const isPinned = (n: number) =>
    tasks[n]?.pinned === true && tasks[n].status !== 'queued' && tasks[n].status !== 'blocked'
  const stays = tasks.flatMap(({ status = '', archived, imported }, n) => {
    const isOver = ['completed', 'failed', 'abandoned'].includes(status)
    const pinned = [n, ...above(n)].some(isPinned)
    return isOver && archived && !imported && !pinned ? [] : [n]
  })
  return [...new Set(stays.flatMap((n) => [n, ...continued(n)]))]
}

describe('deletion by the user', () => {
  const kept = (wanted: Wanted) => {
    const world = createWorld()
    return keptReasons(world.state)(world.add(wanted))
  }

  it('[X1] refuses live, waiting and pinned ones, and states first how to expire them', () => {
    expect(kept({})).toBeNull()
    expect(kept({ archived: false })).toContain('remove it first')
    expect(kept({ status: 'interrupted' })).toContain('abandon it first')
    expect(kept({ pinned: true })).toContain('unpin it first')
  })

  it('[X1] refuses transcripts that an unfinished task continues, and allows imported ones', () => {
    const world = createWorld()
    const first = world.add({})
    world.add({ status: 'interrupted', resumedFrom: first })
    expect(keptReasons(world.state)(first)).toContain('is needed')
    expect(kept({ imported: true })).toBeNull()
  })

  it('states that nothing is left of a permanently deleted one', () => {
    expect(keptReasons(createWorld().state)(newTaskId())).toContain('permanently')
  })
})
