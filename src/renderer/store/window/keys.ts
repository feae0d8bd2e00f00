/**
 * The commands of the screen, with their keys. Mounted components register them, so that the help sheet lists
 * exactly the active keys, and the palette all available commands. Pure except for the set of commands.
 */
import type { ReactNode } from 'react'
import { createStore, type StoreApi } from 'zustand/vanilla'

export type KeyGroup = 'Everywhere' | 'Lists' | 'Agent' | 'Transcript' | 'Replay' | 'Review'

export interface KeyCommand {
  /** `Mod+k`, `g a` (one after the other), `?`, `Escape`; null: it is only in the palette. */
  keys: string | null
  /** Another key that does the same, where something that has the focus handles both. */
  also?: string
  label: string
  icon?: ReactNode
  group: KeyGroup
  /** `dialog` while a dialog covers the window; otherwise `window`. */
  scope?: 'window' | 'dialog'
  /** False: not listed in the palette, because it moves within a list or needs a second press. */
  inPalette?: boolean
  /** Absent if a focused list handles the key itself: then it is only listed. */
  run?(): void
}

export interface Keys {
  /** The registered commands, oldest first. */
  store: StoreApi<readonly KeyCommand[]>
  /** Returns the function that removes them. */
  register(commands: KeyCommand[]): () => void
  /**
   * Returns the command for one more pressed key, null if there is none (yet). The newest
   * registration wins, except for a letter of the screen over the same letter of the window.
   */
  press(key: PressedKey, scope: 'window' | 'dialog', atMs: number): KeyCommand | null
}

interface PressedKey {
  key: string
  /** Ctrl, or Cmd on a Mac. */
  mod: boolean
  alt: boolean
  /** Compared with Ctrl or Cmd, and for function keys; elsewhere it selects the character. */
  shift?: boolean
}

/** The second key of a pair must follow within this time. */
const pairMs = 1_200

export function createKeys(): Keys {
  const store = createStore<readonly KeyCommand[]>(() => [])
  let first: { key: string; atMs: number } | null = null

  function press(pressed: PressedKey, scope: 'window' | 'dialog', atMs: number): KeyCommand | null {
    const text = textOf(pressed)
    const pair = first && atMs - first.atMs <= pairMs ? `${first.key} ${text}` : undefined
    first = null
    const commands = store
      .getState()
      .filter((command) => command.run && (command.scope ?? 'window') === scope)
    const found =
      commands.findLast(({ keys }) => keys === pair) ??
      commands.findLast(({ keys, group }) => keys === text && isLetterOfScreen(text, group)) ??
      commands.findLast(({ keys }) => keys === text)
    if (!found && commands.some(({ keys }) => keys?.startsWith(`${text} `)))
      first = { key: text, atMs }
    return found ?? null
  }

  return {
    store,
    register(commands) {
      store.setState((before) => [...before, ...commands], true)
      return () =>
        store.setState((before) => before.filter((command) => !commands.includes(command)), true)
    },
    press,
  }
}

/** `n`, `?`, `g a`: WCAG 2.1.4 requires a way to switch such keys off. */
export const isCharacterKeys = (keys: string | null): boolean =>
  keys?.split(' ').every((key) => key.length === 1) ?? false

/** The window's commands may be re-registered at any time, because their labels change. */
const isLetterOfScreen = (text: string, group: KeyGroup): boolean =>
  text.length === 1 && group !== 'Everywhere'

const textOf = ({ key, mod, alt, shift }: PressedKey): string =>
  `${mod ? 'Mod+' : ''}${alt ? 'Alt+' : ''}${shift && (mod || functionKey.test(key)) ? 'Shift+' : ''}${key.length === 1 ? key.toLowerCase() : key}`

const functionKey = /^F\d+$/
