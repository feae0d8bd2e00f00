import { describe, expect, it } from 'vitest'
import {
  createKeys,
  isCharacterKeys,
  type KeyCommand,
} from '../../../../src/renderer/store/window/keys.ts'

const command = (keys: string, more: Partial<KeyCommand> = {}): KeyCommand => ({
  keys,
  label: keys,
  group: 'Everywhere',
  run: () => {},
  ...more,
})
const plain = (key: string) => ({ key, mod: false, alt: false })

describe('keys', () => {
  it('distinguish a key with Ctrl or Cmd from the letter alone', () => {
    const keys = createKeys()
    keys.register([command('Mod+k'), command('k')])
    expect(keys.press({ key: 'K', mod: true, alt: false }, 'window', 0)?.keys).toBe('Mod+k')
    expect(keys.press(plain('k'), 'window', 0)?.keys).toBe('k')
  })

  it('accept a sequence of two keys, if the second comes soon', () => {
    const keys = createKeys()
    keys.register([command('g a'), command('a')])
    expect(keys.press(plain('g'), 'window', 0)).toBeNull()
    expect(keys.press(plain('a'), 'window', 500)?.keys).toBe('g a')
    keys.press(plain('g'), 'window', 1_000)
    expect(keys.press(plain('a'), 'window', 9_000)?.keys).toBe('a')
    keys.press(plain('g'), 'window', 10_000)
    expect(keys.press(plain('x'), 'window', 10_100)).toBeNull()
    expect(keys.press(plain('a'), 'window', 10_200)?.keys).toBe('a')
  })

  it('return the newest registered one, and the previous one after its removal', () => {
    const keys = createKeys()
    const stop = command('Escape', { label: 'Stop' })
    const close = command('Escape', { label: 'Close' })
    keys.register([stop])
    const unregister = keys.register([close])
    expect(keys.press(plain('Escape'), 'window', 0)?.label).toBe('Close')
    unregister()
    expect(keys.press(plain('Escape'), 'window', 0)?.label).toBe('Stop')
  })

  it('prefer the screen’s keys to the window’s, even if those were registered later', () => {
    const keys = createKeys()
    keys.register([command('n', { group: 'Review', label: 'Next change' })])
    keys.register([
      command('n', { group: 'Everywhere', label: 'New agent' }),
      command('Escape', { group: 'Everywhere', label: 'Close the projects' }),
    ])
    keys.register([command('Escape', { group: 'Review', label: 'Back' })])
    expect(keys.press(plain('n'), 'window', 0)?.label).toBe('Next change')
    expect(keys.press(plain('Escape'), 'window', 0)?.label).toBe('Back')
  })

  it('keep the window’s keys from a dialog, and do nothing for keys that are only listed', () => {
    const keys = createKeys()
    keys.register([
      command('t'),
      command('[', { scope: 'dialog' }),
      command('Enter', { run: undefined }),
    ])
    expect(keys.press(plain('t'), 'dialog', 0)).toBeNull()
    expect(keys.press(plain('['), 'window', 0)).toBeNull()
    expect(keys.press(plain('['), 'dialog', 0)?.keys).toBe('[')
    expect(keys.press(plain('Enter'), 'window', 0)).toBeNull()
    expect(keys.store.getState()).toHaveLength(3)
  })

  it('tell keys that type characters from all others', () => {
    expect(['n', '?', 'g a'].map(isCharacterKeys)).toEqual([true, true, true])
    expect(['Mod+k', 'Escape', 'F6', null].some(isCharacterKeys)).toBe(false)
  })
})
