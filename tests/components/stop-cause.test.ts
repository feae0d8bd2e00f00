import { describe, expect, it } from 'vitest'
import { beginningOf } from '../../src/renderer/components/task/cause-text.tsx'
import {
  afterInterrupted,
  causeWords,
  shortCause,
  withoutInterrupted,
} from '../../src/renderer/components/task/stop-cause.ts'

describe('why it was interrupted', () => {
  it('is not said twice after the word', () => {
    expect(`Interrupted${afterInterrupted('interrupted with Ctrl-C')}`).toBe(
      'Interrupted with Ctrl-C',
    )
    expect(withoutInterrupted('interrupted with Ctrl-C')).toBe('with Ctrl-C')
    expect(`Interrupted${afterInterrupted('Shiplog quit while this was running')}`).toBe(
      'Interrupted because Shiplog quit',
    )
    expect(afterInterrupted(null)).toBe('')
    expect(withoutInterrupted('interrupted')).toBe('interrupted')
  })

  it('is told to the person as what they did, wherever it is shown', () => {
    const cause = 'stopped by the person'
    expect(`Interrupted${afterInterrupted(cause)}`).toBe('Interrupted because you stopped it')
    expect([causeWords(cause), withoutInterrupted(cause), shortCause(cause)]).toEqual([
      ...['stopped by you', 'stopped by you', 'stopped by you'],
    ])
    expect(causeWords('abandoned by the person')).toBe('abandoned by you')
  })

  it('is cut after its beginning, and only when it is long', () => {
    expect(beginningOf('x'.repeat(3_000)).length).toBeLessThan(300)
    expect(beginningOf('one\n'.repeat(50)).split('\n').length).toBeLessThan(6)
    expect(beginningOf('The disk is full.')).toBe('The disk is full.')
  })

  it('is a few letters in a row where it is a usual one', () => {
    expect(shortCause('interrupted with Ctrl-C')).toBe('Ctrl-C')
    expect(shortCause('Shiplog quit while this was running')).toBe('Shiplog quit')
    expect(shortCause('the disk is full (ENOSPC)')).toBe('the disk is full (ENOSPC)')
  })
})
