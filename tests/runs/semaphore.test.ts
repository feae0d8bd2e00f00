import { setImmediate as settled } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { acquireBoth, createSemaphore, type Slot } from '../../src/main/runs/semaphore.ts'

const never = new AbortController().signal

/** What a promise has become by now. */
async function stateOf(promise: Promise<unknown>): Promise<'done' | 'waiting'> {
  await settled()
  return Promise.race([promise.then(() => 'done' as const), settled('waiting' as const)])
}

it('[T5] grants no more slots than exist, and continuing agents come first', async () => {
  const slots = createSemaphore(1)
  const first = await slots.acquire(never)
  const reply = Promise.withResolvers<void>()
  const lent = first.yieldWhile(() => reply.promise)
  const second = await slots.acquire(never)
  const third = slots.acquire(never)
  reply.resolve()
  expect(await stateOf(lent)).toBe('waiting')
  second.release()
  expect(await stateOf(lent)).toBe('done')
  expect(await stateOf(third)).toBe('waiting')
  first.release()
  expect(await stateOf(third)).toBe('done')
})

it('[T5] lends a slot once, however many things its agent waits for at the same time', async () => {
  const slots = createSemaphore(1)
  const first = await slots.acquire(never)
  const replies = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const lent = replies.map((reply) => first.yieldWhile(() => reply.promise))
  await slots.acquire(never)
  expect(await stateOf(slots.acquire(never))).toBe('waiting')
  for (const reply of replies) reply.resolve()
  expect(await stateOf(Promise.all(lent))).toBe('waiting')
})

it('[T5] frees exactly one slot when an agent ends in the middle of waiting', async () => {
  const slots = createSemaphore(2)
  const [ending, working] = [await slots.acquire(never), await slots.acquire(never)]
  const reply = Promise.withResolvers<void>()
  const lent = ending.yieldWhile(() => reply.promise).catch(() => undefined)
  const other = await slots.acquire(never)
  reply.reject(new Error('stopped'))
  await settled()
  ending.release()
  await lent
  const taken: Slot[] = []
  for (let n = 0; n < 3; n++) void slots.acquire(never).then((slot) => taken.push(slot))
  await settled()
  expect(taken).toHaveLength(0)
  working.release()
  other.release()
  await settled()
  expect(taken).toHaveLength(2)
})

it('[T5] frees the slot of an agent that ends in the moment in which it gets it again', async () => {
  const slots = createSemaphore(1)
  const ending = await slots.acquire(never)
  const reply = Promise.withResolvers<void>()
  const lent = ending.yieldWhile(() => reply.promise)
  const second = await slots.acquire(never)
  reply.resolve()
  expect(await stateOf(lent)).toBe('waiting')
  second.release()
  ending.release()
  expect(await stateOf(slots.acquire(never))).toBe('done')
})

it('rejects with the reason of the one who gave up, and gives its place to the next', async () => {
  const slots = createSemaphore(1)
  const first = await slots.acquire(never)
  const abort = new AbortController()
  const second = slots.acquire(abort.signal)
  const third = slots.acquire(never)
  abort.abort(new Error('called off'))
  await expect(second).rejects.toThrow('called off')
  first.release()
  expect(await stateOf(third)).toBe('done')
})

it('[T5] gives the slot of the group back when an agent is stopped while it waits for one of its tree', async () => {
  const [group, tree] = [createSemaphore(1), createSemaphore(1)]
  const working = await tree.acquire(never)
  const abort = new AbortController()
  const stopped = acquireBoth(group, tree, abort.signal)
  expect(await stateOf(stopped.catch(() => undefined))).toBe('waiting')
  expect(group.hasFree()).toBe(false)
  abort.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
  expect(group.hasFree()).toBe(true)
  working.release()
  expect(tree.hasFree()).toBe(true)
})

it('[T5] lends and frees both slots of an agent that was resumed with others', async () => {
  const [group, tree] = [createSemaphore(1), createSemaphore(1)]
  const slot = await acquireBoth(group, tree, never)
  const reply = Promise.withResolvers<void>()
  const lent = slot.yieldWhile(() => reply.promise)
  await settled()
  expect([group.hasFree(), tree.hasFree()]).toEqual([true, true])
  reply.resolve()
  await lent
  expect([group.hasFree(), tree.hasFree()]).toEqual([false, false])
  slot.release()
  expect([group.hasFree(), tree.hasFree()]).toEqual([true, true])
})
