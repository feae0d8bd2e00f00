import { setTimeout as sleep } from 'node:timers/promises'
import { allProcessStats } from './stat.ts'

/** Time for processes to end on SIGTERM before they are killed. */
const killGraceMs = 1000
const pollMs = 20
/** A killed process disappears once the system has torn it down, which a busy disk can delay. */
const exitMsMax = 500

/**
 * Ends every process of a group: waits `settleMs` for it to exit, sends SIGTERM, and kills the rest after
 * `killGraceMs`. Resolves with whether a signal was needed. `pid` is the group's leader, which may have exited already.
 */
export async function endProcessGroup(
  pid: number,
  { settleMs = 0 }: { settleMs?: number } = {},
): Promise<boolean> {
  if (!(await hasLiving(pid)) || (await exitedWithin(pid, settleMs))) return false
  signalGroup(pid, 'SIGTERM')
  if (await exitedWithin(pid, killGraceMs)) return true
  signalGroup(pid, 'SIGKILL')
  await exitedWithin(pid, exitMsMax)
  return true
}

async function exitedWithin(pid: number, timeMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeMs; Date.now() < deadline; ) {
    await sleep(pollMs)
    if (!(await hasLiving(pid))) return true
  }
  return false
}

/**
 * Reports whether the group has a live process. In a container whose first process does not reap
 * orphans, ended processes stay in their group forever, so checking the group alone would wait for
 * dead ones.
 */
async function hasLiving(pid: number): Promise<boolean> {
  if (!signalGroup(pid, 0)) return false
  if (process.platform !== 'linux') return true
  const stats = await allProcessStats()
  return stats.some(({ group, isAlive }) => group === pid && isAlive)
}

/**
 * Returns false if there is no such group. Windows has no groups: the process alone is signalled.
 */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
    return true
  } catch {
    return false
  }
}
