import { createStore, type StoreApi } from 'zustand/vanilla'

/** How the page stands with its host. What was loaded stays readable in every state. */
export type ConnectionState =
  | { kind: 'connecting' }
  | { kind: 'open' }
  /** It is being tried again; `attempt` counts from 1. `tryNow`: without waiting for the next attempt. */
  | { kind: 'lost'; attempt: number; tryNow?(): void }
  /** The host does not know the token: the link is an old one, or of another data directory. Not tried again. */
  | { kind: 'refused' }
  /** Opened by hand, without the token of the printed link. */
  | { kind: 'no-token' }

export type Connection = StoreApi<ConnectionState>

export const createConnection = (): Connection =>
  createStore<ConnectionState>(() => ({ kind: 'connecting' }))
