import { afterEach, describe, expect, it } from 'vitest'
import { createLedgerStore, type LedgerStore } from '../../../src/renderer/store/ledger-store.ts'
import { snapshotParts } from '../../../src/shared/projections/ledger/ledger-snapshot.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { createFakeHost } from '../../fake-host/fake-host.ts'
import { taskCreated } from '../../ledger/histories.ts'
import { atOnce, until } from '../until.ts'

describe('ledger store', () => {
  let store: LedgerStore
  afterEach(() => store.close())

  it('shows the snapshot, then every later record, folded as on the main side', async () => {
    const host = createFakeHost()
    const project = host.addProject('/home/ada/projects/harbour-lights')
    const root = host.start({ projectId: project, title: 'Light the harbour' })
    store = createLedgerStore({ client: host.client, schedule: atOnce })
    store.open()
    await until(store.store, (view) => view.ledger.tasks.has(root))

    const child = host.start({
      projectId: project,
      title: 'Test the lamps',
      agent: 'tester',
      parentId: root,
    })
    host.complete(child)
    const view = await until(
      store.store,
      ({ ledger }) => ledger.tasks.get(child)?.status === 'completed',
    )

    expect([...view.ledger.tasks.values()]).toEqual([...host.state.tasks.values()])
    expect(view.children.get(root)?.map((task) => task.id)).toEqual([child])
    expect(view.children.get(null)?.map((task) => task.id)).toEqual([root])
  })

  it('shows a long list once its last part has arrived, and the previous one until then', async () => {
    const host = createFakeHost()
    const project = host.addProject('/home/ada/projects/harbour-lights')
    for (let n = 0; n < 450; n++) host.record(taskCreated(newTaskId(), project))
    const [first, ...rest] = snapshotParts(host.state)
    const gate = Promise.withResolvers<void>()
    async function* feed() {
      yield first
      yield* rest.slice(0, -1)
      yield { type: 'activity' as const, activity: {} }
      await gate.promise
      yield* rest.slice(-1)
    }
    const client = { feed: { ledger: async () => feed() } } as unknown as typeof host.client
    store = createLedgerStore({ client, schedule: atOnce })
    store.open()
    const { ledger, progress } = await until(store.store, ({ phase }) => phase === 'ready')
    expect(ledger.tasks.size).toBe(0)
    expect(progress).toBeCloseTo(2 / 3)
    gate.resolve()
    const view = await until(store.store, ({ ledger }) => ledger.tasks.size > 0)
    expect(view.ledger.tasks).toEqual(host.state.tasks)
    expect(view.progress).toBeNull()
    expect(view.children.get(null)?.length).toBe(450)
  })

  it('keeps the activity of each agent until it is removed', async () => {
    const host = createFakeHost()
    const project = host.addProject('/home/ada/projects/harbour-lights')
    const [one, two] = ['One', 'Two'].map((title) => host.start({ projectId: project, title }))
    if (!one || !two) throw new Error('two tasks were started')
    store = createLedgerStore({ client: host.client, schedule: atOnce })
    store.open()
    await until(store.store, ({ phase }) => phase === 'ready')

    const tests = { state: 'working', text: 'Running npm test' } as const
    host.setActivity({ [one]: { state: 'waiting' }, [two]: tests })
    await until(store.store, ({ activity }) => activity.size === 2)
    host.setActivity({ [one]: null })
    const { activity } = await until(store.store, ({ activity }) => activity.size === 1)

    expect([...activity]).toEqual([[two, tests]])
  })

  it('replaces the activity and usage of a host that ended by those of the next one', async () => {
    const host = createFakeHost()
    const [one, two] = [newTaskId(), newTaskId()]
    const reconnected = Promise.withResolvers<void>()
    const usage = { run: 1, usage: { inputTokens: 1, outputTokens: 1 } }
    async function* feed() {
      yield* snapshotParts(host.state)
      yield { type: 'activity' as const, activity: { [one]: { state: 'asking' } } }
      yield { type: 'usage' as const, usage: { [one]: usage } }
      await reconnected.promise
      yield { type: 'activity' as const, activity: { [two]: { state: 'waiting' } }, whole: true }
      yield { type: 'usage' as const, usage: {}, whole: true }
    }
    const client = { feed: { ledger: async () => feed() } } as unknown as typeof host.client
    store = createLedgerStore({ client, schedule: atOnce })
    store.open()
    await until(store.store, (view) => view.usage.size === 1)
    reconnected.resolve()
    const view = await until(store.store, (view) => view.usage.size === 0)
    expect([...view.activity.keys()]).toEqual([two])
  })

  it('releases the feed when it is closed', async () => {
    const host = createFakeHost()
    store = createLedgerStore({ client: host.client, schedule: atOnce })
    store.open()
    await until(store.store, ({ phase }) => phase === 'ready')
    expect(host.listeners().ledger).toBe(1)
    store.close()
    await expect.poll(() => host.listeners().ledger).toBe(0)
  })
})
