/** Which references go from a store with the tasks that they belong to. */
import { expect, it } from 'vitest'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { createTurnStore } from '../../src/main/turn-store/turn-store.ts'
import { newProjectId, newTaskId, type TaskId } from '../../src/shared/records/ids.ts'

const projectId = newProjectId()

/** Resolves with the references that a start deletes. */
async function deletedAtStart(
  tasks: { id: TaskId; rootId: TaskId; purged?: string; transcriptExpired?: object }[],
  references: string[],
): Promise<string[]> {
  const deleted: string[] = []
  const store = createTurnStore({
    ledger: {
      state: {
        projects: new Map([[projectId, { id: projectId, dir: '/project' }]]),
        removedProjects: new Map(),
        tasks: new Map(tasks.map((task) => [task.id, { projectId, ...task }])),
      },
      subscribe: () => () => {},
    } as never,
    git: {
      stores: {
        references: async () => references,
        dropReferences: async (_: string, gone: string[]) => void deleted.push(...gone),
        collect: async () => 0,
      },
    } as never,
    layout: layoutOf('/data'),
    onProblem: (text, error) => {
      throw new Error(text, { cause: error })
    },
  })
  store.begin()
  await store.settled()
  await store.close()
  return deleted
}

const [root, child] = [newTaskId(), newTaskId()]
const all = [`sessions/${child}`, `commits/${child}`, `shiplog/${child}`]

it('[H4] deletes every state of a tree whose root was deleted from the trash', async () => {
  const tasks = [
    { id: root, rootId: root, purged: '2026-11-21T12:00:00.000Z' },
    { id: child, rootId: root },
  ]
  expect(await deletedAtStart(tasks, all)).toEqual(all)
})

it('[H4] keeps the final state of a task whose transcript was deleted', async () => {
  const transcriptExpired = { purgedAt: '2026-11-21T12:00:00.000Z' }
  const tasks = [
    { id: root, rootId: root },
    { id: child, rootId: root, transcriptExpired },
  ]
  expect(await deletedAtStart(tasks, all)).toEqual(all.slice(0, 2))
})

it('[H4] keeps the states of tasks that the ledger does not list, and references of others', async () => {
  expect(await deletedAtStart([], [...all, 'heads/main', 'sessions/what'])).toEqual([])
})
