/**
 * The keys that do something right now. What is on screen registers them, so the help sheet lists what
 * there is and nothing else. Pure but for the set of commands.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'

export type KeyGroup = 'Everywhere' | 'Lists' | 'Agent' | 'Transcript'

export interface KeyCommand {
  /** `Mod+k`, `g a` (one after the other), `?`, `Escape`. */
  keys: string
  label: string
  group: KeyGroup
  /** `dialog`: while the transcript lies over the window; else while nothing does. */
  scope?: 'window' | 'dialog'
  /** Absent where a focused list handles the key itself: then it is only listed. */
  run?(): void
}

export interface Keys {
  /** What is registered, oldest first. */
  store: StoreApi<readonly KeyCommand[]>
  /** Gives back the function that takes them away again. */
  register(commands: KeyCommand[]): () => void
  /** The command for one more pressed key, null when there is none (yet). The newest registered wins. */
  press(key: PressedKey, scope: 'window' | 'dialog', atMs: number): KeyCommand | null
}

interface PressedKey {
  key: string
  /** Ctrl, or Cmd on a Mac. */
  mod: boolean
  alt: boolean
}

/** The second key of a pair counts when it comes this soon. */
const pairMs = 1_200

export function createKeys(): Keys {
  const store = createStore<readonly KeyCommand[]>(() => [])
  let first: { key: string; atMs: number } | null = null

  function press(pressed: PressedKey, scope: 'window' | 'dialog', atMs: number): KeyCommand | null {
    const text = textOf(pressed)
    const pair = first && atMs - first.atMs <= pairMs ? `${first.key} ${text}` : null
    first = null
    const commands = store
      .getState()
      .filter((command) => command.run && (command.scope ?? 'window') === scope)
    const found =
      commands.findLast(({ keys }) => keys === pair) ??
      commands.findLast(({ keys }) => keys === text)
    if (!found && commands.some(({ keys }) => keys.startsWith(`${text} `)))
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

const textOf = ({ key, mod, alt }: PressedKey): string =>
  `${mod ? 'Mod+' : ''}${alt ? 'Alt+' : ''}${key.length === 1 ? key.toLowerCase() : key}`
