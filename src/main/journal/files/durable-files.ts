// Durable writes of small files, renames and directories. Uses only primitives that the crash tests can trace: no cp,
// copyFile or recursive rm.
import { randomUUID } from 'node:crypto'
import { constants, writeSync } from 'node:fs'
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  opendir,
  rename,
  stat,
  unlink,
} from 'node:fs/promises'
import path from 'node:path'
import { hasOpenPaths, withHeldFolder } from '../../open-folders/open-folders.ts'
import { systemCode } from '../errors.ts'
import { isNoFile, openDataFile, readDataFile } from './data-file.ts'
import { type RawPath, rawDirname } from './raw-path.ts'

/** The last pending write to each file, so that calls take effect in order. */
const writesUnderWay = new Map<string, Promise<void>>()

/**
 * Writes a whole file (0600). After a crash it holds either the old content or all of the new; if
 * this rejects, it holds the old. Refuses a symbolic link at `file` (code ELOOP). The folder must
 * exist. Several calls for one file take effect in call order.
 */
export function writeFileDurable(file: string, data: string | Uint8Array): Promise<void> {
  const target = path.resolve(file)
  const before = writesUnderWay.get(target)
  const replace = () => replaceFile(target, Buffer.from(data))
  const write = before ? before.then(replace, replace) : replace()
  writesUnderWay.set(target, write)
  const forget = () => {
    if (writesUnderWay.get(target) === write) writesUnderWay.delete(target)
  }
  write.then(forget, forget)
  return write
}

/**
 * Not write-file-atomic, because that treats a short write, which a full disk returns, as success
 * and may publish half a file.
 */
async function replaceFile(target: string, data: Uint8Array): Promise<void> {
  await refuseSymlink(target)
  await replaceBy(target, (prepared) => writeNewFile(prepared, data))
  await syncDirectory(path.dirname(target))
}

/** Temporary files of this process; any other in the data directory was left behind by a dead process. */
const beingPrepared = new Set<string>()

/** Reports whether this process is writing a temporary file of that name right now. */
export const isBeingPrepared = (file: string): boolean => beingPrepared.has(path.resolve(file))

/**
 * Calls `write` with a temporary name, then renames that file to `target`. Removes the temporary
 * file if either rejects.
 */
export async function replaceBy(
  target: string,
  write: (prepared: string) => Promise<void>,
): Promise<void> {
  const prepared = `${path.resolve(target)}.${randomUUID()}.tmp`
  beingPrepared.add(prepared)
  try {
    await write(prepared)
    await rename(prepared, target)
  } catch (error) {
    await unlink(prepared).catch(() => {})
    throw error
  } finally {
    beingPrepared.delete(prepared)
  }
}

/**
 * Replaces a file (0600) that can be rebuilt, by rename and without a sync: after a crash it may be missing or
 * incomplete.
 */
export async function replaceUnsynced(target: string, parts: Iterable<Uint8Array>): Promise<void> {
  await replaceBy(target, async (prepared) => {
    const handle = await open(prepared, 'wx', 0o600)
    try {
      for (const part of parts) await writeFully(handle, part)
    } finally {
      await handle.close()
    }
  })
}

/**
 * Creates a file (0600) that must not exist. Its content is durable, its directory entry not yet.
 */
export async function writeNewFile(file: RawPath, data: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await writeFully(handle, data)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Writes every byte at the handle's position. A single call may write fewer, as when the disk is
 * full.
 */
export async function writeFully(handle: FileHandle, data: Uint8Array): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const { bytesWritten } = await handle.write(data, done, data.length - done)
    done += notNone(bytesWritten)
  }
}

/** Like `writeFully`, synchronously. */
export function writeFullyNow(descriptor: number, data: Uint8Array): void {
  for (let done = 0; done < data.length; )
    done += notNone(writeSync(descriptor, data, done, data.length - done))
}

function notNone(bytesWritten: number): number {
  if (bytesWritten > 0) return bytesWritten
  throw Object.assign(new Error('the disk took no more bytes'), { code: 'ENOSPC' })
}

/**
 * Renames within one file system (else throws code EXDEV) and makes both directory entries durable.
 * A read-only directory is moved too, and is read-only again afterwards.
 */
export async function renameDurable(from: RawPath, to: RawPath): Promise<void> {
  await rename(from, to).catch(async (error) => {
    // Moving a directory changes its entry for the parent, which needs write permission on it.
    const mode = isDenied(error) ? await makeAccessible(from) : null
    if (mode === null) throw error
    // Held, because a link could be in its new place by then.
    await withHeldFolder(from, async (held) => {
      await rename(from, to).catch(async (again) => {
        await chmod(held, mode).catch(() => undefined)
        throw again
      })
      await chmod(hasOpenPaths ? held : to, mode)
    })
  })
  const [source, target] = [parentOf(from), parentOf(to)]
  // The new name first: after a crash there may be two names, never none.
  await syncDirectory(target)
  if (String(source) !== String(target)) await syncDirectory(source)
}

export const parentOf = (target: RawPath): RawPath =>
  typeof target === 'string' ? path.dirname(path.resolve(target)) : rawDirname(target)

const isDenied = (error: unknown): boolean => /^(EACCES|EPERM)$/.test(systemCode(error) ?? '')

/**
 * Gives this user full access to a directory, such as one that an agent made read-only. Returns the previous mode, or
 * null if the mode was not changed. Never throws.
 */
