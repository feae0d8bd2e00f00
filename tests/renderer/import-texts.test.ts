import { expect, it } from 'vitest'
import { linesText, progressText } from '../../src/renderer/views/imports/import-texts.ts'

it('states the result for the lines, without empty parts', () => {
  const none = { lines: 0, mapped: 0, foreign: 0, damaged: 0 }
  expect(linesText(none)).toBe('')
  expect(linesText({ ...none, lines: 1, mapped: 1 })).toBe(
    '1 line, which is part of the conversation.',
  )
  expect(linesText({ ...none, lines: 19, mapped: 19 })).toBe(
    '19 lines, all part of the conversation.',
  )
  expect(linesText({ lines: 9, mapped: 6, foreign: 2, damaged: 1 })).toBe(
    '9 lines: 6 are part of the conversation, 2 are records of the tool, kept unchanged, 1 line could not be read.',
  )
})

it('estimates the remaining time of an import only once there is a rate', () => {
  const progress = { sessions: 0, sessionsTotal: 60, bytes: 1_000, bytesTotal: 2_000_000 }
  expect(progressText(progress, 300)).toBe('0 of 60 sessions · 1 kB of 2 MB')
  expect(progressText({ ...progress, bytes: 1_000_000 }, 4_000)).toBe(
    '0 of 60 sessions · 1 MB of 2 MB · 250 kB/s · 4s left',
  )
})
