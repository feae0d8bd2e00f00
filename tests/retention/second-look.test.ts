/** What two looks at the clock confirm, on days that follow each other or not. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { confirmedByTime } from '../../src/main/retention/second-look.ts'
import type { RemovalReason } from '../../src/shared/contract/retention.ts'
import { temporaryDir } from '../harness.ts'
import { dayMs } from './tasks.ts'

/** A look at that time at an item that is due for that reason, or at none. */
async function looker() {
  const file = join(await temporaryDir(), 'due.json')
  return async (nowMs: number, reason: RemovalReason | null = 'age') => {
    const one = { name: 'a', kind: 'trashed-file', taskId: null, bytes: 1, sinceMs: 0 } as const
    const planned = reason === null ? [] : [{ ...one, reason }]
    return (await confirmedByTime(file, planned, nowMs, { remember: true })).length === 1
  }
}

it('[X3] confirms what is due for the same reason at each look of a whole day', async () => {
  const look = await looker()
  expect(await look(10 * dayMs)).toBe(false)
  expect(await look(11 * dayMs - 1)).toBe(false)
  expect(await look(11 * dayMs)).toBe(true)
})

it('[X3] requires another day if it was not due at a look between, or for another reason', async () => {
  const look = await looker()
  await look(10 * dayMs)
  await look(10.5 * dayMs, null)
  expect(await look(11 * dayMs)).toBe(false)
  expect(await look(12 * dayMs, 'trash-bytes')).toBe(false)
  expect(await look(13 * dayMs, 'trash-bytes')).toBe(true)
})

it('[X3] does not count a look by a clock that was ahead', async () => {
  const look = await looker()
  await look(30 * dayMs)
  expect(await look(10 * dayMs)).toBe(false)
  expect(await look(10.5 * dayMs)).toBe(false)
  expect(await look(11 * dayMs)).toBe(true)
})
