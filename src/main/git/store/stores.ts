/** The Git operations of the turn store: takes, reads and deletes states. See the turn store's FORMAT.md. */
import { createKeyedMutex } from '../../../shared/async/keyed-mutex.ts'
import { type DiffContent, diffCommits } from '../changes/diff.ts'
import { GitError } from '../command/errors.ts'
import { fields, line, type RunGit } from '../command/run-git.ts'
import { findTree } from '../repository/commits.ts'
import { commitTree, snapshotMessage } from '../snapshots/snapshot.ts'
import { collect, mergePacks, packAll, wasCollecting } from './collect.ts'
import { type FileContents, readContents } from './contents.ts'
import { keepCommits } from './copy.ts'
import { damagedFile, inStore, isThere, missingIn, objectsOfRepository } from './store.ts'
import {
  createTurnSnapshots,
  lastState,
  type TurnSnapshot,
  type TurnSnapshotInput,
  type TurnState,
} from './turn-snapshot.ts'

/** A file, link or submodule in a tree. */
export interface TreeFile {
  /** Relative to the root of the tree, with `/`. */
  path: string
  /** In Git's notation: `100644`, `100755`, `120000` (a link), `160000` (a submodule). */
  mode: string
  /** The id of its content; for a submodule, its commit. */
  id: string
}

/** An entry of a folder in a tree. */
export interface TreeName {
  name: string
  /** In Git's notation, as in `TreeFile`. */
  mode: string
  kind: 'folder' | 'file' | 'link' | 'submodule'
  id: string
  /** Null if it is not a file, or its content is lost. */
  bytes: number | null
}

/** A store, and a folder of the repository that it borrows from, which may be deleted. */
interface Place {
  store: string
  repoDir: string
}

