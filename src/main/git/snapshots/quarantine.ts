/**
 * A separate folder for new objects until a reference to them is written. They are then moved into
 * Shiplog's store (`store/`) if there is one, else into the repository. `git gc --prune=now`
 * deletes unreachable objects at any moment: those written to the repository directly could be
 * deleted between `hash-object` and `update-ref`.
 *
 * They are moved as one pack. Its `.keep` file is written first and deleted after the reference is
 * written: a `gc` that began before that leaves the pack alone, and a later one finds the
 * reference.
 */

import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dayMs } from '../../../shared/durations.ts'
import { removeTree } from '../../open-folders/remove-tree.ts'
import { GitError, ObjectsVanishedError } from '../command/errors.ts'
import { line, type RunGit, withVariables } from '../command/run-git.ts'
import { readGitDir } from '../repository/git-dir.ts'
import { withSharedStore } from '../store/exclusion.ts'
import { borrowing, ensureStore, inStore, missingIn, objectsIn, storesAt } from '../store/store.ts'
import { syncPaths } from '../worktree-files/durable.ts'

export interface Quarantine {
  /** Writes every new object here; reads these, the repository's and those of its stores. */
  git: RunGit
  /** The folder of its objects, on the same file system as their destination. */
  dir: string
  /** The store that receives them; null for the repository. */
  store: string | null
  /**
   * Packs some objects, new or borrowed, and makes `ref` refer to them. Durable when it resolves.
   */
  keep(kept: {
    ref: string
    commit: string
    ids: readonly string[]
    /** Whether the destination has none of them. Otherwise it is searched for each. */
    areNew?: boolean
  }): Promise<void>
  /** Like `keep`, without a reference: kept until the next collection. */
  storeUnreferenced(ids: readonly string[]): Promise<void>
}

/**
 * `repository` also if there is a store, for objects that a branch of the user's repository will
 * refer to.
 */
export type Into = 'store' | 'repository'

const folderPrefix = 'shiplog-new-'
/** Content of Shiplog's `.keep` files, which a killed process leaves behind. */
const keepReason = 'shiplog: until a reference names it\n'
/** No call takes this long: an older folder was left behind by a killed process. */
const leftBehindMs = dayMs

/**
 * Folders and `.keep` files of this process, because a clock that was set ahead makes them look
 * old.
 */
const inUse = new Set<string>()

/** Packs, references and their folders. */
const durable = ['-c', 'core.fsync=all']

/** `dir` is in a working tree of the repository. The folder is deleted afterwards. */
export async function withQuarantine<Result>(
  git: RunGit,
  dir: string,
  use: (quarantine: Quarantine) => Promise<Result>,
  { into = 'store' }: { into?: Into | undefined } = {},
): Promise<Result> {
  const [store = null] = into === 'store' ? git.storesOf(dir) : []
  if (store === null) return quarantined(git, dir, null, use)
  await ensureStore(git, store, dir)
  return withSharedStore(store, () => quarantined(git, dir, store, use))
}

async function quarantined<Result>(
  git: RunGit,
  dir: string,
  store: string | null,
  use: (quarantine: Quarantine) => Promise<Result>,
): Promise<Result> {
  const repository = await objectsOf(git, dir)
  const objects = store === null ? repository : objectsIn(store)
  await deleteLeftBehind(objects)
  const own = await mkdtemp(path.join(objects, folderPrefix))
  inUse.add(own)
  try {
    await mkdir(path.join(own, 'pack'))
    const others = new Set([objects, repository, ...storesAt(git, dir).map(objectsIn)])
    const isolated = withVariables(git, { GIT_OBJECT_DIRECTORY: own, ...borrowing([...others]) })
    const refs = store === null ? git : inStore(git, store)
    const pack = async (ids: readonly string[], areNew: boolean, then: () => Promise<unknown>) => {
      const lacking = store === null || areNew ? ids : await missingIn(git, store, ids)
      await publish(isolated, { dir, own, objects, ids: lacking }, then)
    }
    return await use({
      git: isolated,
      dir: own,
      store,
      keep: ({ ref, commit, ids, areNew = false }) =>
        pack(ids, areNew, async () => {
          await refs([...durable, 'update-ref', '--no-deref', ref, commit], { cwd: store ?? dir })
          if (store !== null) await syncReference(store, ref)
        }),
      storeUnreferenced: (ids) => pack(ids, false, async () => {}),
    })
  } finally {
    await removeTree(own)
    inUse.delete(own)
  }
}

