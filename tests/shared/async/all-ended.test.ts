import { expect, it } from 'vitest'
import { allEnded } from '../../../src/shared/async/all-ended.ts'

it('resolves with the values in order', async () => {
  expect(await allEnded([Promise.resolve(1), Promise.resolve('two')])).toEqual([1, 'two'])
})

it('rejects with the first failure, but only when the others have ended', async () => {
  const slow = Promise.withResolvers<void>()
  let isOver = false
  const all = allEnded([Promise.reject(new Error('first')), slow.promise])
  all.catch(() => {
    isOver = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isOver).toBe(false)
  slow.resolve()
  await expect(all).rejects.toThrow('first')
})
