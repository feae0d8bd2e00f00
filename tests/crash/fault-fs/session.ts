/** The recording that is under way, if any, and what falls within it. */
import fs from 'node:fs'
import path from 'node:path'
import type { Operation, Step, Trace } from './trace.ts'

/** As Node has it. */
const { readlinkSync: readlink } = fs

/** A call that is about to be made. */
export interface Attempt {
  /** Counts the calls of this recording, those that only look included, from 1. */
  n: number
  /** Name of the function: open, write, datasync, readdir … */
  call: string
  /** Relative to the recorded directory. */
  path: string
  /** Only of a rename or link: its source. */
  from?: string | undefined
  /** False for a call that only looks. */
  changes: boolean
}

export interface Fault {
  code: string
  /** Share of a failed write that still reaches the disk, 0 to 1. */
  tear?: number
  /** Called when that share has been written, before the error is. */
  torn?: () => void
}

/** A recording as the calls see it. */
export interface Session {
  root: string
  ignore: (path: string) => boolean
  inject: ((attempt: Attempt) => Fault | null) | null
  ended: ((attempt: Attempt) => void) | null
  trace: Trace
  attempts: number
  handles: Map<number, OpenHandle>
  nextHandle: number
}

interface OpenHandle {
  handle: number
  path: string
  appends: boolean
  position: number
}

/** Null: nothing is watched. */
export let session: Session | null = null

export function watch(next: Session | null): void {
  session = next
}

export function begin(operation: Operation): Step | null {
  if (!session) return null
  const { steps } = session.trace
  const step: Step = { operation, begunAt: steps.length, doneAt: null, failed: false }
  steps.push(step)
  if (operation.kind === 'ack') step.doneAt = steps.length
  return step
}

/** Relative to the recorded directory; null for what is outside of it, or left out. */
export function inside(given: unknown): string | null {
  const found = below(given)
  return found === null || session?.ignore(found) ? null : found
}

/** It lies in the recorded directory, and is left out. */
export function isIgnored(given: unknown): boolean {
  const found = below(given)
  return found !== null && session?.ignore(found) === true
}

function below(given: unknown): string | null {
  if (!session) return null
  const text = given instanceof URL ? given.pathname : given
  if (typeof text !== 'string' && !Buffer.isBuffer(text)) return null
  const relative = path.relative(session.root, path.resolve(throughOpen(String(text))))
  if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
    return null
  const parts = relative.split(path.sep)
  // Temporary files of Git operations: nobody reads them after a crash, and Git writes there unseen.
  return parts.includes('scratch') ? null : parts.join('/')
}

/** An entry of a folder that is held open, by the path that the folder has now. */
function throughOpen(text: string): string {
  const [, folder, entry = ''] = /^(\/proc\/self\/fd\/\d+)(\/.*)?$/s.exec(text) ?? []
  if (folder === undefined) return text
  try {
    return readlink(folder) + entry
  } catch {
    return text
  }
}
