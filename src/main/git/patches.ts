/**
 * A finished task's work as two files: its commits as a mail series, and what it had not committed as
 * one patch. Whatever the history looks like, the series and then the patch, applied to the base
 * commit, give the final state. Git writes into the files itself, so memory does not grow with them.
 */
import { open, rm } from 'node:fs/promises'
import { changedTreePaths, diffTree } from './changes.ts'
import { GitError } from './errors.ts'
import { resolveCommit } from './inspect.ts'
import { line, type RunGit } from './run.ts'
import { commitSnapshot } from './snapshot.ts'

export interface SavePatchInput {
  dir: string
  /** The commit that the worktree was made from. */
  baseCommit: string
  /** Overwritten, or removed when there is nothing to write. Their folders exist. */
  seriesPath: string
  worktreePath: string
  signal?: AbortSignal | undefined
}

export interface SavedPatch {
  /** `none`: the final state is the base's. */
  status: 'none' | 'ready'
  /** Null: HEAD has no commit. */
  headCommit: string | null
  finalTree: string
  /** HEAD, or a commit on top of it with what was not committed. `keepRef` keeps it alive. */
  finalCommit: string
  /** Bytes of what was written, and synced; null when there is nothing. The folders are the caller's to sync. */
  seriesBytes: number | null
  worktreeBytes: number | null
  /** What the worktree patch is relative to: the base when HEAD's history does not lead on from it. */
  worktreeFrom: 'head' | 'base'
  /** Every path that differs between base and final state, sorted. */
  paths: string[]
  /** Repositories inside the worktree, which are in neither file. */
  leftOut: string[]
}

/**
 * A merge commit is in the series as its change to the first parent. When the base is not on HEAD's
 * line of first parents (reset, amended, rebased, unrelated), there is no series, and the patch holds it all.
 */
export async function savePatch(git: RunGit, input: SavePatchInput): Promise<SavedPatch> {
  const { dir, signal } = input
  const base = await resolveCommit(git, dir, input.baseCommit, { signal })
  if (base === null) {
    throw new GitError(
      ['rev-parse', input.baseCommit],
      1,
      `no commit ${input.baseCommit} in ${dir}`,
    )
  }
  const final = await commitSnapshot(git, dir, { message: 'Work that was not committed', signal })
  const commits =
    final.head === null ? null : await linearHistory(git, dir, base, final.head, signal)

  const seriesBytes = await write(git, input.seriesPath, commits === null || commits === '', {
    args: [...diffTree, '--stdin', '--find-renames', '--binary', '--pretty=email', '--stat', '-p'],
    cwd: dir,
    input: commits ?? '',
    signal,
  })
  const worktreeFrom = commits === null ? 'base' : 'head'
  const from = worktreeFrom === 'base' ? base : (final.head ?? base)
  const worktreeBytes = await write(git, input.worktreePath, false, {
    args: [...diffTree, '--find-renames', '--binary', '-p', from, final.tree],
    cwd: dir,
    signal,
  })
  const paths = await changedTreePaths(git, { dir, from: base, to: final.tree, signal })
  return {
    status: paths.length === 0 ? 'none' : 'ready',
    headCommit: final.head,
    finalTree: final.tree,
    finalCommit: final.commit,
    seriesBytes,
    worktreeBytes,
    worktreeFrom,
    paths,
    leftOut: final.leftOut,
  }
}

/** Lines `<commit> <first parent>`, oldest first; null when they don't lead on from `base`. */
async function linearHistory(
  git: RunGit,
  dir: string,
  base: string,
  head: string,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (head === base) return ''
  const listed = line(
    await git(['rev-list', '--first-parent', '--parents', '--reverse', `${base}..${head}`], {
      cwd: dir,
      signal,
    }),
  )
  const pairs = listed.split('\n').map((commit) => commit.split(' ').slice(0, 2))
  if (pairs[0]?.[1] !== base) return null
  return pairs.map((pair) => `${pair.join(' ')}\n`).join('')
}

/** Bytes written; null, and no file, when there were none. */
async function write(
  git: RunGit,
  file: string,
  skip: boolean,
  {
    args,
    ...options
  }: { args: string[]; cwd: string; input?: string; signal?: AbortSignal | undefined },
): Promise<number | null> {
  let bytes = 0
  if (!skip) {
    const handle = await open(file, 'w', 0o600)
    try {
      await git(args, { ...options, stdoutFd: handle.fd })
      await handle.sync()
      bytes = (await handle.stat()).size
    } finally {
      await handle.close()
    }
  }
  if (bytes === 0) await rm(file, { force: true })
  return bytes === 0 ? null : bytes
}
