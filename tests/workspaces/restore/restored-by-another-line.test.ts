import { expect, it } from 'vitest'
import { createRestoreArchived } from '../../../src/main/workspaces/archived/restore.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'

it('does not report a sub-agent that failed alone, but was restored for one below it', async () => {
  const archived = (id: string, parentId: string | null) =>
    ({
      id,
      parentId,
      title: id,
      status: 'interrupted',
      archived: true,
      workspace: {},
    }) as never as Task
  const tasks = new Map(
    [archived('root', null), archived('middle', 'root'), archived('inner', 'middle')].map(
      (task) => [task.id, task],
    ),
  )
  const task = (id: string) => tasks.get(id as Task['id']) ?? expect.unreachable()
  let failures = 1
  const restoring = createRestoreArchived({
    ledger: { state: { tasks }, record: async () => undefined },
    roots: { restorable: async () => task('root'), restore: async () => undefined },
    subAgents: {
      resumableBelow: () => [task('middle'), task('inner')],
      lineOf: ({ id }: Task) => ['middle', 'inner'].slice(0, id === 'inner' ? 2 : 1).map(task),
      refuseUnrestorable: async () => undefined,
      restore: async () => {
        if (failures-- > 0) throw new Error('the disk was full for a moment')
      },
    },
    leftovers: { reportOfSubAgents: async () => undefined },
    locks: { workspace: (_: string, work: () => Promise<void>) => work() },
    onProblem: () => undefined,
  } as never)
  await expect(restoring.restore(task('root').id)).resolves.toEqual({
    restored: ['root', 'middle', 'inner'],
    left: [],
  })
})
