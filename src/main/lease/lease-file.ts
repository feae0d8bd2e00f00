/** `lease.json`: reading it, taking it from a process that is dead, and replacing it. See FORMAT.md. */
import { createHash } from 'node:crypto'
import { link, readdir, rename, unlink } from 'node:fs/promises'
import path from 'node:path'
import { systemCode } from '../journal/errors.ts'
import { openDataFile } from '../journal/files/data-file.ts'
import { syncDirectory, writeNewFile } from '../journal/files/durable-files.ts'
import type { KernelLock } from './kernel-lock.ts'
import { contentOf, judge, type LeaseHolder, ownHolder, parseHolder } from './lease-holder.ts'
import { fileName, preparedName } from './lease-names.ts'

type Outcome =
  /** `over`: taken over from a dead process. */
  { kind: 'taken'; over: boolean } | NotTaken

export type NotTaken =
  /** `judged`: the holder is certainly alive; otherwise that can't be determined. */
  | { kind: 'held'; holder: LeaseHolder; judged: boolean }
  /** The lease changed hands during the check. */
  | { kind: 'again'; by: LeaseHolder | null }

/**
 * Writes `content` to `file`, if the file is missing or was written by a dead process. Replacing a dead one's bytes
 * requires the sole right to replace *these* bytes: a claim file named after them, taken by this same function. If a
 * claim's holder still finds these bytes, no other process can replace them; every content is unique, so they never
 * recur. `lock`: this process holds it, so a former holder of the same lock is dead.
 */
export async function take(
  file: string,
  content: string,
  lock: KernelLock | null,
): Promise<Outcome> {
  const found = await read(file)
  if (found === null) {
    if (await linkNew(file, content)) return { kind: 'taken', over: false }
    return { kind: 'again', by: (await holderAt(file)) ?? ownHolder(content) }
  }
  const holder = parseHolder(found)
  const judged = holder ? await judge(holder, lock) : 'dead'
  if (holder && judged !== 'dead') return { kind: 'held', holder, judged: judged === 'alive' }
  const claimFile = claimFor(file, found)
  const claim = await take(claimFile, contentOf(ownHolder(content)), lock)
  if (claim.kind === 'held') return { kind: 'again', by: claim.holder }
  if (claim.kind === 'again') return claim
  try {
    if ((await read(file)) !== found) return { kind: 'again', by: ownHolder(content) }
    await replace(file, content)
    return { kind: 'taken', over: true }
  } finally {
    await unlink(claimFile).catch(() => {})
  }
}

/** Returns the name of the claim to replace these bytes of this file. */
export function claimFor(file: string, content: string): string {
  // The name is hashed too, because otherwise a claim whose damaged bytes equal the lease's would
  // be its own claim.
  const digest = createHash('sha256')
    .update(`${path.basename(file)}\n${content}`)
    .digest('hex')
  return path.join(path.dirname(file), `${fileName}.${digest.slice(0, 32)}.claim`)
}

/**
 * Creates a file exclusively and never half-written: link(2) gives a complete file its name, or
 * fails.
 */
async function linkNew(file: string, content: string): Promise<boolean> {
  const prepared = await prepare(file, content)
  try {
    await link(prepared, file)
    await syncDirectory(path.dirname(file))
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await unlink(prepared).catch(() => {})
  }
}

/** Replaces the file by rename. Durable when it resolves; throws the system's error. */
export async function replace(file: string, content: string): Promise<void> {
  const prepared = await prepare(file, content)
  try {
    await rename(prepared, file)
  } catch (error) {
    await unlink(prepared).catch(() => {})
    throw error
  }
  await syncDirectory(path.dirname(file))
}

async function prepare(file: string, content: string): Promise<string> {
  const prepared = path.join(path.dirname(file), preparedName())
  await writeNewFile(prepared, Buffer.from(content)).catch(async (error) => {
    await unlink(prepared).catch(() => {})
    throw error
  })
  return prepared
}

/** A lease is shorter. A longer file is none, but may be too long to be read, each second, by its holder. */
const leaseBytesMax = 64 * 1024

/** Returns the beginning of the file, which is all of a lease; null if it is missing. Throws as `openDataFile` does. */
export async function read(file: string): Promise<string | null> {
  try {
    const handle = await openDataFile(file, 'read')
    try {
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(leaseBytesMax),
        0,
        leaseBytesMax,
        0,
      )
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}

/** Returns the holder recorded in the file; null if the file is missing or invalid. Throws as `read` does. */
export async function holderAt(file: string): Promise<LeaseHolder | null> {
  const content = await read(file)
  return content === null ? null : parseHolder(content)
}

/**
 * Removes files left behind by dead processes; those of a live process are its own to remove. A process prepares a file
 * only while it holds the lock, where there is one: `lock` proves that the one that left a half-written file is dead.
 */
export async function sweepLeftovers(dataDir: string, lock: KernelLock | null): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const [, suffix] = /^lease\.json\..+\.(prepared|claim)$/.exec(name) ?? []
    if (suffix === undefined) continue
    const file = path.join(dataDir, name)
    const content = await read(file).catch(() => null)
    if (content === null) continue
    const holder = parseHolder(content)
    const isLeft = holder
      ? (await judge(holder, lock)) === 'dead'
      : lock !== null && suffix === 'prepared'
    if (isLeft) await unlink(file).catch(() => {})
  }
}
