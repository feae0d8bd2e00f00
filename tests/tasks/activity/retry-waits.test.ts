import { expect, it } from 'vitest'
import { createActivityBoard } from '../../../src/main/tasks/activity/activity.ts'
import { createRetryWaits } from '../../../src/main/tasks/activity/retry-waits.ts'
import { newTaskId, type TaskId } from '../../../src/shared/records/ids.ts'

const longMs = 10 * 60_000

function stage() {
  const activity = createActivityBoard()
  const continued: TaskId[] = []
  const waits = createRetryWaits({
    activity,
    clock: () => 1_000,
    onContinue: (taskId) => continued.push(taskId),
  })
  return { activity, continued, waits, taskId: newTaskId(), abort: new AbortController() }
}

it('shows until when an agent waits, and ends the wait when a user asks for it', async () => {
  const { activity, continued, waits, taskId, abort } = stage()
  const waiting = waits.wait(taskId, longMs, abort.signal)
  expect(activity.get(taskId)).toMatchObject({ state: 'working', retriesAt: 1_000 + longMs })
  expect(waits.end([newTaskId()])).toEqual([])
  expect(waits.end([newTaskId(), taskId])).toEqual([taskId])
  await waiting
  expect(activity.get(taskId)).toEqual({ state: 'working', text: 'Thinking' })
  expect(continued).toEqual([taskId])
  expect(waits.end([taskId])).toEqual([])
})

it('waits for the whole delay if nobody ends it', async () => {
  const { waits, taskId, abort } = stage()
  const from = performance.now()
  await waits.wait(taskId, 30, abort.signal)
  expect(performance.now() - from).toBeGreaterThanOrEqual(29)
})

it('ends with the reason of a stop, and leaves the activity to it', async () => {
  const { activity, continued, waits, taskId, abort } = stage()
  const waiting = waits.wait(taskId, longMs, abort.signal)
  abort.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  expect(activity.get(taskId)).toMatchObject({ retriesAt: 1_000 + longMs })
  expect(continued).toEqual([])
  expect(waits.end([taskId])).toEqual([])
})
