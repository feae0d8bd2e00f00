import { afterEach, describe, expect, it } from 'vitest'
import { createLedgerStore, type LedgerStore } from '../../src/renderer/store/ledger-store.ts'
import { createFakeHost } from './fake-host.ts'
import { atOnce, until } from './until.ts'

describe('ledger store', () => {
  let store: LedgerStore
  afterEach(() => store.close())

  it('shows the snapshot, then every record after it, as the main side folds them', async () => {
    const host = createFakeHost()
    const project = host.project('/home/ada/projects/harbour-lights', true)
    const root = host.start(project.id, 'Light the harbour', 'lead')
    store = createLedgerStore({ client: host.client, schedule: atOnce })
    store.open()
    await until(store.store, (view) => view.ledger.tasks.has(root))

    const child = host.start(project.id, 'Test the lamps', 'tester', {
      parentId: root,
      callId: null,
    })
    host.complete(child)
    const view = await until(
      store.store,
      ({ ledger }) => ledger.tasks.get(child)?.status === 'completed',
    )

    expect([...view.ledger.tasks.values()]).toEqual([...host.ledger.tasks.values()])
    expect(view.children.get(root)?.map((task) => task.id)).toEqual([child])
    expect(view.children.get(null)?.map((task) => task.id)).toEqual([root])
  })

  it('keeps what each agent is doing until it is taken away', async () => {
    const host = createFakeHost()
    const project = host.project('/home/ada/projects/harbour-lights', true)
    const [one, two] = ['One', 'Two'].map((title) => host.start(project.id, title, 'lead'))
    if (!one || !two) throw new Error('two tasks were started')
    store = createLedgerStore({ client: host.client, schedule: atOnce })
    store.open()
    await until(store.store, ({ phase }) => phase === 'ready')

    host.activity({ [one]: 'Reading lamp.ts', [two]: 'Running npm test' })
    await until(store.store, ({ activity }) => activity.size === 2)
    host.activity({ [one]: null })
    const { activity } = await until(store.store, ({ activity }) => activity.size === 1)

    expect([...activity]).toEqual([[two, 'Running npm test']])
  })

  it('gives the feed back when it is closed', async () => {
    const host = createFakeHost()
    store = createLedgerStore({ client: host.client, schedule: atOnce })
    store.open()
    await until(store.store, ({ phase }) => phase === 'ready')
    expect(host.listeners().ledger).toBe(1)
    store.close()
    await expect.poll(() => host.listeners().ledger).toBe(0)
  })
})
