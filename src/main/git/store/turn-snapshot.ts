/**
 * The state of a working tree at a moment of an agent's run, as a tree in the store. Like a snapshot (`snapshot.ts`),
 * but its index is kept for the next one: unchanged files are not read again, so a turn costs about as much as `git
 * status`. Writes no file and no object of the repository.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, realpath, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { createKeyedMutex } from '../../../shared/async/keyed-mutex.ts'
import { fields, line, type RunGit } from '../command/run-git.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { lacksReferenceIn } from '../repository/git-dir.ts'
import { headStateOf } from '../repository/head-state.ts'
import { privateFile } from '../repository/private-files.ts'
import { addToIndex, dropFromIndex } from '../snapshots/index-updates.ts'
import { type Quarantine, retryIfPruned, withQuarantine } from '../snapshots/quarantine.ts'
import { commitTree, startIndex, writeTree } from '../snapshots/snapshot.ts'
import { contentsBetween } from './copy.ts'
import { borrowing, ensureStore, inStore, missingIn, objectsIn, reading } from './store.ts'
import { findWork, type NotStored, notStored, type Work } from './working-tree.ts'

export interface TurnState {
  tree: string
  /** The commit of HEAD. Null before the first commit; absent if unknown. */
  head?: string | null
  /** In the store, on top of the session's last state. */
  commit: string
}

export interface TurnSnapshot extends TurnState {
  /** Null before the first commit. */
  head: string | null
  notStored: NotStored[]
}

export interface TurnSnapshotInput {
  /** A folder in the working tree; the whole working tree is taken. Absolute. */
  dir: string
  /** The reference in the store to all states of a session, without `refs/`: `sessions/<id>`. */
  ref: string
  /** The session's last state; null to look it up. */
  last: TurnState | null
  /** A tree or commit: the content of each changed file will be in the store itself (H3). */
  since: string | null
  /**
   * A reference for HEAD, without `refs/`, and the base commit of the worktree: later commits are
   * kept. Null for the user's folder: of the commits on the user's branch only HEAD itself is kept.
   */
  commits: { base: string | null; ref: string }
  signal?: AbortSignal | undefined
}

/**
 * A home directory is refused as a repository: mail, keys and caches would be copied with each turn
 * (H4).
 */
class HomeDirectoryError extends Error {
  constructor(topLevel: string) {
    super(`${topLevel} is a home directory, whose files are not recorded`)
  }
}

interface WarmIndex {
  file: string
  /** A checksum of its inputs: the user's index and the ignore rules. */
  stamp: string
  /** The tree of the last completed snapshot; null if none was completed. */
  tree: string | null
}

