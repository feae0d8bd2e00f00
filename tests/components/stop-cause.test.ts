import { describe, expect, it } from 'vitest'
import {
  afterInterrupted,
  shortCause,
  withoutInterrupted,
} from '../../src/renderer/components/task/stop-cause.ts'

describe('why it was interrupted', () => {
  it('is not said twice after the word', () => {
    expect(`Interrupted${afterInterrupted('interrupted with Ctrl-C')}`).toBe(
      'Interrupted with Ctrl-C',
    )
    expect(withoutInterrupted('interrupted with Ctrl-C')).toBe('with Ctrl-C')
    expect(`Interrupted${afterInterrupted('Shiplog ended while it ran')}`).toBe(
      'Interrupted: Shiplog ended while it ran',
    )
    expect(afterInterrupted(null)).toBe('')
    expect(withoutInterrupted('interrupted')).toBe('interrupted')
  })

  it('is a few letters in a row where it is a usual one', () => {
    expect(shortCause('interrupted with Ctrl-C')).toBe('Ctrl-C')
    expect(shortCause('Shiplog ended while it ran')).toBe('Shiplog ended')
    expect(shortCause('the disk is full (ENOSPC)')).toBe('the disk is full (ENOSPC)')
  })
})
