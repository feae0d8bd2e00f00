/**
 * A lock held by the kernel: it works across pid namespaces (containers, bubblewrap, flatpak), is kept by a stopped
 * process, and is released at once when its holder is killed. Node has no flock; an exclusive transaction of SQLite
 * on an empty file is equivalent on every system.
 */
import { lstat, open, readlink, unlink } from 'node:fs/promises'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { systemCode } from '../journal/errors.ts'
import { notAFile } from '../journal/files/data-file.ts'
import { readProcFile } from '../processes/proc-file.ts'
import { preparedName } from './lease-names.ts'

export interface KernelLock {
  /**
   * Identifies the locked file, because a file that was deleted and created again is another one.
   */
  readonly inode: string
  /**
   * Acquires it again if the kernel dropped it: closing any handle of the file does that (POSIX),
   * such as one of a tool that searches the data directory for an agent. Returns false if another
   * process has it now. Detected on Linux only.
   */
  retake(): Promise<boolean>
  /** May be called twice. */
  release(): void
}

type Sqlite = typeof import('node:sqlite')

type Locking =
  | { kind: 'locked'; lock: KernelLock }
  /** A live process has it, or is checking at this very moment whether one does. */
  | { kind: 'held' }
  /** Locks are not available: an old Node, or a file system without locks. */
  | { kind: 'unavailable'; why: string }

/** A lock lasts as long as its connection, which must not be garbage-collected. */
const connections = new Set<DatabaseSync>()

/** https://www.sqlite.org/rescode.html */
const sqliteBusy = 5
const isBusy = (error: unknown): boolean => (error as { errcode?: unknown }).errcode === sqliteBusy

/**
 * Tries to lock `file` without waiting, and creates it (0600) if missing. The file is never
 * removed: otherwise two processes could lock two files of one name. Throws the system's error for
 * a file that can't be created, and like `openDataFile` for anything but a regular file.
 */
export async function lockFile(file: string): Promise<Locking> {
  const sqlite = loadSqlite()
  if (!sqlite) return { kind: 'unavailable', why: `Node ${process.version} has no node:sqlite` }
  await makeFile(file)
  const inode = await inodeOf(file)
  let database: DatabaseSync | undefined
  try {
    database = new sqlite.DatabaseSync(file)
    // Without a rollback journal, because nothing is ever written and no second file should appear.
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    if (!isBusy(error)) return { kind: 'unavailable', why: (error as Error).message }
    return (await canLockIn(path.dirname(file), sqlite))
      ? { kind: 'held' }
      : { kind: 'unavailable', why: 'its file system has no locks' }
  }
  const locked = database
  let isInTransaction = true
  // The file may have been replaced between the check and the lock.
  if ((await inodeOf(file)) !== inode) {
    locked.close()
    return { kind: 'held' }
  }
  connections.add(locked)
  // Some file systems report different inode numbers in the list of locks.
  const canBeSeen = await isListed(inode)
  return {
    kind: 'locked',
    lock: {
      inode,
      async retake() {
        if (!connections.has(locked) || !canBeSeen) return true
        if (isInTransaction && (await isListed(inode))) return true
        try {
          if (isInTransaction) locked.exec('COMMIT')
        } catch {
          // SQLite can't unlock a file that another process has locked meanwhile; the transaction
          // has ended.
        }
        isInTransaction = false
        try {
          locked.exec('BEGIN EXCLUSIVE')
        } catch (error) {
          if (isBusy(error)) return false
          throw error
        }
        isInTransaction = true
        return true
      },
      release() {
        if (connections.delete(locked)) locked.close()
      },
    },
  }
}

/**
 * Reports whether a new file in the folder, which nobody else can have locked, can be locked: on a file system without
 * locks (ENOLCK, as on NFS without its lock service), SQLite reports every file as busy. True if no file can be created.
 */
async function canLockIn(dir: string, { DatabaseSync }: Sqlite): Promise<boolean> {
  const file = path.join(dir, preparedName())
  let database: DatabaseSync | undefined
  try {
    await makeFile(file)
    database = new DatabaseSync(file)
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    return !isBusy(error)
  } finally {
    database?.close()
    await unlink(file).catch(() => {})
  }
}

/**
 * Creates the file if it is missing. An existing file is not opened: closing any handle of a file drops every
 * lock that this process has on it (POSIX), so only SQLite may ever open it.
 */
async function makeFile(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close()
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
}

/**
 * Reports whether the kernel lists a lock of this process on the file; false also if the list is
 * not available.
 */
async function isListed(inode: string): Promise<boolean> {
  if (process.platform !== 'linux') return false
  // In a container with the outer /proc, process ids there are from another namespace.
  const own = await readlink('/proc/self').catch(() => '')
  if (own !== String(process.pid)) return false
  const listed = await readProcFile('/proc/locks', 'latin1').catch(() => '')
  // `1: POSIX ADVISORY WRITE <pid> <device>:<inode> <first byte> <last byte>`
  return listed.split('\n').some((line) => {
    const [, kind, , , pid, place] = line.trim().split(/\s+/)
    return kind === 'POSIX' && pid === own && place?.endsWith(`:${inode}`) === true
  })
}

/** Returns the inode number of the entry at `file`; null if there is none. Throws other system errors. */
export async function inodeAt(file: string): Promise<string | null> {
  const status = await lstat(file, { bigint: true }).catch((error) => {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  })
  return status && String(status.ino)
}

async function inodeOf(file: string): Promise<string> {
  const status = await lstat(file, { bigint: true })
  if (!status.isFile()) throw notAFile(file, status)
  return String(status.ino)
}

/** Returns null if this Node has no `node:sqlite` (before 22.13), or only behind a flag. */
function loadSqlite(): Sqlite | null {
  // Node 22 prints a warning about it once on standard error. The API used here has not changed
  // since.
  const warn = process.emitWarning
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule?.('node:sqlite') ?? null
  } catch {
    return null
  } finally {
    process.emitWarning = warn
  }
}