async function objectsOf(git: RunGit, dir: string): Promise<string> {
  const found = readGitDir(dir)
  if (found !== null) return path.join(found.commonDir, 'objects')
  const answer = await git(['rev-parse', '--git-path', 'objects'], { cwd: dir })
  return path.resolve(dir, line(answer))
}

/** Syncs a reference and its folder: an older Git syncs no reference, and none syncs the folder. */
async function syncReference(store: string, ref: string): Promise<void> {
  const file = path.join(store, ref)
  await syncPaths([file, path.dirname(file), path.dirname(path.dirname(file))])
}

/** Moves objects to their destination; no `gc` deletes them before `then` is done. */
async function publish(
  isolated: RunGit,
  { dir, own, objects, ids }: { dir: string; own: string; objects: string; ids: readonly string[] },
  then: () => Promise<unknown>,
): Promise<void> {
  if (ids.length === 0) {
    await then()
    return
  }
  const args = ['pack-objects', '-q', '--window=0', path.join(own, 'pack', 'pack')]
  const input = ids.map((id) => `${id}\n`).join('')
  const pack = line(await isolated([...durable, ...args], { cwd: dir, input }))
  const keepFile = await movePack(path.join(own, 'pack'), path.join(objects, 'pack'), pack)
  try {
    await then()
  } finally {
    await rm(keepFile, { force: true })
    inUse.delete(keepFile)
  }
}

/** Resolves with the path of the `.keep` file. */
async function movePack(from: string, to: string, pack: string): Promise<string> {
  await mkdir(to, { recursive: true })
  const keepFile = path.join(to, `pack-${pack}.keep`)
  inUse.add(keepFile)
  await writeFile(keepFile, keepReason)
  // Git considers a pack complete once its index exists.
  for (const ending of ['pack', 'rev', 'idx']) {
    const name = `pack-${pack}.${ending}`
    await rename(path.join(from, name), path.join(to, name)).catch((error) => {
      // An older Git writes no `.rev`.
      if (ending !== 'rev' || error.code !== 'ENOENT') throw error
    })
  }
  await syncPaths([to, path.dirname(to)])
  return keepFile
}

async function deleteLeftBehind(objects: string): Promise<void> {
  const packs = path.join(objects, 'pack')
  const names = async (dir: string) => readdir(dir).catch((): string[] => [])
  const isOld = async (file: string) =>
    !inUse.has(file) &&
    stat(file).then(
      ({ mtimeMs }) => Date.now() - mtimeMs > leftBehindMs,
      () => false,
    )
  for (const name of await names(objects)) {
    const folder = path.join(objects, name)
    if (name.startsWith(folderPrefix) && (await isOld(folder)))
      await removeTree(folder).catch(() => {})
  }
  for (const name of await names(packs)) {
    const file = path.join(packs, name)
    if (!name.endsWith('.keep') || !(await isOld(file))) continue
    const isOurs = (await readFile(file, 'utf8').catch(() => '')) === keepReason
    if (isOurs) await rm(file, { force: true }).catch(() => {})
  }
}

/** A `gc` that deletes at once takes seconds in a large repository. */
const retryDelaysMs = [20, 100, 400, 1500]

/**
 * Retries `work` if objects were pruned from the repository while it ran: it may have found an
 * unreferenced object there, and therefore not written it. `work` must leave nothing behind if it
 * fails.
 */
export async function retryIfPruned<Result>(
  work: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!haveVanished(error)) throw error
      const delayMs = retryDelaysMs[attempt]
      if (delayMs === undefined) throw new ObjectsVanishedError(error)
      await sleep(delayMs, undefined, { signal })
    }
  }
}

/** Git's messages for an object, or a pack, that is missing. Objects that a partial clone lacks are excluded. */
function haveVanished(error: unknown): error is GitError {
  return (
    error instanceof GitError &&
    error.constructor === GitError &&
    // A file of the working tree.
    !/: Permission denied$/m.test(error.stderr) &&
    /unable to (?:read|find|get|parse|open)|bad (?:object|tree|revision)|missing (?:object|blob|tree|commit)|invalid (?:object|sha1)|could not (?:read|parse|get|open)|cannot read|can't find|not a (?:valid|tree) object|nonexistent object|could not be accessed|not a valid object name|failed to read|is corrupt|was pruned/i.test(
      error.stderr,
    )
  )
}
