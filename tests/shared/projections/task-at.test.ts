import { expect, it } from 'vitest'
import { taskAt } from '../../../src/shared/projections/replay/task-at.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { createFakeHost } from '../../fake-host/fake-host.ts'

const time = (minutes: number) => new Date(Date.UTC(2026, 4, 1, 9, minutes)).toISOString()
const msAt = (minutes: number) => Date.parse(time(minutes))

/** Interrupted after its first run, completed with a report and applied after its second. */
function twoRuns(): Task {
  const host = createFakeHost()
  const id = host.start({ projectId: host.addProject('/code/app'), title: 'Cover the parser' })
  const task = host.state.tasks.get(id) as Task
  const cause = { kind: 'crashed' } as Task['cause']
  return {
    ...task,
    createdAt: time(0),
    status: 'completed',
    endedAt: time(30),
    hasReport: true,
    patch: 'applied',
    usage: { ...noUsage, costUsd: 2 },
    runs: [
      { run: 1, status: 'interrupted', startedAt: time(5), endedAt: time(10), cause },
      { run: 2, status: 'completed', startedAt: time(20), endedAt: time(30), cause: null },
    ],
  }
}

it('shows a task as it was: its runs, status, cause and report of that moment', () => {
  const task = twoRuns()
  expect(taskAt(task, msAt(-1))).toBeNull()
  expect(taskAt(task, msAt(1))).toMatchObject({ status: 'queued', runs: [], hasReport: false })
  const running = taskAt(task, msAt(7))
  expect(running).toMatchObject({ status: 'spawned', cause: null, endedAt: null, patch: 'none' })
  expect(running?.runs).toMatchObject([{ run: 1, endedAt: time(7) }])
  expect(taskAt(task, msAt(15))).toMatchObject({
    status: 'interrupted',
    cause: { kind: 'crashed' },
    endedAt: time(10),
    hasReport: false,
    usage: noUsage,
  })
  expect(taskAt(task, msAt(30))).toMatchObject({
    status: 'completed',
    hasReport: true,
    usage: { costUsd: 2 },
  })
})
