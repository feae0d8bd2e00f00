import { describe, expect, it } from 'vitest'
import { createFeedQueue } from '../../../src/shared/async/feed-queue.ts'

/** Resolves with whether the promise is settled once all pending callbacks have run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

describe('a feed queue', () => {
  it('returns its items in order, and merges one with the last', () => {
    const queue = createFeedQueue<number>()
    for (const item of [1, 2, 3]) queue.put(item)
    queue.put(10, (last) => last + 10)
    queue.put(4, () => null)
    expect(queue.size).toBe(4)
    expect(queue.take()).toBe(1)
    expect(queue.takeUpTo(2)).toEqual([2, 13])
    queue.clear()
    expect(queue.take()).toBeUndefined()
  })

  it('ends a wait by an item, by `wake` and by an abort, before or during the wait', async () => {
    const controller = new AbortController()
    const queue = createFeedQueue<number>({ signal: controller.signal })
    for (const end of [() => queue.put(1), queue.wake, () => controller.abort()]) {
      const waiting = queue.wait()
      expect(await isSettled(waiting)).toBe(false)
      end()
      expect(await isSettled(waiting)).toBe(true)
      queue.clear()
    }
    const aborted = createFeedQueue<number>({ signal: controller.signal })
    expect(await isSettled(aborted.wait())).toBe(true)
  })

  it('has room again once the reader has taken enough', async () => {
    const queue = createFeedQueue<number>({ roomMax: 2 })
    expect(await isSettled(queue.hasRoom())).toBe(true)
    for (const item of [1, 2, 3]) queue.put(item)
    const room = queue.hasRoom()
    queue.take()
    expect(await isSettled(room)).toBe(false)
    queue.take()
    expect(await isSettled(room)).toBe(true)
  })
})
