import { describe, expect, it } from 'vitest'
import { createPreferences, toggled } from '../../../../src/renderer/store/window/preferences.ts'

function memory(start: Record<string, string> = {}) {
  const values = new Map(Object.entries(start))
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  }
}

describe('preferences', () => {
  it('are restored the next time', () => {
    const storage = memory()
    createPreferences(storage).setState({ theme: 'dark', sidebarWidth: 300 })
    expect(createPreferences(storage).getState()).toMatchObject({
      theme: 'dark',
      sidebarWidth: 300,
    })
  })

  it.each(['not json', '[]', 'null', '{"theme":"plaid","sidebarWidth":9000}'])(
    'count as not set when they are %s',
    (text) => {
      const { theme, sidebarWidth } = createPreferences(
        memory({ 'shiplog.preferences': text }),
      ).getState()
      expect([theme, sidebarWidth]).toEqual(['system', 264])
    },
  )

  it('last until the window is closed if nothing can be stored', () => {
    const store = createPreferences({
      getItem: () => {
        throw new Error('storage is off')
      },
      setItem: () => {
        throw new Error('storage is off')
      },
    })
    store.setState({ theme: 'light' })
    expect(store.getState().theme).toBe('light')
  })

  it('fold and unfold a row', () => {
    expect(toggled(toggled([], 'a'), 'b')).toEqual(['a', 'b'])
    expect(toggled(['a', 'b'], 'a')).toEqual(['b'])
  })
})
