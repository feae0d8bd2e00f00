import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  createFindStore,
  type FindStore,
  type FindView,
} from '../../../../src/renderer/store/transcript/find-store.ts'
import type { TaskId } from '../../../../src/shared/records/ids.ts'
import { createFakeHost, type FakeHost } from '../../../fake-host/fake-host.ts'
import { until } from '../../until.ts'

let host: FakeHost
let task: TaskId
let find: FindStore

const say = (text: string) => host.append(task, { type: 'summary', text })[0]?.seq ?? 0

beforeEach(() => {
  host = createFakeHost()
  const project = host.addProject('/home/ada/projects/harbour-lights')
  task = host.start({ projectId: project, title: 'Light the harbour' })
  find = createFindStore({ client: host.client, taskId: task })
  onTestFinished(() => find.close())
})

const settled = (is: (view: FindView) => boolean = () => true) =>
  until(find.store, (view) => (view.phase === 'done' || view.phase === 'failed') && is(view))
const at = ({ current, position, matches }: FindView) =>
  `${position} of ${matches}: ${current?.place.seq}.${current?.nth}`

describe('finding in a transcript', () => {
  it('goes to the first match from the reading position, and through all of them in a circle', async () => {
    for (const text of ['lamp', 'nothing', 'lamp, lamp', 'lamp']) say(text)
    const [first = 0] = host
      .sessionOf(task)
      .entries.slice(-4)
      .map(({ seq }) => seq)
    find.open(first + 2, 'lamp')
    expect(at(await settled())).toBe(`2 of 4: ${first + 2}.0`)
    const seen: string[] = []
    for (const by of [1, 1, 1, -1, -1, -1, -1] as const) {
      find.step(by)
      seen.push(at(find.store.getState()))
    }
    expect(seen).toEqual([
      `3 of 4: ${first + 2}.1`,
      `4 of 4: ${first + 3}.0`,
      `1 of 4: ${first}.0`,
      `4 of 4: ${first + 3}.0`,
      `3 of 4: ${first + 2}.1`,
      `2 of 4: ${first + 2}.0`,
      `1 of 4: ${first}.0`,
    ])
  })

  it('counts new matches, and does not move the reader to them', async () => {
    say('lamp')
    find.open(1, 'lamp')
    const { current } = await settled()
    say('a second lamp')
    const last = say('nothing')
    find.grew(last)
    const view = await settled(({ matches }) => matches === 2)
    expect(view.current).toBe(current)
    expect(view.position).toBe(1)
    find.open(1, 'gale')
    await settled()
    find.grew(say('a gale'))
    expect((await settled(({ matches }) => matches === 1)).current).toBeNull()
    find.step(1)
    expect(at(find.store.getState())).toMatch(/^1 of 1/)
  })

  it('counts what is written after a search has ended', async () => {
    say('lamp')
    find.open(1, 'lamp')
    await settled()
    // Its last event comes before its end.
    await new Promise((resolve) => setTimeout(resolve, 20))
    find.grew(say('a second lamp'))
    expect((await settled(({ matches }) => matches === 2)).places).toHaveLength(2)
  })

  it('takes nothing of an earlier text that arrives after the next one', async () => {
    const late = Promise.withResolvers<void>()
    const found = (matches: number) => {
      const places = [{ seq: 1, count: matches }] as never
      return { places, matches, placeCount: 1, lastSeq: 1, done: true }
    }
    async function* events(text: string) {
      if (text === 'l') await late.promise
      yield found(text === 'l' ? 9 : 1)
    }
    const client = {
      transcripts: { find: async (asked: { query: { text: string } }) => events(asked.query.text) },
    } as unknown as typeof host.client
    find = createFindStore({ client, taskId: task })
    find.open(1, 'l')
    await new Promise((resolve) => setTimeout(resolve, 20))
    find.setQuery({ text: 'lamp' }, { immediate: true })
    expect(await settled()).toMatchObject({ matches: 1 })
    late.resolve()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(find.store.getState()).toMatchObject({ matches: 1 })
    expect(find.store.getState().places).toHaveLength(1)
  })

  it('explains an invalid expression, until the next text', async () => {
    say('lamp')
    find.open(1, '(lamp')
    expect(await settled()).toMatchObject({ matches: 0, problem: null })
    find.setQuery({ isPattern: true }, { immediate: true })
    const failed = await until(find.store, ({ phase }) => phase === 'failed')
    expect(failed.problem).toMatchObject({
      field: 'query',
      message: '(lamp is not a regular expression: unterminated group.',
    })
    find.setQuery({ text: '(lamp)' })
    expect(await settled(({ phase }) => phase === 'done')).toMatchObject({
      matches: 1,
      problem: null,
      places: [{ texts: ['lamp'] }],
    })
    find.setQuery({ text: '' })
    expect(find.store.getState()).toMatchObject({ phase: 'idle', places: [], current: null })
    find.close()
    expect(find.store.getState()).toMatchObject({ isOpen: false, query: { isPattern: true } })
  })
})
