import { createStore, type StoreApi } from 'zustand/vanilla'

/** The state of the connection to the host. Loaded data stays readable in every state. */
export type ConnectionState =
  | { kind: 'connecting' }
  | { kind: 'open' }
  /** A retry is pending; `attempt` counts from 1. `tryNow` retries without waiting. */
  | { kind: 'lost'; attempt: number; tryNow?(): void }
  /** The host rejected the token: the link is old, or of another data directory. Not retried. */
  | { kind: 'refused' }
  /** Opened by hand, without the token of the printed link. */
  | { kind: 'no-token' }

export type Connection = StoreApi<ConnectionState>

export const createConnection = (): Connection =>
  createStore<ConnectionState>(() => ({ kind: 'connecting' }))
