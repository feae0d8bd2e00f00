import { expect, it } from 'vitest'
import { createActivityBoard } from '../../../src/main/tasks/activity/activity.ts'
import {
  createSilenceMonitor,
  silentAfterMs,
  silentStartAfterMs,
} from '../../../src/main/tasks/activity/silence.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'

function stage() {
  const activity = createActivityBoard()
  const taskId = newTaskId()
  let nowMs = 1_000_000
  let look = () => {}
  let isLooking = false
  const silenceMonitor = createSilenceMonitor({
    activity,
    clock: () => nowMs,
    every(_ms, run) {
      look = run
      isLooking = true
      return () => {
        isLooking = false
      }
    },
  })
  return {
    activity,
    taskId,
    silenceMonitor,
    isLooking: () => isLooking,
    pass(ms: number) {
      nowMs += ms
      look()
    },
  }
}

it('[Q4] states since when a working agent is silent, until its next output', () => {
  const { activity, taskId, silenceMonitor, pass, isLooking } = stage()
  activity.set(taskId, { state: 'working', text: 'Running npm test' })
  silenceMonitor.recordProgress(taskId)
  pass(silentAfterMs - 1)
  expect(activity.get(taskId)).not.toHaveProperty('silentSince')
  pass(1)
  expect(activity.get(taskId)).toMatchObject({ silentSince: 1_000_000, text: 'Running npm test' })
  silenceMonitor.recordProgress(taskId)
  expect(activity.get(taskId)).toEqual({ state: 'working', text: 'Running npm test' })
  silenceMonitor.ended(taskId)
  expect(isLooking()).toBe(false)
})

it('[Q4] does not call an agent silent that waits for sub-agents or for the user', () => {
  const { activity, taskId, silenceMonitor, pass } = stage()
  silenceMonitor.recordProgress(taskId)
  activity.set(taskId, { state: 'working', text: 'Waiting for its sub-agents', awaits: true })
  pass(2 * silentAfterMs)
  expect(activity.get(taskId)).not.toHaveProperty('silentSince')
  activity.set(taskId, { state: 'asking' })
  pass(2 * silentAfterMs)
  expect(activity.get(taskId)).toEqual({ state: 'asking' })
})

it('[Q4] states earlier that nothing came of an agent that starts', () => {
  const { activity, taskId, silenceMonitor, pass } = stage()
  activity.set(taskId, { state: 'working', text: 'Starting Codex', starts: true })
  silenceMonitor.recordProgress(taskId)
  pass(silentStartAfterMs)
  expect(activity.get(taskId)).toMatchObject({ starts: true, silentSince: 1_000_000 })
})

it('[Q4] does not call an agent silent that waits to try again', () => {
  const { activity, taskId, silenceMonitor, pass } = stage()
  silenceMonitor.recordProgress(taskId)
  activity.set(taskId, { state: 'working', text: 'Waiting to try again', retriesAt: 9_000_000 })
  pass(2 * silentAfterMs)
  expect(activity.get(taskId)).not.toHaveProperty('silentSince')
})
