import { expect, it, vi } from 'vitest'
import { createDrafts, textAfter } from '../../../../src/renderer/store/prompt/drafts.ts'

function storage(text: string | null = null) {
  const values = new Map<string, string>()
  if (text !== null) values.set('shiplog.drafts', text)
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: vi.fn((key: string, value: string) => void values.set(key, value)),
  }
}

it('stores drafts and sent prompts for the next window, and each prompt once', () => {
  const place = storage()
  const drafts = createDrafts(place)
  drafts.set('a', 'half')
  drafts.set('b', 'other')
  drafts.set('b', '')
  drafts.sent('c', 'One')
  drafts.sent('c', 'Two')
  drafts.sent('c', 'One')
  expect(place.setItem).not.toHaveBeenCalled()
  drafts.flush()
  expect(place.setItem).toHaveBeenCalledOnce()
  const next = createDrafts(place)
  expect([next.of('a'), next.of('b'), next.of('c')]).toEqual(['half', '', ''])
  expect(next.history()).toEqual(['One', 'Two'])
})

it('stores a draft once the user pauses', () => {
  vi.useFakeTimers()
  try {
    const place = storage()
    const drafts = createDrafts(place)
    for (const text of ['o', 'on', 'one']) drafts.set('a', text)
    vi.advanceTimersByTime(5_000)
    expect(place.setItem).toHaveBeenCalledOnce()
    expect(createDrafts(place).of('a')).toBe('one')
  } finally {
    vi.useRealTimers()
  }
})

it('stores the newest of many drafts, and keeps a text of megabytes in memory only', () => {
  const place = storage()
  const drafts = createDrafts(place)
  for (let n = 0; n < 80; n++) drafts.set(`task-${n}`, `draft ${n}`)
  drafts.set('long', 'x'.repeat(3_000_000))
  expect(drafts.of('long')).toHaveLength(3_000_000)
  drafts.flush()
  const next = createDrafts(place)
  expect([next.of('task-0'), next.of('task-79'), next.of('long')]).toEqual(['', 'draft 79', ''])
})

it.each(['{', '[]', '{"drafts":{"a":1},"sent":"x"}', 'null'])(
  'counts what it can’t read (%s) as nothing',
  (text) => {
    const drafts = createDrafts(storage(text))
    expect([drafts.of('a'), drafts.history()]).toEqual(['', []])
  },
)

it('continues if the storage refuses', () => {
  const drafts = createDrafts({
    getItem: () => {
      throw new Error('switched off')
    },
    setItem: () => {
      throw new Error('full')
    },
  })
  drafts.set('a', 'kept')
  drafts.flush()
  expect(drafts.of('a')).toBe('kept')
})

it.each([
  ['One', 'One', ''],
  ['One', '  One\n', ''],
  ['One', 'One and two', 'and two'],
  ['One', 'Zero, One', 'Zero, One'],
  ['', 'Typed beside images', 'Typed beside images'],
])('keeps what was typed while “%s” was sent', (prompt, text, rest) => {
  expect(textAfter(prompt, text)).toBe(rest)
})
