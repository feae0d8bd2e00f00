/** The items that an agent sends for one of its sessions. */
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk/unstable'
import type { FeedQueue } from '../../../shared/async/feed-queue.ts'

export type Item =
  /** `sessionId` as received. `about`: the sub-agent that the update describes or is addressed to; null if there is none. */
  | { kind: 'update'; sessionId: string; update: unknown; about: Child | null }
  | {
      kind: 'permission'
      request: Record<string, unknown>
      signal: AbortSignal
      resolve: (response: RequestPermissionResponse) => void
    }
  /** An announced sub-agent of the session sent its first item. */
  | { kind: 'sub-agent-began'; child: Child }
  /** `resolve` is called once all earlier items were read. */
  | { kind: 'mark'; resolve: () => void }

/** An item of a session, or an event in the life of the sub-agent whose session it is. */
export type SessionItem =
  | Item
  /** The sub-agent's work is done for now. `state` as received. */
  | { kind: 'idle'; state: Record<string, unknown> }
  /** The sub-agent works in this folder from now on; null stands for its parent's folder. */
  | { kind: 'moved'; cwd: string | null }
  /** No more items follow. `error` is null if the run of its parent has ended. */
  | { kind: 'gone'; error: Error | null }

/** One round of work of a sub-agent, from its announcement until it is idle. */
export interface Child {
  readonly sessionId: string
  /** Counts from 1, because an idle sub-agent may be given more work; 0 if its work was before the session was loaded. */
  readonly round: number
  readonly feed: FeedQueue<SessionItem>
  /** The folder in which its work began; null if it is its parent's. */
  cwd: string | null
  /** The agent accepts a request to stop this sub-agent alone. */
  canCancel: boolean
  /** It reported that it works, or waits for an answer. */
  isWorking: boolean
  /** It is idle, or its feed is no longer read: later items go to its parent. */
  isOver: boolean
}
