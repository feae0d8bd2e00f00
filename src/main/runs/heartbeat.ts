/**
 * Says while agents are at work that this process still lives, so that a start after a crash knows how long
 * they worked: a command that runs for an hour writes no entry. Not synced: a beat that a power cut loses
 * makes a duration shorter, nothing else.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readDataFile } from '../journal/index.ts'

/** A duration is at most this much too short. */
const beatMs = 10_000

const heartbeatFile = 'heartbeat'

/** Milliseconds since the epoch at which an earlier process last said that it lived; null when none did. */
export async function readHeartbeat(folder: string): Promise<number | null> {
  const text = await readDataFile(join(folder, heartbeatFile)).catch(() => null)
  const at = Number(text?.toString())
  return Number.isSafeInteger(at) && at > 0 ? at : null
}

interface Heartbeat {
  stop(): Promise<void>
}

/** `folder`: made when it is needed. `isNeeded`: agents are at work. */
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
