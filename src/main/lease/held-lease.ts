/** The lease that this process holds: its lock is checked once a second, and its files restored if they were deleted. */
import { unlink } from 'node:fs/promises'
import path from 'node:path'
import { syncDirectory } from '../journal/files/durable-files.ts'
import { inodeAt, type KernelLock, lockFile } from './kernel-lock.ts'
import { read, replace, take } from './lease-file.ts'
import { contentOf, judge, type LeaseHolder, parseHolder } from './lease-holder.ts'
import { lockName } from './lease-names.ts'

export interface Lease {
  readonly holder: LeaseHolder
  /**
   * Why there is no kernel lock, so that other containers and machines can't detect that this
   * process is alive; null if there is one.
   */
  readonly unlockedBecause: string | null
  /**
   * Whether the previous holder died without releasing the lease, so that unfinished work may
   * remain.
   */
  readonly tookOver: boolean
  /** Publishes this process's address. */
  setEndpoint(endpoint: string | null): Promise<void>
  /**
   * Resolves when another process has the lock or the lease, after their files were deleted or
   * replaced. Nothing may be written then.
   */
  readonly lost: Promise<void>
  isLost(): boolean
  /** Releases the lease if it is still ours. May be called twice. */
  release(): Promise<void>
}

export function createLease(
  file: string,
  taken: {
    holder: LeaseHolder
    content: string
    tookOver: boolean
    lock: KernelLock | null
    unlockedBecause: string | null
    watchMs: number
  },
): Lease {
  let { holder, content, lock } = taken
  let released = false
  let isLost = false
  const lost = Promise.withResolvers<void>()
  let last: Promise<unknown> = Promise.resolve()

  /** Serialized, because publishing an endpoint during the release would write the lease again. */
  function serially(work: () => Promise<void>): Promise<void> {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }

  async function isOurs(): Promise<boolean> {
    return !released && (await read(file)) === content
  }

  async function moveTo(next: LeaseHolder, nextContent: string): Promise<void> {
    await replace(file, nextContent)
    holder = next
    content = nextContent
  }

  const dataDir = path.dirname(file)
  const dataDirInode = inodeAt(dataDir)
  let isHeldByOther = false
  /**
   * A lock on a file that was deleted or replaced excludes no one. If the present file is not
   * locked, locks it and writes `lease.json` again; otherwise the lease is lost.
   */
  async function keepLock(): Promise<void> {
    if (released || isLost) return
    // It was moved or deleted: what is at its path now is another one, or would be created by the next file.
    if ((await inodeAt(dataDir)) !== (await dataDirInode)) return lose()
    if (!lock) return keepFile(null)
    const lockPath = path.join(dataDir, lockName)
    if ((await inodeAt(lockPath)) === lock.inode) {
      const wasHeld = isHeldByOther
      isHeldByOther = !(await lock.retake())
      if (isHeldByOther && (wasHeld || !(await isOurs()))) return lose()
      return isHeldByOther ? undefined : keepFile(lock)
    }
    const locking = await lockFile(lockPath)
    // A contender that finds our identity in `lease.json` releases the lock at once: only one that
    // keeps it has taken over.
    const wasHeld = isHeldByOther
    isHeldByOther = locking.kind === 'held'
    if (isHeldByOther && (wasHeld || !(await isOurs()))) return lose()
    if (locking.kind !== 'locked') return
    const next = { ...holder, lockInode: locking.lock.inode }
    const nextContent = contentOf(next)
    try {
      if (await isOurs()) await moveTo(next, nextContent)
      else {
        const outcome = await take(file, nextContent, locking.lock)
        if (outcome.kind === 'held') lose()
        if (outcome.kind !== 'taken') return locking.lock.release()
        holder = next
        content = nextContent
      }
    } catch (error) {
      locking.lock.release()
      throw error
    }
    lock.release()
    lock = locking.lock
  }

  /**
   * Writes `lease.json` again if it is missing, destroyed, or an old one that was copied back: otherwise nobody would
   * find the holder until it ends. A process that has no locks may have taken the missing one: it can't detect this
   * process, which therefore stops.
   */
  async function keepFile(held: KernelLock | null): Promise<void> {
    const found = await read(file)
    if (found === content) return
    const other = found === null ? null : parseHolder(found)
    if (other !== null && isThis(other)) {
      // The disk failed after the rename.
      content = found ?? content
      holder = other
      return
    }
    if (other !== null && (await judge(other, held)) !== 'dead') return lose()
    const again = contentOf(holder)
    if ((await take(file, again, held)).kind === 'taken') content = again
  }

  const isThis = ({ pid, processStartedAt, acquiredAt }: LeaseHolder) =>
    pid === holder.pid &&
    processStartedAt === holder.processStartedAt &&
    acquiredAt === holder.acquiredAt

  function lose(): void {
    isLost = true
    lost.resolve()
  }

  // A disk error may be temporary; the next check repeats it.
  const watch = setInterval(() => void serially(keepLock).catch(() => {}), taken.watchMs)
  watch.unref()

  return {
    tookOver: taken.tookOver,
    unlockedBecause: taken.unlockedBecause,
    get holder() {
      return holder
    },
    setEndpoint: (endpoint) =>
      serially(async () => {
        if (!(await isOurs())) throw new Error(`${file} is not this process's lease any more`)
        const next = { ...holder, endpoint }
        await moveTo(next, contentOf(next))
      }),
    lost: lost.promise,
    isLost: () => isLost,
    release: () => {
      clearInterval(watch)
      return serially(async () => {
        try {
          if (await isOurs()) {
            released = true
            await unlink(file)
            await syncDirectory(path.dirname(file))
          }
          released = true
        } finally {
          // Last, so that no process reads the identity of a holder that has released its lock.
          lock?.release()
        }
      })
    },
  }
}
