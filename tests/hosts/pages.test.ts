import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openPages } from '../../src/main/hosts/web/pages.ts'
import { temporaryDir } from '../harness.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

it('[K7] a code is valid for one page, and for a minute', async () => {
  let nowMs = 0
  const pages = await openPages(null, () => nowMs)
  const [used, late] = [pages.mintCode(), pages.mintCode()]
  nowMs = minuteMs - 1
  const token = pages.redeem(used)
  expect(token && pages.isPage(token)).toBe(true)
  expect(pages.redeem(used)).toBeNull()
  nowMs = minuteMs
  expect(pages.redeem(late)).toBeNull()
})

it('[K7] forgets a page that was not used for thirty days, and keeps one that was', async () => {
  const file = join(await temporaryDir(), 'web-host.json')
  let nowMs = 0
  const clock = () => nowMs
  const first = await openPages(file, clock)
  const [left, used] = [first.mint(), first.mint()]
  await first.listensOn(7000)
  nowMs = 20 * dayMs
  expect(first.isPage(used)).toBe(true)
  await first.close()
  nowMs = 31 * dayMs
  const second = await openPages(file, clock)
  expect([second.port, second.isPage(left), second.isPage(used)]).toEqual([7000, false, true])
  await second.close()
})
