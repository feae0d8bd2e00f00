/** What the disk would not take of a task's end is not forgotten. */
import { expect, it, onTestFinished } from 'vitest'
import { createDeferredEvents } from '../../../src/main/tasks/state/deferred-events.ts'
import type { TaskEvent } from '../../../src/main/tasks/state/task-ledger.ts'
import { newTaskId, type TaskId } from '../../../src/shared/records/ids.ts'

function stage() {
  let refusing: Error | null = null
  const recorded: TaskEvent[] = []
  const later: TaskId[] = []
  const putOff = createDeferredEvents({
    async transition(event) {
      if (refusing) throw refusing
      recorded.push(event)
    },
    onRecorded: (taskId) => later.push(taskId),
    onDeferred: () => undefined,
  })
  onTestFinished(() => putOff.close())
  const refuse = (error: Error | null) => {
    refusing = error
  }
  return { putOff, recorded, later, refuse }
}

const cancelled = (taskId: TaskId): TaskEvent => ({
  type: 'task.cancelled',
  taskId,
  cause: { kind: 'error', detail: 'so' },
})

it('[J7] records an event as soon as the disk allows, once, and reports that', async () => {
  const { putOff, recorded, later, refuse } = stage()
  const event = cancelled(newTaskId())
  refuse(new Error('disk full'))
  await putOff.record(event)
  await expect(putOff.flush(event.taskId)).rejects.toThrow('disk full')
  refuse(null)
  await Promise.all([putOff.flush(event.taskId), putOff.flush(event.taskId)])
  expect(recorded).toEqual([event])
  expect(later).toEqual([event.taskId])
  await putOff.flush(newTaskId())
  expect(recorded).toHaveLength(1)
})

it('[J7] retries once when Shiplog closes', async () => {
  const { putOff, recorded, refuse } = stage()
  const event = cancelled(newTaskId())
  refuse(new Error('disk full'))
  await putOff.record(event)
  refuse(null)
  await putOff.close()
  expect(recorded).toEqual([event])
})
