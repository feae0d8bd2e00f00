import { expect, it } from 'vitest'
import type { PageQuery } from '../../../src/main/journal/index.ts'
import { historyOf } from '../../../src/main/runs/past.ts'
import { checkLineage, lineageOf } from '../../../src/main/tasks/resume/lineage.ts'
import type { TranscriptPage } from '../../../src/shared/contract/workspace.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import { newTaskId, type TaskId } from '../../../src/shared/records/ids.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'
import { ids, liveState } from '../../fixtures/entries/tasks.ts'
import { allOf, stateIn } from '../../runs/past-of.ts'

const titled = (seq: number): Entry => ({
  v: 1,
  seq,
  at: seq,
  uuid: crypto.randomUUID() as Entry['uuid'],
  parentUuid: null,
  type: 'title',
  title: `Entry ${seq}`,
})

/** A chain of tasks, each going on from the one before as it was at `seq`, and having `entries` now. */
function chain(...generations: { seq: number; entries: number }[]) {
  const state = { ...liveState, tasks: new Map(liveState.tasks) }
  const model = state.tasks.get(ids.lead) as Task
  const pages = new Map<TaskId, Entry[]>()
  let resumedFrom: Task['resumedFrom'] = null
  const asked: PageQuery[] = []
  for (const { seq, entries } of generations) {
    const id = newTaskId()
    state.tasks.set(id, { ...model, id, resumedFrom })
    pages.set(
      id,
      Array.from({ length: entries }, (_, at) => titled(at + 1)),
    )
    resumedFrom = { taskId: id, seq }
  }
  const transcriptPage = async (id: TaskId, query: PageQuery): Promise<TranscriptPage> => {
    asked.push(query)
    const { throughSeq = Number.POSITIVE_INFINITY } = query
    const entries = (pages.get(id) ?? []).filter(({ seq }) => seq <= throughSeq)
    return {
      status: 'complete',
      entries,
      damage: [],
      total: entries.length,
      nextSeq: null,
      prevSeq: null,
      expired: null,
    } as unknown as TranscriptPage
  }
  const sessionState = async (id: TaskId, throughSeq = Number.POSITIVE_INFINITY) =>
    stateIn((pages.get(id) ?? []).filter(({ seq }) => seq <= throughSeq))
  return {
    deps: { state, records: { transcriptPage, sessionState, blob: async () => null } },
    asked,
    task: { ...model, resumedFrom },
  }
}

const titles = (entries: Entry[]) =>
  entries.map((entry) => (entry.type === 'title' ? entry.title : entry.type))

it('[S3] ends where each task was continued, whatever its own later runs added', async () => {
  const { deps, task } = chain({ seq: 2, entries: 4 }, { seq: 1, entries: 3 })
  const past = await lineageOf(deps, task)
  expect(past.map(({ state, throughSeq }) => [state.seq, throughSeq])).toEqual([
    [2, 2],
    [1, 1],
  ])
  const entries = await allOf(historyOf(past).entries())
  expect(titles(entries)).toEqual(['Entry 1', 'Entry 2', 'Entry 1'])
  expect(await past[0]?.entry(2)).toMatchObject({ title: 'Entry 2' })
  expect(await past[0]?.entry(3)).toBeNull()
})

it('names the last entry, for a new task to continue from', async () => {
  const all = Number.MAX_SAFE_INTEGER
  const { deps, task } = chain({ seq: 2, entries: 4 }, { seq: all, entries: 3 })
  expect(await checkLineage(deps, task)).toEqual({ damage: [], lastSeq: 3 })
  const none = chain({ seq: all, entries: 0 })
  expect((await checkLineage(none.deps, none.task)).lastSeq).toBe(0)
})

it('[G9] is checked by the end of each transcript alone', async () => {
  const all = Number.MAX_SAFE_INTEGER
  const { deps, task, asked } = chain({ seq: 2, entries: 4 }, { seq: all, entries: 3 })
  await checkLineage(deps, task)
  expect(asked.map((query) => 'last' in query && query.last < 100)).toEqual([true, true])
})
