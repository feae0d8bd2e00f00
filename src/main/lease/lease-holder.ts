/** The holder of a lease as recorded in `lease.json`, and whether that process is alive. */
import { randomUUID } from 'node:crypto'
import os from 'node:os'
import { z } from 'zod'
import { isOfThisBoot, judgeProcess } from '../processes/identity.ts'
import type { KernelLock } from './kernel-lock.ts'

const hostSchema = z.enum(['desktop', 'web', 'cli'])
export type LeaseHost = z.infer<typeof hostSchema>

/**
 * The content of lease.json. The owner must be readable: a lease without one is taken over. The
 * other fields may be invalid, and a live process is still the holder.
 */
const holderSchema = z.object({
  pid: z.number(),
  processStartedAt: z.string(),
  pidNamespace: z.string().optional().catch(undefined),
  hostName: z.string(),
  host: hostSchema,
  /** The holder's address; null if it serves none. */
  endpoint: z.string().nullable().catch(null),
  /** Milliseconds since the epoch. */
  acquiredAt: z.number().catch(0),
  /**
   * The inode of the lock file that the holder keeps locked as long as it lives; null if locks are
   * not available.
   */
  lockInode: z.string().nullable().catch(null),
})
export type LeaseHolder = z.infer<typeof holderSchema>

/**
 * Returns null for content that no live process can have written: a lease is complete before it
 * gets its name.
 */
export function parseHolder(content: string): LeaseHolder | null {
  try {
    return holderSchema.safeParse(JSON.parse(content)).data ?? null
  } catch {
    return null
  }
}

/** Returns the bytes to write. A nonce makes them unique, so that equal bytes always come from the same write. */
export function contentOf(holder: LeaseHolder): string {
  return `${JSON.stringify({ ...holder, nonce: randomUUID() }, null, 2)}\n`
}

/** Parses content that this process wrote. Throws if it is invalid, which is a bug. */
export function ownHolder(content: string): LeaseHolder {
  const holder = parseHolder(content)
  if (!holder) throw new Error('a lease of our own making is not readable')
  return holder
}

/**
 * Determines whether a holder is alive. A process of another machine or container can't be
 * inspected. If it had the lock that this process holds now, it is dead, because the kernel
 * released the lock. `lock` is ours, null if we have none.
 */
export async function judge(
  { pid, processStartedAt, pidNamespace, hostName, lockInode }: LeaseHolder,
  lock: KernelLock | null,
): Promise<'alive' | 'dead' | 'unknown'> {
  // A network file system, or a folder shared with a virtual machine, may keep each machine's locks to itself.
  if (hostName !== os.hostname() && !(await isOfThisBoot({ startedAt: processStartedAt })))
    return 'unknown'
  const judged = await judgeProcess({ pid, startedAt: processStartedAt, pidNamespace })
  if (judged !== 'unknown') return judged === 'running' ? 'alive' : 'dead'
  return lock && lockInode === lock.inode ? 'dead' : 'unknown'
}
