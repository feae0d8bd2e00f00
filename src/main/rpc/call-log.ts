import { ORPCError } from '@orpc/server'
import type { Log } from '../log/log.ts'

/** Calls that take longer are logged. A stream counts until its first answer, not until its end. */
const slowMsMin = 1_000
/** Calls whose duration depends on the user. */
const waitingForUser = new Set(['app.pickFolder'])

/** Logs failed and slow calls. Never logs inputs or answers. */
export function createCallLog(log: Pick<Log, 'warning' | 'error'>) {
  return {
    /** `ms`: the duration of the call. */
    ended(path: readonly string[], ms: number): void {
      const procedure = path.join('.')
      if (ms >= slowMsMin && !waitingForUser.has(procedure))
        log.warning('call.slow', { procedure, ms: Math.round(ms) })
    },
    /** Errors that the contract defines are normal answers and not logged, except disk errors. */
    failed(path: readonly string[], error: unknown): void {
      if (error instanceof Error && error.name === 'AbortError') return
      const isAnswer = error instanceof ORPCError && error.status < 500
      if (!isAnswer) log.error('call.failed', { procedure: path.join('.'), error })
    },
  }
}
