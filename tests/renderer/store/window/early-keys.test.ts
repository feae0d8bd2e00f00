import { describe, expect, it } from 'vitest'
import { holdEarlyKeys } from '../../../../src/renderer/store/window/early-keys.ts'

function page() {
  const listeners = new Set<(event: KeyboardEvent) => void>()
  const window = {
    addEventListener: (_: string, listener: (event: KeyboardEvent) => void) =>
      void listeners.add(listener),
    removeEventListener: (_: string, listener: (event: KeyboardEvent) => void) =>
      void listeners.delete(listener),
  } as unknown as Window
  const press = (key: string, more: Partial<KeyboardEvent> = {}) => {
    for (const listener of listeners) listener({ key, ...more } as KeyboardEvent)
  }
  return { window, press, listeners }
}

describe('keys that are pressed before the window is loaded', () => {
  it('are returned oldest first, once, and none is recorded after that', () => {
    const { window, press, listeners } = page()
    const early = holdEarlyKeys(window)
    press('g')
    press('a')
    expect(early.release().map(({ key }) => key)).toEqual(['g', 'a'])
    expect(listeners.size).toBe(0)
    expect(early.release()).toEqual([])
  })

  it('omit those of the browser, held modifiers, and keys of an input method', () => {
    const { window, press } = page()
    const early = holdEarlyKeys(window)
    press('r', { ctrlKey: true })
    press('r', { metaKey: true })
    press('j', { repeat: true })
    press('か', { isComposing: true })
    press('n')
    expect(early.release().map(({ key }) => key)).toEqual(['n'])
  })

  it('are the first eight, so that blind typing does not run a dozen commands', () => {
    const { window, press } = page()
    const early = holdEarlyKeys(window)
    for (const key of 'abcdefghijkl') press(key)
    expect(
      early
        .release()
        .map(({ key }) => key)
        .join(''),
    ).toBe('abcdefgh')
  })
})
