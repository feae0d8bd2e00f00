/**
 * The open folds, kept outside the list so that a row keeps its state while it is scrolled out of
 * view.
 */
import { createContext, useContext, useSyncExternalStore } from 'react'

interface Folds {
  /** Undefined until it was opened or closed. */
  isOpen(key: string): boolean | undefined
  /** The user toggles a fold. */
  toggle(key: string, open: boolean): void
  /** Something else opens folds, such as a match inside them. */
  unfold(keys: readonly string[]): void
  subscribe(onChange: () => void): () => void
}

/** `onToggle`: the user toggles one, and its row must keep its place. */
export function createFolds(onToggle: () => void): Folds {
  const open = new Map<string, boolean>()
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const onChange of listeners) onChange()
  }
  return {
    isOpen: (key) => open.get(key),
    toggle(key, isOpen) {
      open.set(key, isOpen)
      onToggle()
      changed()
    },
    unfold(keys) {
      for (const key of keys) open.set(key, true)
      changed()
    },
    subscribe(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
  }
}

export const FoldContext = createContext<Folds>(createFolds(() => {}))

/**
 * A choice of one of several steps: the highest whose fold is open, from `most` down; 0 if none is. Going to one closes
 * those above.
 */
export function useFoldStep(
  keyOf: (step: number) => string,
  most: number,
): [step: number, goTo: (step: number) => void] {
  const folds = useContext(FoldContext)
  const step = useSyncExternalStore(folds.subscribe, () => {
    for (let one = most; one > 0; one -= 1) if (folds.isOpen(keyOf(one))) return one
    return 0
  })
  const goTo = (wanted: number) => {
    for (let one = most; one > wanted; one -= 1)
      if (folds.isOpen(keyOf(one))) folds.toggle(keyOf(one), false)
    if (wanted > 0) folds.toggle(keyOf(wanted), true)
  }
  return [step, goTo]
}

/** `openAtFirst` applies until it is toggled. */
export function useFold(key: string, openAtFirst = false): [open: boolean, toggle: () => void] {
  const folds = useContext(FoldContext)
  const chosen = useSyncExternalStore(folds.subscribe, () => folds.isOpen(key))
  const open = chosen ?? openAtFirst
  return [open, () => folds.toggle(key, !open)]
}
