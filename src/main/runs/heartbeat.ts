/**
 * Writes a timestamp while agents run, so that a start after a crash knows how long they ran: a command that runs for
 * an hour writes no entry. Not synced: a beat lost to a power cut only makes a duration shorter.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readDataFile } from '../journal/index.ts'

/** A duration is at most this much too short. */
const beatMs = 10_000

const heartbeatFile = 'heartbeat'

/** The last beat of an earlier process, in milliseconds since the epoch; null when there is none. */
export async function readHeartbeat(folder: string): Promise<number | null> {
  const text = await readDataFile(join(folder, heartbeatFile)).catch(() => null)
  const at = Number(text?.toString())
  return Number.isSafeInteger(at) && at > 0 ? at : null
}

interface Heartbeat {
  stop(): Promise<void>
}

/** `folder`: created on demand. `isNeeded`: agents are running. */
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
      // Without it a duration is too short after a crash; that is no reason to disturb anybody.
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
