import { expect, it } from 'vitest'
import { createActivityBoard } from '../../../src/main/tasks/activity/activity.ts'
import { createShowWait } from '../../../src/main/tasks/activity/waits.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { type Activity, activityLine } from '../../../src/shared/records/tasks/activity.ts'

const paused: Activity = { state: 'paused' }

function stage() {
  const activity = createActivityBoard()
  const taskId = newTaskId()
  const wentOn: string[] = []
  const showWait = createShowWait(activity, (id) => wentOn.push(id))
  let isRunning = true
  return {
    wentOn,
    shown: () => activity.get(taskId)?.state,
    end: () => {
      isRunning = false
      activity.clear(taskId)
    },
    wait(doing: Activity) {
      const happened = Promise.withResolvers<void>()
      const slot = Promise.withResolvers<void>()
      const over = showWait({ taskId, doing, isRunning: () => isRunning }, async (onOver) => {
        await happened.promise
        onOver()
        await slot.promise
      })
      return { over, happen: () => happened.resolve(), giveSlot: () => slot.resolve() }
    },
  }
}

it('[Q2] shows a pause until it ends, then the wait for a slot, then that the agent runs', async () => {
  const { wait, shown, wentOn } = stage()
  const { over, happen, giveSlot } = wait(paused)
  expect(shown()).toBe('paused')
  happen()
  await expect.poll(shown).toBe('waiting')
  giveSlot()
  await over
  expect(shown()).toBe('working')
  expect(wentOn).toHaveLength(1)
})

it('[Q4] shows a question as long as one of several is open', async () => {
  const { wait, shown } = stage()
  const [first, second] = [wait({ state: 'asking' }), wait({ state: 'asking' })]
  second.happen()
  second.giveSlot()
  await second.over
  expect(shown()).toBe('asking')
  first.happen()
  first.giveSlot()
  await first.over
  expect(shown()).toBe('working')
})

it('[Q3] shows that an agent wraps up until its run ends, but not while it is paused', () => {
  const activity = createActivityBoard()
  const [id, next] = [newTaskId(), { state: 'working', text: 'Running ls' } as const]
  const shown = () => activityLine(activity.get(id) ?? null)
  activity.set(id, paused)
  activity.wrapUp(id)
  expect(shown()).toBe('Paused: a limit is reached')
  activity.set(id, next)
  expect(shown()).toBe('Wrapping up · Running ls')
  activity.clear(id)
  activity.set(id, next)
  expect(shown()).toBe('Running ls')
})

it('shows nothing for a run that ended while it waited', async () => {
  const { wait, shown, end, wentOn } = stage()
  const { over, happen, giveSlot } = wait(paused)
  end()
  happen()
  giveSlot()
  await over
  expect(shown()).toBeUndefined()
  expect(wentOn).toEqual([])
})
