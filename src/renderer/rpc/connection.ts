import { createStore, type StoreApi } from 'zustand/vanilla'

/** How the page stands with its host. What was loaded stays readable in every state. */
export type ConnectionState =
  | { kind: 'connecting' }
  | { kind: 'open' }
  /** It is being tried again; `attempt` counts from 1. */
  | { kind: 'lost'; attempt: number }
  /** The host knows another token: it was started again, or the URL is an old one. Not tried again. */
  | { kind: 'refused' }
  /** Opened by hand, without the token of the printed URL. */
  | { kind: 'no-token' }

export type Connection = StoreApi<ConnectionState>

export const createConnection = (): Connection =>
  createStore<ConnectionState>(() => ({ kind: 'connecting' }))