export function createTurnSnapshots(git: RunGit): {
  /** Throws HomeDirectoryError, GitError, or the signal's reason. */
  take(input: TurnSnapshotInput): Promise<TurnSnapshot>
  /**
   * Discards the indexes after objects were deleted from a store, because an index may refer to
   * them.
   */
  forgetIndexes(store: string): void
} {
  const warm = new Map<string, WarmIndex>()
  /** Agents may share a folder, and call tools concurrently. */
  const serially = createKeyedMutex()
  /** Indexes left behind by earlier processes are deleted once per store, before one is created there. */
  const cleared = new Map<string, Promise<void>>()

  async function take(input: TurnSnapshotInput): Promise<TurnSnapshot> {
    const { dir, signal } = input
    const [store] = git.storesOf(dir)
    if (store === undefined) throw new Error(`${dir} contains no Shiplog project`)
    return retryIfPruned(async () => {
      const { topLevel, head } = await headStateOf(git, dir, { signal })
      await refuseHome(topLevel)
      await ensureStore(git, store, dir)
      await clearIndexes(store)
      return serially(topLevel, async () => {
        const headState = { topLevel, head: head?.commit ?? null, headTree: head?.tree ?? null }
        try {
          return await takeOf(input, store, headState)
        } catch (error) {
          // The index may be partly updated.
          warm.delete(topLevel)
          throw error
        }
      })
    }, signal)
  }

  async function takeOf(
    input: TurnSnapshotInput,
    store: string,
    {
      topLevel,
      head,
      headTree,
    }: { topLevel: string; head: string | null; headTree: string | null },
  ): Promise<TurnSnapshot> {
    const { dir, signal } = input
    const found = await look(store, topLevel, head, signal)
    const last = input.last ?? (await lastState(git, store, input.ref))
    const { index, work, isFresh } = found
    if (index.tree !== null && isUnchanged(work) && last?.tree === index.tree)
      return { ...last, head, notStored: work.notStored }
    return withQuarantine(reading(git, dir), dir, async (quarantine) => {
      const { tree, wrote, unstorable } = await treeOf(quarantine, store, topLevel, found, signal)
      index.tree = tree
      const without = [...work.notStored, ...unstorable]
      if (last?.tree === tree) return { ...last, head, notStored: without }
      const parents = last ? [last.commit] : []
      const message = `${path.basename(dir)} at ${head ?? 'no commit'}`
      const commit = await commitTree(quarantine.git, topLevel, { tree, parents, message, signal })
      const since = input.since ?? headTree
      // The agent's own commits and staged files are in the user's repository, and may be deleted with its branch.
      const mayBeElsewhere = isFresh || wrote < work.names.length
      const borrowed =
        mayBeElsewhere && since !== null && since !== tree
          ? (await contentsBetween(quarantine.git, { dir: topLevel, from: since, to: tree })).after
          : []
      const own = await objectsBelow(quarantine, topLevel)
      const ids = [...own, ...(await missingIn(git, store, borrowed))]
      const kept = { commit, ids: [...new Set(ids)], areNew: true }
      await quarantine.keep({ ref: `refs/${input.ref}`, ...kept })
      return { tree, commit, head, notStored: without }
    })
  }

  interface Found {
    index: WarmIndex
    work: Work
    isFresh: boolean
  }

  async function look(
    store: string,
    topLevel: string,
    head: string | null,
    signal: AbortSignal | undefined,
  ): Promise<Found> {
    const stamp = await stampOf(git, topLevel, head)
    const known = warm.get(topLevel)
    if (known && known.stamp === stamp) {
      const work = await findWork(git, topLevel, known.file, signal)
      // The index may contain files that are ignored now.
      if (!work.ignoresChanged) return { index: known, work, isFresh: false }
    }
    const name = createHash('sha256').update(topLevel).digest('hex').slice(0, 32)
    const index = { file: path.join(store, 'indexes', name), stamp, tree: null }
    await mkdir(path.dirname(index.file), { recursive: true, mode: 0o700 })
    await rm(index.file, { force: true })
    await startIndex(git, topLevel, index.file, head, signal)
    const env = { GIT_INDEX_FILE: index.file }
    // Git reads each file that is as new as its index: an index written now is newer than most
    // files.
    const refresh = ['update-index', '-q', '--refresh', '--unmerged']
    await git(refresh, { cwd: topLevel, env, signal, okExitCodes: [0, 1] })
    warm.set(topLevel, index)
    return { index, work: await findWork(git, topLevel, index.file, signal), isFresh: true }
  }

  /** `wrote` is the number of new contents. The tree has the previous content of `unstorable` paths. */
  async function treeOf(
    quarantine: Quarantine,
    store: string,
    topLevel: string,
    { index, work }: Found,
    signal: AbortSignal | undefined,
  ): Promise<{ tree: string; wrote: number; unstorable: NotStored[] }> {
    const env = { GIT_INDEX_FILE: index.file }
    const run = { cwd: topLevel, env, signal }
    const left = await addToIndex(quarantine.git, run, work.names)
    await dropFromIndex(quarantine.git, run, Buffer.concat(work.dropped))
    const wrote = (await looseBelow(quarantine.dir)).length
    // Without borrowed objects, so that all folders are in the store and a tree can be listed
    // without the repository.
    const alone = { ...run, env: { ...env, ...borrowing([objectsIn(store)]) } }
    const tree = await writeTree(quarantine.git, alone, ['--missing-ok'])
    return { tree, wrote, unstorable: left.map(({ name, why }) => notStored(name, why, null)) }
  }

  /** Concurrent calls wait for the deletion too, because a new index may have the name of a leftover one. */
  function clearIndexes(store: string): Promise<void> {
    const clearing = cleared.get(store) ?? deleteFilesIn(path.join(store, 'indexes'))
    cleared.set(store, clearing)
    return clearing
  }

  return {
    take,
    forgetIndexes(store) {
      for (const [topLevel, { file }] of warm)
        if (path.dirname(path.dirname(file)) === store) warm.delete(topLevel)
    },
  }
}

