import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ProjectId } from '../../shared/ids.ts'

/** The one dialog that lies over the window and has no address of its own. */
export type Overlay =
  | { kind: 'none' }
  | { kind: 'add-project' }
  /** Null: the person chooses the project in the dialog. */
  | { kind: 'new-agent'; projectId: ProjectId | null }
  | { kind: 'palette' }
  | { kind: 'keys' }

export interface OverlayStore {
  store: StoreApi<Overlay>
  /** Takes the place of one that is open. */
  show(overlay: Exclude<Overlay, { kind: 'none' }>): void
  hide(): void
}

export function createOverlay(): OverlayStore {
  const store = createStore<Overlay>(() => ({ kind: 'none' }))
  return {
    store,
    show: (overlay) => store.setState(overlay, true),
    hide: () => store.setState({ kind: 'none' }, true),
  }
}
