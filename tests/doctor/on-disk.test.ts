import { expect, it } from 'vitest'
import { guarded } from '../../src/main/doctor/on-disk.ts'

it('what the disk refuses is a finding of its own, and a broken invariant is none', async () => {
  const refusing = (error: Error) =>
    Array.fromAsync(
      // biome-ignore lint/correctness/useYield: it ends before it finds anything
      guarded({ path: '/data/sessions/a' }, async function* () {
        throw error
      }),
    )
  expect(await refusing(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }))).toEqual([
    { kind: 'unreadable', path: '/data/sessions/a', detail: 'EIO: i/o error' },
  ])
  await expect(refusing(new Error('a bug'))).rejects.toThrow('a bug')
})
