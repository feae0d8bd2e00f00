/**
 * Writes a timestamp while agents run, so that a start after a crash can determine how long they
 * ran: a command that runs for an hour writes no entry. Not synced: a beat lost to a power cut only
 * makes a duration shorter.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readDataFile } from '../journal/index.ts'

/** The maximum error of a duration after a crash. */
const beatMs = 10_000

const heartbeatFile = 'heartbeat'

/** Returns the last timestamp of an earlier process, in milliseconds since the epoch, or null. */
export async function readHeartbeat(folder: string): Promise<number | null> {
  const text = await readDataFile(join(folder, heartbeatFile)).catch(() => null)
  const at = Number(text?.toString())
  return Number.isSafeInteger(at) && at > 0 ? at : null
}

interface Heartbeat {
  stop(): Promise<void>
}

/** `folder` is created on demand. `isNeeded` reports whether agents are running. */
export function startHeartbeat(
  folder: string,
  {
    clock,
    isNeeded,
    intervalMs = beatMs,
  }: {
    clock: () => number
    isNeeded: () => boolean
    intervalMs?: number
  },
): Heartbeat {
  const file = join(folder, heartbeatFile)
  let writing: Promise<void> = Promise.resolve()

  async function beat(): Promise<void> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(file, String(clock()), { mode: 0o600 })
    } catch {
      // The only consequence is a duration that is too short after a crash.
    }
  }

  const timer = setInterval(() => {
    if (isNeeded()) writing = writing.then(beat)
  }, intervalMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await writing
      await rm(file, { force: true }).catch(() => undefined)
    },
  }
}