async function deleteFilesIn(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch((): string[] => []))
    await rm(path.join(dir, name), { force: true }).catch(() => {})
}

/** Returns the last state of a session; null if there is none. */
export async function lastState(
  git: RunGit,
  store: string,
  ref: string,
): Promise<TurnState | null> {
  if (lacksReferenceIn(store, `refs/${ref}`)) return null
  const names = [`refs/${ref}^{commit}`, `refs/${ref}^{tree}`]
  const found = await inStore(git, store)(['rev-parse', '--revs-only', ...names], { cwd: store })
  const [commit, tree] = line(found).split('\n')
  return commit && tree ? { commit, tree } : null
}

const isUnchanged = ({ names, dropped }: Work): boolean => names.length + dropped.length === 0

async function refuseHome(topLevel: string): Promise<void> {
  const home = await realpath(homedir()).catch(() => null)
  if (home === null) return
  const inside = path.relative(await realpath(topLevel), home)
  const isAbove = inside.split(path.sep)[0] !== '..' && !path.isAbsolute(inside)
  if (isAbove) throw new HomeDirectoryError(topLevel)
}

/**
 * Returns a value that changes with the user's index, or the ignore rules of this repository alone.
 */
async function stampOf(git: RunGit, topLevel: string, head: string | null): Promise<string> {
  const commonDir = await commonDirOf(git, topLevel)
  const files = [
    await privateFile(git, topLevel, 'index'),
    ...(commonDir === null ? [] : [path.join(commonDir, 'info', 'exclude')]),
  ]
  const stamps = await Promise.all(
    files.map((file) =>
      stat(file, { bigint: true }).then(
        ({ mtimeNs, ctimeNs, size, ino }) => `${mtimeNs} ${ctimeNs} ${size} ${ino}`,
        () => null,
      ),
    ),
  )
  // A missing index is created from HEAD.
  return JSON.stringify(stamps[0] === null ? [...stamps, head] : stamps)
}

/** Returns the ids of the loose objects in a folder. */
async function looseBelow(objects: string): Promise<string[]> {
  const ids: string[] = []
  for (const fan of await readdir(objects)) {
    if (!/^[0-9a-f]{2}$/.test(fan)) continue
    for (const rest of await readdir(path.join(objects, fan)))
      if (/^[0-9a-f]+$/.test(rest)) ids.push(fan + rest)
  }
  return ids
}

/**
 * Returns all new objects: Git packs a very large file directly, and what it fetches for a partial
 * clone.
 */
async function objectsBelow({ git, dir }: Quarantine, topLevel: string): Promise<string[]> {
  const packs = await readdir(path.join(dir, 'pack'))
  if (!packs.some((name) => name.endsWith('.idx'))) return looseBelow(dir)
  const args = ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)']
  const listed = await git(args, { cwd: topLevel, env: borrowing([]) })
  return fields(Buffer.from(listed.stdout.toString().replaceAll('\n', '\0')))
}