export async function makeAccessible(directory: RawPath): Promise<number | null> {
  const status = await lstat(directory).catch(() => null)
  if (!status?.isDirectory() || (status.mode & 0o700) === 0o700) return null
  return withHeldFolder(directory, async (held) => {
    const mode = (await stat(held)).mode & 0o7777
    await chmod(held, mode | 0o700)
    return mode
  }).catch(() => null)
}

/** Creates a directory and its missing parents (0700), each entry durable before the next. */
export async function makeDirDurable(directory: string): Promise<void> {
  const resolved = path.resolve(directory)
  const parent = path.dirname(resolved)
  if (parent === resolved) return
  if (!(await exists(resolved))) {
    await makeDirDurable(parent)
    await mkdir(resolved, { mode: 0o700 }).catch(ignore('EEXIST'))
  }
  // An existing one may have been created by a process that died before syncing it.
  await syncDirectory(parent)
}

/**
 * Like `makeDirDurable`, but neither `root` nor a directory between it and `directory` may be a
 * symbolic link, which would lead elsewhere (A3). Throws with code ELOOP.
 */
export async function makeDirInside(root: string, directory: string): Promise<void> {
  await refuseSymlinks(root, directory)
  await makeDirDurable(directory)
}

/**
 * Throws with code ELOOP if `root`, `target` or a directory between them is a symbolic link (A3).
 */
export async function refuseSymlinks(root: string, target: string): Promise<void> {
  await refuseSymlink(root)
  let at = root
  for (const name of path.relative(root, target).split(path.sep).filter(Boolean)) {
    at = path.join(at, name)
    await refuseSymlink(at)
  }
}

export type JsonFile<T> =
  | { kind: 'ok'; value: T }
  | { kind: 'missing' }
  | { kind: 'damaged'; reason: string }

/** The part of a zod schema that is used here. */
export interface JsonSchema<T> {
  safeParse(
    value: unknown,
  ):
    | { success: true; data: T }
    | { success: false; error: { issues: readonly { path: PropertyKey[]; message: string }[] } }
}

/**
 * Reads a JSON file. A missing or damaged file is a result, not an error; anything but a regular
 * file, a symbolic link included, counts as damaged. Throws other disk errors.
 */
export async function readJsonFile<T>(file: string, schema: JsonSchema<T>): Promise<JsonFile<T>> {
  let text: string
  try {
    text = (await readDataFile(file)).toString('utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { kind: 'missing' }
    if (isNoFile(error)) return { kind: 'damaged', reason: `${file} is not a file` }
    throw error
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'damaged', reason: `${file} is not JSON` }
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return { kind: 'ok', value: parsed.data }
  const [wrong] = parsed.error.issues
  const key = wrong?.path.join('.') || 'the whole'
  return { kind: 'damaged', reason: `${file} has another shape: ${key}: ${wrong?.message}` }
}

/** The running sync of each directory, by path, and the next one, which calls during it share. */
const syncsUnderWay = new Map<string, { now: Promise<void>; next: Promise<void> | null }>()

/** Syncs a directory. Calls during a running sync share the next one. */
export function syncDirectory(directory: RawPath): Promise<void> {
  // Windows can't open a directory, and NTFS journals its entries.
  if (process.platform === 'win32') return Promise.resolve()
  // Decoded as text, two different paths that are not UTF-8 could have the same key.
  if (typeof directory !== 'string') return syncNow(directory)
  const place = path.resolve(directory)
  const before = syncsUnderWay.get(place)
  if (before) {
    before.next ??= before.now.then(
      () => syncShared(place),
      () => syncShared(place),
    )
    return before.next
  }
  return syncShared(place)
}

function syncShared(place: string): Promise<void> {
  const now = syncNow(place)
  const underWay = { now, next: null }
  syncsUnderWay.set(place, underWay)
  const over = () => {
    if (underWay.next === null) syncsUnderWay.delete(place)
  }
  now.then(over, over)
  return now
}

async function syncNow(directory: RawPath): Promise<void> {
  const { O_DIRECTORY, O_NONBLOCK, O_RDONLY } = constants
  const handle = await open(directory, O_RDONLY | O_DIRECTORY | O_NONBLOCK)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Throws with code ELOOP if `file` is a symbolic link. */
export async function refuseSymlink(file: string): Promise<void> {
  const status = await lstat(file).catch(ignore('ENOENT'))
  if (status?.isSymbolicLink())
    throw Object.assign(
      new Error(`${file} is a symbolic link; Shiplog does not write through those`),
      {
        code: 'ELOOP',
        path: file,
      },
    )
}

/**
 * Reports whether the path exists; also true for a dangling symbolic link. Throws every error but
 * ENOENT.
 */
export async function exists(target: RawPath): Promise<boolean> {
  return (await lstat(target).catch(ignore('ENOENT'))) !== undefined
}

function ignore(code: string): (error: unknown) => undefined {
  return (error) => {
    if (systemCode(error) !== code) throw error
  }
}

/** Whether the permissions of a file or folder let this process read it; true if it is missing. */
export async function isReadable(target: string): Promise<boolean> {
  try {
    const isFolder = (await stat(target)).isDirectory()
    await (isFolder ? await opendir(target) : await openDataFile(target, 'read')).close()
    return true
  } catch (error) {
    return !['EACCES', 'EPERM'].includes(systemCode(error) ?? '')
  }
}
