import { expect, it } from 'vitest'
import {
  createPace,
  newRecordingSignal,
  noteRecorded,
  waitForIndex,
} from '../../src/main/search/index/recording-signal.ts'

it('[F2] rests four times as long as it worked while something is recorded, unless somebody waits for it', () => {
  const signal = newRecordingSignal()
  const pace = createPace(signal)
  expect(pace(50)).toBe(0)
  noteRecorded(signal)
  expect(pace(50)).toBe(200)
  expect(pace(50)).toBe(0)
  const relax = waitForIndex(signal)
  noteRecorded(signal)
  expect(pace(50)).toBe(0)
  relax()
  noteRecorded(signal)
  expect(pace(50)).toBe(200)
})
