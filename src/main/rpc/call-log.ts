import { ORPCError } from '@orpc/server'
import type { Log } from '../log/log.ts'

/** Of a call; what streams has answered before. */
const slowMsMin = 1_000
/** They take as long as a person thinks. */
const waitsForPerson = new Set(['app.pickFolder'])

/** Writes into our own log what went wrong in calls, and which took long. Inputs and answers are never written. */
export function createCallLog(log: Pick<Log, 'warning' | 'error'>) {
  return {
    /** `ms`: how long it took. */
    ended(path: readonly string[], ms: number): void {
      const procedure = path.join('.')
      if (ms >= slowMsMin && !waitsForPerson.has(procedure))
        log.warning('call.slow', { procedure, ms: Math.round(ms) })
    },
    /** `error`: what it answered with. One that the contract names is an answer like others, but for a bad disk. */
    failed(path: readonly string[], error: unknown): void {
      if (error instanceof Error && error.name === 'AbortError') return
      const isAnswer = error instanceof ORPCError && error.status < 500
      if (!isAnswer) log.error('call.failed', { procedure: path.join('.'), error })
    },
  }
}