/** Every method may throw GitError. */
export function createGitStores(git: RunGit) {
  const snapshots = createTurnSnapshots(git)
  const serially = createKeyedMutex()
  /** Stores that were checked for leftovers of a killed process. */
  const checked = new Map<string, Promise<void>>()

  async function open({ store, repoDir }: Place): Promise<RunGit> {
    const damaged = damagedFile(store)
    if (damaged !== null) throw new GitError(['--git-dir', store], null, `fatal: no ${damaged}`)
    return inStore(git, store, await objectsOfRepository(git, repoDir))
  }

  function ensureCollected(store: string): Promise<void> {
    const known = checked.get(store) ?? resumeCollection(store)
    checked.set(store, known)
    known.catch(() => checked.delete(store))
    return known
  }

  async function resumeCollection(store: string): Promise<void> {
    if (wasCollecting(store)) await collectIn(store)
  }

  async function collectIn(store: string): Promise<number> {
    const deleted = await serially(store, () => collect(git, store))
    snapshots.forgetIndexes(store)
    await pack(store)
    return deleted
  }

  const pack = (store: string): Promise<void> => serially(store, () => packAll(git, store))

  return {
    /** Stores the current working tree, durable and referenced by the session's reference. */
    async take(input: TurnSnapshotInput): Promise<TurnSnapshot> {
      const [store] = git.storesOf(input.dir)
      if (store !== undefined) await ensureCollected(store)
      const taken = await snapshots.take(input)
      const { commits, last } = input
      const { head } = taken
      if (store !== undefined && head !== null && head !== commits.base && head !== last?.head)
        await keepCommits(git, store, { dir: input.dir, tip: head, ...commits })
      // A failure here is retried with the next state; the snapshot itself is safe.
      if (store !== undefined)
        await serially(store, () => mergePacks(git, store)).catch(() => undefined)
      return taken
    },
    /** Returns a session's last state; null if there is none. */
    async last(store: string, ref: string): Promise<TurnState | null> {
      return isThere(store) ? lastState(git, store, ref) : null
    },
    /** Returns every file of a tree. */
    async list(place: Place, tree: string): Promise<TreeFile[]> {
      const run = await open(place)
      const args = ['ls-tree', '-r', '-z', '--full-tree', tree]
      const { stdout } = await run(args, { cwd: place.store })
      return fields(stdout).map((entry) => {
        const tab = entry.indexOf('\t')
        const [mode = '', , id = ''] = entry.slice(0, tab).split(' ')
        return { mode, id, path: entry.slice(tab + 1) }
      })
    },
    /** Returns the entries of a folder in a tree, not recursively; null if there is no such folder. */
    async listFolder(
      place: Place,
      { tree, path }: { tree: string; path: string },
    ): Promise<TreeName[] | null> {
      const run = await open(place)
      const folder = path === '' ? tree : `${tree}:${path}`
      try {
        const args = ['ls-tree', '-z', '--long', '--full-tree', folder]
        return fields((await run(args, { cwd: place.store })).stdout).map(treeName)
      } catch (error) {
        if (error instanceof GitError && error.exitCode === 128) return null
        throw error
      }
    },
    /**
     * Reads a file, truncated at `bytesMax`; null if the tree has no such file, or its content is
     * lost.
     */
    async read(
      place: Place,
      file: { tree: string; path: string; bytesMax: number },
    ): Promise<{ bytes: Buffer; truncated: boolean } | null> {
      const run = await open(place)
      const args = ['cat-file', 'blob', `${file.tree}:${file.path}`]
      const options = { cwd: place.store, stdoutBytesMax: file.bytesMax, cut: true }
      try {
        const { stdout, truncated } = await run(args, options)
        return { bytes: stdout, truncated }
      } catch (error) {
        if (error instanceof GitError && error.exitCode === 128) return null
        throw error
      }
    },
    /** Reads from each tree the first of `paths` that it has. Every tree must exist. */
    async contents(
      place: Place,
      file: { trees: readonly string[]; paths: readonly string[] },
    ): Promise<FileContents> {
      return readContents(await open(place), { dir: place.store, ...file })
    },
    async diff(
      place: Place,
      trees: { from: string; to: string; patch?: boolean },
    ): Promise<DiffContent> {
      const { from, to, patch } = trees
      return diffCommits(await open(place), { repoDir: place.store, from, to, shown: { patch } })
    },
    /**
     * Returns a commit of a tree on top of `head`, which may be in the repository; `head` itself if
     * it has that tree. Nothing refers to the commit. Null if the store or repository lacks either.
     */
    async commitOf(
      place: Place,
      { tree, head }: { tree: string; head: string },
    ): Promise<string | null> {
      const run = await open(place)
      const treeOf = async (name: string) => findTree(run, place.store, name)
      const ofHead = await treeOf(head)
      if (ofHead === null || (await treeOf(tree)) === null) return null
      if (ofHead === tree) return head
      return commitTree(run, place.store, { tree, parents: [head], message: snapshotMessage })
    },
    /** Returns the trees that the store lacks; all of them if the store is missing. */
    async missing(store: string, trees: readonly string[]): Promise<string[]> {
      return isThere(store) ? missingIn(git, store, trees) : [...trees]
    },
    /** Returns the references below `refs/`, without that prefix. None if there is no store. */
    async references(store: string): Promise<string[]> {
      if (!isThere(store)) return []
      const listed = await inStore(git, store)(['for-each-ref', '--format=%(refname)'], {
        cwd: store,
      })
      return line(listed)
        .split('\n')
        .filter(Boolean)
        .map((name) => name.replace(/^refs\//, ''))
    },
    /** Deletes these references (without `refs/`); the next `collect` deletes objects that become unreachable. */
    async dropReferences(store: string, names: readonly string[]): Promise<void> {
      if (names.length === 0) return
      const input = names.map((name) => `delete refs/${name}\n`).join('')
      const durable = ['-c', 'core.fsync=all']
      await inStore(git, store)([...durable, 'update-ref', '--no-deref', '--stdin'], {
        cwd: store,
        input,
      })
    },
    /**
     * Returns the first of Git's own files of a store that is missing or not a file; null if it is
     * usable. Absolute.
     */
    damagedFile,
    /** Deletes unreachable objects; resolves with their number. */
    collect: collectIn,
    /** Stores similar contents as deltas of each other, except those in a large pack. */
    pack,
  }
}

/** Reads `<mode> <type> <id> <bytes, padded><tab><name>`; bytes are `-` for a folder, `BAD` for a lost content. */
function treeName(entry: string): TreeName {
  const tab = entry.indexOf('\t')
  const [mode = '', type = '', id = '', bytes = ''] = entry.slice(0, tab).split(/ +/)
  const kind =
    type === 'tree'
      ? 'folder'
      : type === 'commit'
        ? 'submodule'
        : mode === '120000'
          ? 'link'
          : 'file'
  return {
    name: entry.slice(tab + 1),
    mode,
    kind,
    id,
    bytes: /^\d+$/.test(bytes) ? Number(bytes) : null,
  }
}
