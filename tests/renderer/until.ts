import type { StoreApi } from 'zustand/vanilla'

/** Resolves once the store's state is as wanted: a fact is awaited, never a time. */
export function until<State>(
  store: Pick<StoreApi<State>, 'getState' | 'subscribe'>,
  wanted: (state: State) => boolean,
): Promise<State> {
  return new Promise((resolve) => {
    const look = (): void => {
      const state = store.getState()
      if (!wanted(state)) return
      unsubscribe()
      resolve(state)
    }
    const unsubscribe = store.subscribe(look)
    look()
  })
}

/** Publishes at once, in a microtask: tests have no frames. */
export const atOnce = (publish: () => void) => {
  let asked = false
  return {
    request() {
      if (asked) return
      asked = true
      queueMicrotask(() => {
        if (!asked) return
        asked = false
        publish()
      })
    },
    cancel() {
      asked = false
    },
  }
}
