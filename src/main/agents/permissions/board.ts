/** Holds the pending questions of this process. Their durable form is in the sessions. */
import { randomUUID } from 'node:crypto'
import type {
  PendingPermission,
  PermissionOutcome,
  PermissionRule,
  Verdict,
} from '../../../shared/agents/permissions.ts'

type BoardQuestion = Omit<PendingPermission, 'id' | 'askedAt'>
type Recheck = ((tried: readonly PermissionRule[]) => Promise<Verdict>) | null

interface PermissionBoard {
  /** Resolves with the answer, or `ended` on abort. Never rejects. */
  ask(question: BoardQuestion, recheck: Recheck, signal: AbortSignal): Promise<PermissionOutcome>
  list(): PendingPermission[]
  get(id: string): { question: PendingPermission; recheck: Recheck } | null
  /** False if it was already answered, or its run has ended. */
  settle(id: string, outcome: PermissionOutcome): boolean
  /** Settles the questions that the current rules allow. */
  recheck(): Promise<void>
  /** Returns the unsubscribe function. */
  subscribe(listener: () => void): () => void
}

export function createPermissionBoard(clock: () => number): PermissionBoard {
  const waiting = new Map<
    string,
    { question: PendingPermission; recheck: Recheck; resolve: (outcome: PermissionOutcome) => void }
  >()
  const listeners = new Set<() => void>()
  const publish = () => {
    for (const listener of [...listeners]) listener()
  }

  function settle(id: string, outcome: PermissionOutcome): boolean {
    const found = waiting.get(id)
    if (!found) return false
    waiting.delete(id)
    found.resolve(outcome)
    publish()
    return true
  }

  return {
    async ask(question, recheck, signal) {
      if (signal.aborted) return { kind: 'ended' }
      const id = randomUUID()
      const { promise, resolve } = Promise.withResolvers<PermissionOutcome>()
      const onAbort = () => settle(id, { kind: 'ended' })
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.set(id, { question: { ...question, id, askedAt: clock() }, recheck, resolve })
      publish()
      try {
        return await promise
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    },
    list: () => [...waiting.values()].map(({ question }) => question),
    get: (id) => waiting.get(id) ?? null,
    settle,
    async recheck() {
      for (const [id, { recheck }] of [...waiting]) {
        const verdict = await recheck?.([])
        if (verdict?.kind === 'allow' && verdict.by === 'rule')
          settle(id, { kind: 'allowed', by: 'rule', rule: verdict.rule })
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
