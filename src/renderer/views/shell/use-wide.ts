import { useSyncExternalStore } from 'react'

/** Below this the sidebar folds to icons and the inspector lies over the conversation (UI, "The window"). */
const wideQuery = '(min-width: 960px)'

/** Whether there is room for a sidebar and an inspector beside the conversation. */
export function useWide(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(wideQuery).matches)
}

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(wideQuery)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
