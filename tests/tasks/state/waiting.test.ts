/** Who waits for others goes on when they are over, and not before. */

import { setImmediate as settled } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Ledger } from '../../../src/main/ledger/ledger.ts'
import { waitUntilOver } from '../../../src/main/tasks/state/waiting.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../../src/shared/records/ledger.ts'
import type { TaskStatus } from '../../../src/shared/records/tasks/task-status.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { createWorld, nowMs } from '../../retention/tasks.ts'

/** A task whose run the test plays. */
function stage(status: TaskStatus) {
  const world = createWorld()
  const taskId = world.add({ status })
  const listeners = new Set<() => void>()
  const ledger = {
    state: world.state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  } as unknown as Ledger
  const ended = Promise.withResolvers<void>()
  let mayStillSpawn = false
  return {
    taskId,
    listeners,
    wait: (over: Parameters<typeof waitUntilOver>[2] = {}) =>
      waitUntilOver(
        { ledger, runs: { mayStillSpawn: () => mayStillSpawn, ended: () => ended.promise } },
        [taskId],
        over,
      ),
    queueAgain() {
      mayStillSpawn = true
    },
    giveUp() {
      mayStillSpawn = false
      ended.resolve()
    },
    happen(event: LedgerEvent) {
      world.record(nowMs, event)
      for (const listener of [...listeners]) listener()
    },
  }
}

const process = { pid: 1, startedAt: '1' }
const completed = (taskId: TaskId, run: number): LedgerEvent => ({
  type: 'task.completed',
  taskId,
  run,
  usage: noUsage,
})

/** What a promise has become by now. */
async function stateOf(promise: Promise<unknown>): Promise<'done' | 'waiting'> {
  await settled()
  return Promise.race([promise.then(() => 'done' as const), settled('waiting' as const)])
}

it.each(['completed', 'interrupted', 'blocked'] as const)(
  '[T6] does not wait for one that is %s already',
  async (status) => {
    const { wait, listeners } = stage(status)
    expect(await stateOf(wait())).toBe('done')
    expect(listeners.size).toBe(0)
  },
)

it('[T6] continues once the end is recorded, and keeps no listener', async () => {
  const { taskId, wait, happen, listeners } = stage('spawned')
  const waiting = wait()
  expect(await stateOf(waiting)).toBe('waiting')
  happen({ type: 'task.renamed', taskId, title: 'Another' })
  expect(await stateOf(waiting)).toBe('waiting')
  happen(completed(taskId, 1))
  expect(await stateOf(waiting)).toBe('done')
  expect(listeners.size).toBe(0)
})

it('[T6][S1] waits for an interrupted task that was resumed and is still queued', async () => {
  const { taskId, wait, queueAgain, happen } = stage('interrupted')
  queueAgain()
  const waiting = wait()
  expect(await stateOf(waiting)).toBe('waiting')
  happen({ type: 'task.resumed', taskId, run: 2, process })
  expect(await stateOf(waiting)).toBe('waiting')
  happen(completed(taskId, 2))
  expect(await stateOf(waiting)).toBe('done')
})

it('[T6][S1] continues if a resume is abandoned without a record', async () => {
  const { wait, queueAgain, giveUp } = stage('interrupted')
  queueAgain()
  const waiting = wait()
  expect(await stateOf(waiting)).toBe('waiting')
  giveUp()
  expect(await stateOf(waiting)).toBe('done')
})

it('[T6] continues after the timeout, and rejects with the reason of the caller’s signal', async () => {
  const { wait, listeners } = stage('spawned')
  await wait({ timeoutMs: 1 })
  const abort = new AbortController()
  const waiting = wait({ signal: abort.signal })
  abort.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  await expect(wait({ signal: abort.signal })).rejects.toThrow('stopped')
  expect(listeners.size).toBe(0)
})
