// Ensures one writer per data directory, across processes. FORMAT.md explains why two processes
// can't both acquire the lease.
import os from 'node:os'
import path from 'node:path'
import { exists, makeDirDurable } from '../journal/files/durable-files.ts'
import { ownIdentity } from '../processes/identity.ts'
import { createLease, type Lease } from './held-lease.ts'
import { lockFile } from './kernel-lock.ts'
import { LeaseHeldError } from './lease-errors.ts'
import { holderAt, type NotTaken, read, sweepLeftovers, take } from './lease-file.ts'
import { contentOf, judge, type LeaseHolder, type LeaseHost, parseHolder } from './lease-holder.ts'
import { fileName, lockName } from './lease-names.ts'

/** Attempts while other processes take over or release the lease: a few short waits are enough. */
const attemptsMax = 50
const retryDelayMs = 20
/** How often a holder checks that its lock file still has its name. One `lstat` each time. */
const watchMsDefault = 1_000
/** A live holder restores deleted files within this time: it checks once a second, and may be busy. */
const restoreMsMax = 2_500

/**
 * Acquires the lease of a data directory, and creates the directory (0700) if missing. A lease
 * whose holder is dead is taken over. With `wasUsed` the data directory was written before, so
 * missing lease files may be those of a live holder, which gets time to restore them. Throws
 * LeaseHeldError if another live process has it, also if that one is taking it over right now, and
 * if it can't be determined whether it is alive.
 */
export async function acquireLease(
  dataDir: string,
  {
    host,
    endpoint = null,
    wasUsed = false,
    watchMs = watchMsDefault,
  }: { host: LeaseHost; endpoint?: string | null; wasUsed?: boolean; watchMs?: number },
): Promise<Lease> {
  await makeDirDurable(dataDir)
  if (wasUsed) await awaitDeletedFiles(dataDir)
  const { pid, startedAt, pidNamespace } = await ownIdentity()
  const own = {
    pid,
    processStartedAt: startedAt,
    pidNamespace,
    hostName: os.hostname(),
    host,
    endpoint,
    acquiredAt: Date.now(),
  }
  const file = path.join(dataDir, fileName)
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(dataDir, own, watchMs)
    if (outcome.kind === 'acquired') return outcome.lease
    if (outcome.kind === 'held') throw new LeaseHeldError(file, outcome.holder, outcome.judged)
    if (attempt === attemptsMax) throw new LeaseHeldError(file, outcome.by)
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs))
  }
}

/**
 * Resolves at once if one of the lease's files exists, because Shiplog never deletes the lock file.
 * Else waits for `lease.json`: a holder that restores both creates the lock file first and locks it
 * a moment later.
 */
async function awaitDeletedFiles(dataDir: string): Promise<void> {
  if (await exists(path.join(dataDir, lockName))) return
  for (let waitedMs = 0; waitedMs < restoreMsMax; waitedMs += retryDelayMs) {
    if (await exists(path.join(dataDir, fileName))) return
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs))
  }
}

async function tryOnce(
  dataDir: string,
  own: Omit<LeaseHolder, 'lockInode'>,
  watchMs: number,
): Promise<{ kind: 'acquired'; lease: Lease } | NotTaken> {
  const file = path.join(dataDir, fileName)
  const locking = await lockFile(path.join(dataDir, lockName))
  // The holder of the lock is alive, in any namespace.
  if (locking.kind === 'held') return whoHolds(file)
  const lock = locking.kind === 'locked' ? locking.lock : null
  let lease: Lease | undefined
  try {
    const holder = { ...own, lockInode: lock?.inode ?? null }
    const content = contentOf(holder)
    const outcome = await take(file, content, lock)
    if (outcome.kind !== 'taken') return outcome
    await sweepLeftovers(dataDir, lock)
    const unlockedBecause = locking.kind === 'unavailable' ? locking.why : null
    const tookOver = outcome.over
    lease = createLease(file, { holder, content, tookOver, lock, unlockedBecause, watchMs })
    return { kind: 'acquired', lease }
  } finally {
    if (!lease) lock?.release()
  }
}

/** Returns the present holder of the lease; null if it is dead or there is none. */
export async function readLeaseHolder(dataDir: string): Promise<LeaseHolder | null> {
  const found = await read(path.join(dataDir, fileName))
  const holder = found && parseHolder(found)
  if (!holder) return null
  const judged = await judge(holder, null)
  if (judged !== 'unknown' || holder.lockInode === null) return judged === 'dead' ? null : holder
  const locking = await lockFile(path.join(dataDir, lockName))
  if (locking.kind !== 'locked') return holder
  locking.lock.release()
  return (await judge(holder, locking.lock)) === 'dead' ? null : holder
}

/**
 * Returns the identity of the process that has the lock, unless the lock changes hands right now.
 */
async function whoHolds(file: string): Promise<NotTaken> {
  const holder = await holderAt(file)
  if (holder && (await judge(holder, null)) !== 'dead')
    return { kind: 'held', holder, judged: true }
  return { kind: 'again', by: null }
}
