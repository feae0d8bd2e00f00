import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { framesOf } from '../../../src/renderer/store/schedule.ts'

const frameMs = 16

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const startedAt = performance.now()
  vi.stubGlobal('requestAnimationFrame', (onFrame: () => void) =>
    setTimeout(onFrame, frameMs - ((performance.now() - startedAt) % frameMs)),
  )
  vi.stubGlobal('cancelAnimationFrame', clearTimeout)
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function scheduled() {
  const page = new EventTarget()
  const times: number[] = []
  const schedule = framesOf(page)(() => times.push(performance.now()))
  return { schedule, times, pressKey: () => page.dispatchEvent(new Event('keydown')) }
}

const advance = (ms: number) => vi.advanceTimersByTime(ms)

it('publishes once for all requests before the next frame', () => {
  const { schedule, times } = scheduled()
  for (let n = 0; n < 100; n++) schedule.request()
  expect(times).toEqual([])
  advance(2 * frameMs)
  expect(times).toHaveLength(1)
})

it('publishes a feed that never rests with every second frame', () => {
  const { schedule, times } = scheduled()
  for (let ms = 0; ms < 1_000; ms += 4) {
    schedule.request()
    advance(4)
  }
  expect(times.length).toBeGreaterThanOrEqual(28)
  expect(times.length).toBeLessThanOrEqual(32)
})

it('leaves one frame after a key to what was typed, and no more while a key is held', () => {
  const { schedule, times, pressKey } = scheduled()
  advance(105)
  schedule.request()
  pressKey()
  advance(frameMs)
  expect(times).toEqual([])
  advance(frameMs)
  expect(times).toHaveLength(1)
  for (let ms = 0; ms < 1_000; ms += 10) {
    schedule.request()
    pressKey()
    advance(10)
  }
  expect(times.length).toBeGreaterThan(15)
})

it('publishes in a hidden tab, which gets no frames, and nothing once cancelled', () => {
  const { schedule, times } = scheduled()
  vi.stubGlobal('requestAnimationFrame', () => 1)
  schedule.request()
  advance(300)
  expect(times).toHaveLength(1)
  schedule.request()
  schedule.cancel()
  advance(1_000)
  expect(times).toHaveLength(1)
})
