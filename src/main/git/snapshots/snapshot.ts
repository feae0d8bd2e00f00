/**
 * The whole state of a working tree as a Git tree: staged, changed and untracked files, without ignored ones. It is
 * written through a separate index, so neither the user's index nor a file is changed.
 *
 * - A file of any size is written to an object database, streamed by Git; a full disk is a GitError. Nothing is
 *   written to the repository's before a reference to it exists (`quarantine.ts`).
 * - A submodule is the commit that is checked out in it; uncommitted changes inside it are omitted
 *   (`submodules.ts` finds them).
 * - A repository inside the working tree that is no submodule is omitted, and listed in `leftOut`.
 * - The data directory is omitted (`repository/data-dir.ts`).
 * - A file that can't be read, and a pipe, socket or device in the place of a tracked file, is as in HEAD
 *   (`index-updates.ts`).
 * - An entry of the index whose name Git checks out nowhere is omitted (`refused-entries.ts`).
 */
import { copyFile, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { GitError } from '../command/errors.ts'
import { line, notIntoSubmodules, type RunGit } from '../command/run-git.ts'
import { dataDirIn } from '../repository/data-dir.ts'
import { headStateOf } from '../repository/head-state.ts'
import { privateFile } from '../repository/private-files.ts'
import { addToIndex, dropFromIndex, type IndexRun, updateIndex } from './index-updates.ts'
import { keepSnapshot, storeTreeUnreferenced } from './kept-snapshots.ts'
import { type Into, type Quarantine, retryIfPruned, withQuarantine } from './quarantine.ts'
import { addAgain, dropRefused } from './refused-entries.ts'
import { withScratchDir } from './scratch-dir.ts'

interface Snapshot {
  tree: string
  /** Null before the first commit. */
  head: string | null
  /** Whether the tree differs from HEAD's. */
  dirty: boolean
  /** Folders with a repository of their own, with a trailing slash. */
  leftOut: string[]
}

/** A snapshot whose index still exists, so that Git can find later changes. */
export interface OpenSnapshot extends Snapshot {
  topLevel: string
  /** Entries of the index that Git checks out nowhere, which were omitted. */
  refused: string[]
  /** Holds the new objects, which are deleted with it. */
  quarantine: Quarantine
  indexFile: string
  /** A temporary folder that is deleted with the snapshot. */
  scratchDir: string
}

interface CommittedSnapshot extends Snapshot {
  /**
   * HEAD if nothing was changed, else a new commit on top of it, kept temporarily
   * (`kept-snapshots.ts`).
   */
  commit: string
}

/** The author of Shiplog's own commits. */
export const shiplogIdentity = {
  GIT_AUTHOR_NAME: 'Shiplog',
  GIT_AUTHOR_EMAIL: 'shiplog@localhost',
  GIT_COMMITTER_NAME: 'Shiplog',
  GIT_COMMITTER_EMAIL: 'shiplog@localhost',
}

/** The default message of `commitSnapshot`, which distinguishes these commits from the agent's. */
export const snapshotMessage = 'Work that was not committed yet'
/** The message at the end of a task's work (`savePatch`). */
export const finalMessage = 'Work that was not committed'

interface SnapshotOptions {
  signal?: AbortSignal | undefined
  /** The destination of new objects. */
  into?: Into | undefined
}

/**
 * Takes a temporary snapshot: the tree can be read as long as unreferenced objects are kept, and no
 * reference is left. `dir` is the working tree's root or a folder in it; the whole working tree is
 * taken either way.
 */
export async function snapshot(
  git: RunGit,
  dir: string,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  return withSnapshot(git, dir, options, async ({ tree, head, dirty, leftOut, ...open }) => {
    if (dirty)
      await storeTreeUnreferenced(open.quarantine, { dir: open.topLevel, tree, since: head })
    return { tree, head, dirty, leftOut }
  })
}

export interface CommitOptions extends SnapshotOptions {
  message?: string | undefined
  /** The reference for a new commit. Default: a temporary one. */
  ref?: string | undefined
  /** The last snapshot, which is still referenced: returned if nothing changed since. */
  last?: Pick<CommittedSnapshot, 'tree' | 'head' | 'commit'> | null | undefined
}

/** Creates a commit of the current working tree, for a child to branch from. No branch moves. */
export async function commitSnapshot(
  git: RunGit,
  dir: string,
  { message = snapshotMessage, ref, last, signal, into }: CommitOptions = {},
): Promise<CommittedSnapshot> {
  return withSnapshot(git, dir, { signal, into }, async (open) => {
    const isLast = last && last.tree === open.tree && last.head === open.head
    if (!isLast) return commitOpen(git, open, { message, ref, signal })
    const { tree, head, dirty, leftOut } = open
    return { tree, head, dirty, leftOut, commit: last.commit }
  })
}

/** Commits an open snapshot and references the commit. Returns HEAD if nothing was changed. */
export async function commitOpen(
  git: RunGit,
  { tree, head, dirty, leftOut, topLevel, quarantine }: OpenSnapshot,
  { message, ref, signal }: SnapshotOptions & { message: string; ref?: string | undefined },
): Promise<CommittedSnapshot> {
  const taken = { tree, head, dirty, leftOut }
  if (head !== null && !dirty) return { ...taken, commit: head }
  const parents = head === null ? [] : [head]
  const commit = await commitTree(quarantine.git, topLevel, { tree, parents, message, signal })
  await keepSnapshot(git, quarantine, { dir: topLevel, commit, ref, tree, since: head })
  return { ...taken, commit }
}

/** Creates a commit object; returns its id. `date` is in a format that Git reads. Default: now. */
export async function commitTree(
  git: RunGit,
  dir: string,
  commit: {
    tree: string
    parents: string[]
    message: string
    date?: string
    env?: Record<string, string>
  } & SnapshotOptions,
): Promise<string> {
  const { tree, parents, message, date, env, signal } = commit
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message]
  const dates: Record<string, string> =
    date === undefined ? {} : { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  return line(await git(args, { cwd: dir, env: { ...shiplogIdentity, ...dates, ...env }, signal }))
}

/**
 * Takes a snapshot and calls `use` with its index; both are deleted afterwards. `use` may be called
 * several times: if it fails because objects were pruned from the repository, everything is
 * repeated.
 */
export async function withSnapshot<Result>(
  git: RunGit,
  dir: string,
  { signal, into }: SnapshotOptions,
  use: (snapshot: OpenSnapshot) => Promise<Result>,
): Promise<Result> {
  const attempt = async () => {
    const { topLevel, head: headState } = await headStateOf(git, dir, { signal })
    const head = headState?.commit ?? null
    return withScratchDir(git, (scratchDir) =>
      withQuarantine(
        git,
        // The store of `dir`: the working tree may contain several projects, each with its own store.
        dir,
        async (quarantine) => {
          const isolated = quarantine.git
          const indexFile = path.join(scratchDir, 'index')
          await startIndex(isolated, topLevel, indexFile, head, signal)

          const run = { cwd: topLevel, env: { GIT_INDEX_FILE: indexFile }, signal }
          const leftOut = await addWork(isolated, run)
          const refused: string[] = []
          const written = await writeTree(isolated, run).catch(async (error) => {
            // Git can't even write a tree with some such entries.
            if (!(error instanceof GitError)) throw error
            refused.push(...(await addAgain(isolated, run)))
            if (refused.length === 0) throw error
            return writeTree(isolated, run)
          })
          const since = headState?.tree ?? null
          const dropped = await dropRefused(isolated, run, { tree: written, since })
          const tree = dropped.length > 0 ? await writeTree(isolated, run) : written
          refused.push(...dropped)
          const dirty = tree !== headState?.tree
          const open = { topLevel, refused, quarantine, indexFile, scratchDir }
          return use({ tree, head, dirty, leftOut, ...open })
        },
        { into },
      ),
    )
  }
  return retryIfPruned(attempt, signal)
}

/**
 * Starts from a copy of the real index, whose file times spare Git from reading every file again.
 * The copy must not be newer than the original: Git reads a file that is as new as its index, and
 * with a newer index it would miss a change of the same size made within the same tick.
 */
export async function startIndex(
  git: RunGit,
  topLevel: string,
  indexFile: string,
  head: string | null,
  signal: AbortSignal | undefined,
): Promise<void> {
  const realIndex = await privateFile(git, topLevel, 'index')
  const times = await stat(realIndex).catch(() => null)
  // Copying a named pipe in its place would never end.
  if (times?.isFile()) {
    await copyFile(realIndex, indexFile)
    const seconds = Math.floor(times.mtimeMs / 1000)
    await utimes(indexFile, seconds, seconds)
  } else if (head !== null) {
    await git(['read-tree', head], { cwd: topLevel, env: { GIT_INDEX_FILE: indexFile }, signal })
  }
}

/**
 * Like `git add --all`, but does not enter submodules: a `git status` there would run the commands
 * of a submodule's own configuration. Returns the paths left out: repositories inside the working
 * tree, which `git add --all` would fail on, or link to.
 */
async function addWork(git: RunGit, run: IndexRun): Promise<string[]> {
  const which = ['--others', '--modified', '--deleted', '--exclude-standard']
  const dataDir = await dataDirIn(git, run.cwd)
  const listed = await git(['ls-files', '-z', '-t', ...which, ...dataDir.exclude], run)
  const leftOut: string[] = []
  const changed: Buffer[] = []
  const untracked: Buffer[] = []
  // Bytes, not text: a name need not be UTF-8.
  for (let start = 0; start < listed.stdout.length; ) {
    const end = listed.stdout.indexOf(0, start)
    const name = listed.stdout.subarray(start + 2, end + 1)
    if (dataDir.holds(name)) {
      // Somebody committed it once. It is left as in the index.
    } else if (listed.stdout[start] !== 0x3f) changed.push(name)
    else if (listed.stdout[end - 1] !== 0x2f) untracked.push(name)
    else leftOut.push(name.toString('utf8', 0, name.length - 1))
    start = end + 1
  }
  // A file may replace a folder of tracked files, so these are removed first.
  await addToIndex(git, run, [...changed, ...untracked])
  return leftOut
}

/** Writes the tree of an index, after resolving unmerged entries to the working tree's content. Throws GitError. */
export async function writeTree(
  git: RunGit,
  run: IndexRun,
  options: readonly string[] = [],
): Promise<string> {
  const write = async () => line(await git(['write-tree', ...options], run))
  return write()
    .catch(async (error) => {
      if (!isUnmerged(error)) throw error
      // A conflicted file that equals one side is missing in the list above, because it is
      // unmodified.
      const conflicts = await git(['diff-files', '--name-only', '-z', ...notIntoSubmodules], run)
      await updateIndex(git, run, conflicts.stdout)
      return write()
    })
    .catch(async (error) => {
      if (!isUnmerged(error)) throw error
      // One that has a merged entry as well, as `git update-index` can write it, counts as unchanged.
      const { stdout } = await git(['ls-files', '--unmerged', '-z'], run)
      const entries = stdout.toString('latin1').split('\0').filter(Boolean)
      const names = new Set(entries.map((entry) => `${entry.slice(entry.indexOf('\t') + 1)}\0`))
      const conflicts = Buffer.from([...names].join(''), 'latin1')
      await dropFromIndex(git, run, conflicts)
      await updateIndex(git, run, conflicts)
      return write()
    })
}

const isUnmerged = (error: unknown): boolean =>
  error instanceof GitError && error.stderr.includes('unmerged')
