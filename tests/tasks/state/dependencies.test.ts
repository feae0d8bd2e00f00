import { expect, it } from 'vitest'
import type { Ledger } from '../../../src/main/ledger/ledger.ts'
import { blockedBy, releasedBy } from '../../../src/main/tasks/state/dependencies.ts'
import { createTaskLedger } from '../../../src/main/tasks/state/task-ledger.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { testLedger } from '../agent-history/ledger-of.ts'

it('[T6] releases a blocked task only once all its dependencies have completed', () => {
  const ledger = testLedger()
  const taskLedger = createTaskLedger({ state: ledger.state } as Ledger)
  const parentId = ledger.ask()
  const ask = (title: string, dependsOn: TaskId[] = []) =>
    ledger.ask({ parentId, rootId: parentId, title, dependsOn })
  const [first, second, other] = [ask('First'), ask('Second'), ask('Other')]
  const dependent = ask('Dependent', [first, second])
  for (const id of [first, second, other]) {
    ledger.spawn(id)
    ledger.fail(id)
  }
  ledger.happen({
    type: 'task.blocked',
    taskId: dependent,
    cause: { kind: 'error', detail: 'they failed' },
  })
  const released = (id: TaskId) => {
    ledger.spawn(id)
    ledger.complete(id)
    return releasedBy(taskLedger, id).map((task) => task.id)
  }
  expect(released(first)).toEqual([])
  expect(blockedBy(taskLedger, taskLedger.get(dependent))).toEqual({
    kind: 'dependencies',
    tasks: [{ taskId: second, title: 'Second', status: 'failed' }],
  })
  expect(released(other)).toEqual([])
  expect(released(second)).toEqual([dependent])
})
