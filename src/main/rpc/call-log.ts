import { ORPCError } from '@orpc/server'
import type { Log } from '../log/log.ts'

/** Duration of a call; a stream has answered before it ends. */
const slowMsMin = 1_000
/** These take as long as the user thinks. */
const waitsForPerson = new Set(['app.pickFolder'])

/** Logs failed and slow calls. Inputs and answers are never written. */
export function createCallLog(log: Pick<Log, 'warning' | 'error'>) {
  return {
    /** `ms`: how long it took. */
    ended(path: readonly string[], ms: number): void {
      const procedure = path.join('.')
      if (ms >= slowMsMin && !waitsForPerson.has(procedure))
        log.warning('call.slow', { procedure, ms: Math.round(ms) })
    },
    /** `error`: the call's error. One that the contract defines is a normal answer, except for a disk error. */
    failed(path: readonly string[], error: unknown): void {
      if (error instanceof Error && error.name === 'AbortError') return
      const isAnswer = error instanceof ORPCError && error.status < 500
      if (!isAnswer) log.error('call.failed', { procedure: path.join('.'), error })
    },
  }
}
