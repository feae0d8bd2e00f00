import { expect, it } from 'vitest'
import { foldLedgerRecord } from '../../src/shared/projections/ledger/fold-ledger.ts'
import {
  childrenByParent,
  countBelow,
  emptyLedgerState,
} from '../../src/shared/projections/ledger/ledger-state.ts'
import { newProjectId, newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import { taskCreated } from '../ledger/histories.ts'

it('counts the descendants of a task at any depth, and no other tasks', () => {
  const state = emptyLedgerState('/data')
  const project = newProjectId()
  const create = (parentId: TaskId | null): TaskId => {
    const id = newTaskId()
    const event = taskCreated(id, project, parentId)
    foldLedgerRecord(state, { seq: state.seq + 1, at: 1, event })
    return id
  }
  const [root, other] = [create(null), create(null)]
  const middle = create(root)
  const leaves = [create(middle), create(middle), create(root)]
  const children = childrenByParent(state.tasks.values())
  const counts = [root, other, middle, ...leaves].map((id) => countBelow(children, id))
  expect(counts).toEqual([4, 0, 2, 0, 0, 0])
})
