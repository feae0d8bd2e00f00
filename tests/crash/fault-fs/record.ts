/**
 * Watches, and makes fail, every call that this process makes to the file system below one directory:
 * our own code and any dependency's. `node:fs`, `fs.promises` and FileHandle are patched in place, once,
 * when this file is loaded; nothing is watched unless a recording is under way. What child processes do
 * (git above all) is not seen.
 */
import path from 'node:path'
import { putInPlace } from './patches.ts'
import { type Attempt, begin, type Fault, type Session, session, watch } from './session.ts'
import type { Trace } from './trace.ts'
import { readTree } from './tree.ts'

export type { Attempt, Fault } from './session.ts'

interface Recording {
  readonly trace: Trace
  /** Calls made so far. */
  readonly attempts: number
  /** Marks that somebody was told `fact`. */
  ack(fact: unknown): void
  /** Ends the recording; handles that are still open go on unwatched. */
  stop(): Trace
}

/**
 * Records what happens below `root`. One recording at a time. `ignore` leaves paths out, relative to the
 * root: without it Shiplog's own log, from which nothing is read back; `inject` may answer a fault for any call, which is then not made; `ended` is called for each that was
 * made, before its caller does.
 */
export function record(
  root: string,
  options: {
    ignore?: (path: string) => boolean
    inject?: (attempt: Attempt) => Fault | null
    ended?: (attempt: Attempt) => void
  } = {},
): Recording {
  if (session) throw new Error('a recording is under way')
  const mine: Session = {
    root: path.resolve(root),
    ignore: options.ignore ?? isOwnLog,
    inject: options.inject ?? null,
    ended: options.ended ?? null,
    trace: { before: readTree(root), steps: [] },
    attempts: 0,
    handles: new Map(),
    nextHandle: 1,
  }
  watch(mine)
  return {
    trace: mine.trace,
    get attempts() {
      return mine.attempts
    },
    ack: (fact) => void begin({ kind: 'ack', fact }),
    stop() {
      if (session === mine) watch(null)
      return mine.trace
    },
  }
}

export const isOwnLog = (path: string): boolean => path === 'logs' || path.startsWith('logs/')

await putInPlace()
