/** The items that an agent sends for one of its sessions. */
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk/unstable'
import type { Feed } from './feed.ts'

export type Item =
  /** `sessionId` as received. `about`: the sub-agent that it describes, or is a message to; null: none. */
  | { kind: 'update'; sessionId: string; update: unknown; about: Child | null }
  | {
      kind: 'permission'
      request: Record<string, unknown>
      signal: AbortSignal
      resolve: (response: RequestPermissionResponse) => void
    }
  /** A sub-agent of the session, which was announced, sent its first item. */
  | { kind: 'sub-agent-began'; child: Child }
  /** `resolve` is called once everything before it was read. */
  | { kind: 'mark'; resolve: () => void }

/** What moves or ends the work of a sub-agent as well. */
export type SessionItem =
  | Item
  /** Its work is done for now. `state`: as received. */
  | { kind: 'idle'; state: Record<string, unknown> }
  /** It works in this folder from now on; null: in that of its parent. */
  | { kind: 'moved'; cwd: string | null }
  /** Nothing more will come. Null: the run of its parent has ended. */
  | { kind: 'gone'; error: Error | null }

/** One stretch of work of a sub-agent, from its announcement until it is idle. */
export interface Child {
  readonly sessionId: string
  /** 1 for its first work; 0 if that was before the session was loaded. An idle sub-agent may be given more. */
  readonly round: number
  readonly feed: Feed<SessionItem>
  /** Where its work began, if that is another folder than its parent's; null: the same. */
  cwd: string | null
  /** The agent takes a request to stop it alone. */
  canCancel: boolean
  /** It said that it works, or waits for an answer. */
  isWorking: boolean
  /** It is idle, or nobody reads its feed any more: later items belong to its parent. */
  isOver: boolean
}
