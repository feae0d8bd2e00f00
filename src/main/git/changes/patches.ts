/**
 * Saves a finished task's work as two files: its commits as a mail series, and its uncommitted changes as one patch.
 * For any shape of history, the series and then the patch, applied to the base commit, give the final state. Git
 * writes to the files directly, so memory use does not grow with them.
 */
import { open, rm } from 'node:fs/promises'
import { GitError } from '../command/errors.ts'
import { line, notIntoSubmodules, type RunGit } from '../command/run-git.ts'
import { resolveCommit, treeOf } from '../repository/commits.ts'
import { withQuarantine } from '../snapshots/quarantine.ts'
import { commitOpen, finalMessage, type OpenSnapshot, withSnapshot } from '../snapshots/snapshot.ts'
import { changedTreePaths, diffTree } from './tree-changes.ts'

export interface SavePatchInput {
  dir: string
  /** The commit that the worktree was made from. */
  baseCommit: string
  /** Overwritten, or removed if there is nothing to write. Their folders must exist. */
  seriesPath: string
  worktreePath: string
  signal?: AbortSignal | undefined
}

interface SavedPatch {
  /** `none`: the final state equals the base's. */
  status: 'none' | 'ready'
  /** Null: HEAD has no commit. */
  headCommit: string | null
  /** HEAD, or a commit on top of it with the uncommitted work. `keepRef` keeps it alive. */
  finalCommit: string
  /** Bytes written and synced; null if there are none. The caller must sync the folders. */
  seriesBytes: number | null
  worktreeBytes: number | null
  /** A file is too large for Git to write it into a patch, so that one was left out. The commit has everything. */
  isIncomplete: boolean
  /**
   * The commit that the worktree patch is relative to: the base if HEAD does not descend from it.
   */
  worktreeFrom: 'head' | 'base'
  /** Every changed path between base and final state, sorted. */
  paths: string[]
  /** Repositories inside the worktree, which are in neither file. */
  leftOut: string[]
  /** Entries of the index that Git checks out nowhere, so that nothing holds them. */
  refused: string[]
}

/**
 * Writes both files. A merge commit is in the series as its change to the first parent. If the base
 * is not on HEAD's line of first parents (reset, amended, rebased, unrelated), there is no series,
 * and the patch holds everything.
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
  return withSnapshot(git, dir, { signal }, (open) => writePatch(git, open, base, input))
}

/**
 * Writes both files of work whose worktree is gone. `dir` is a folder of its repository; `final` is a commit with
 * everything, on top of `head`, unless it is `head` itself. The repository or one of its stores has both.
 */
export async function saveCommittedPatch(
  git: RunGit,
  { head, final, ...input }: SavePatchInput & { head: string; final: string },
): Promise<SavedPatch> {
  return withQuarantine(git, input.dir, async (quarantine) => {
    const tree = await treeOf(quarantine.git, input.dir, final)
    if (tree === undefined) throw new Error('git rev-parse did not print a tree')
    const committed = { head, commit: final, tree, leftOut: [] }
    return {
      ...(await writeFiles(quarantine.git, committed, input.baseCommit, input)),
      refused: [],
    }
  })
}

async function writePatch(
  git: RunGit,
  open: OpenSnapshot,
  base: string,
  input: SavePatchInput,
): Promise<SavedPatch> {
  const final = await commitOpen(git, open, { message: finalMessage, signal: input.signal })
  const written = await writeFiles(open.quarantine.git, final, base, input)
  return { ...written, refused: open.refused }
}

async function writeFiles(
  isolated: RunGit,
  final: { head: string | null; commit: string; tree: string; leftOut: string[] },
  base: string,
  { dir, seriesPath, worktreePath, signal }: SavePatchInput,
): Promise<Omit<SavedPatch, 'refused'>> {
  const tip = await linearTip(isolated, dir, { base, head: final.head, signal })

  const series = await write(isolated, seriesPath, tip === null || tip === base, {
    args: [...formatPatch, `${base}..${tip}`],
    cwd: dir,
    signal,
  })
  const worktreeFrom = tip === null ? 'base' : 'head'
  const from = worktreeFrom === 'base' ? base : (final.head ?? base)
  const worktree = await write(isolated, worktreePath, false, {
    args: [...diffTree, '--find-renames', '--binary', '-p', from, final.tree],
    cwd: dir,
    signal,
  })
  const paths = await changedTreePaths(isolated, { dir, from: base, to: final.tree, signal })
  return {
    status: paths.length === 0 ? 'none' : 'ready',
    headCommit: final.head,
    finalCommit: final.commit,
    seriesBytes: series.bytes,
    worktreeBytes: worktree.bytes,
    isIncomplete: !series.fits || !worktree.fits,
    worktreeFrom,
    paths,
    leftOut: final.leftOut,
  }
}

/**
 * Sets every option that users may have configured for their own patches, so that none applies
 * here.
 */
const formatPatch = [
  'format-patch',
  '--stdout',
  '--binary',
  '--full-index',
  '--find-renames',
  '--subject-prefix=PATCH',
  '--submodule=short',
  // As in `diffTree`.
  ...notIntoSubmodules,
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  // `dir` may be a folder in the repository.
  '--no-relative',
  '--no-add-header',
  '--no-attach',
  '--no-base',
  '--no-cc',
  '--no-cover-letter',
  '--no-from',
  '--no-notes',
  '--no-signature',
  '--no-signoff',
  '--no-thread',
  '--no-to',
]

/**
 * Returns a commit with a linear history from `base` to HEAD's tree; null if HEAD does not descend
 * from `base`. It is HEAD itself unless there are merges: then it is a copy without their other
 * parents.
 */
async function linearTip(
  git: RunGit,
  dir: string,
  { base, head, signal }: { base: string; head: string | null; signal?: AbortSignal | undefined },
): Promise<string | null> {
  if (head === null || head === base) return head
  const args = ['rev-list', '--first-parent', '--parents', '--reverse', `${base}..${head}`]
  const listed = line(await git(args, { cwd: dir, signal }))
  const commits = listed.split('\n').map((commit) => commit.split(' '))
  if (commits[0]?.[1] !== base) return null
  if (commits.every((commit) => commit.length <= 2)) return head
  let tip = base
  for (const [commit = ''] of commits) tip = await withParent(git, dir, { commit, tip, signal })
  return tip
}

/** Copies a commit, with author, date and message, with `tip` as its only parent. */
async function withParent(
  git: RunGit,
  dir: string,
  { commit, tip, signal }: { commit: string; tip: string; signal?: AbortSignal | undefined },
): Promise<string> {
  // latin1 round-trips every byte, in any encoding of the message.
  const original = (await git(['cat-file', 'commit', commit], { cwd: dir, signal })).stdout
  const text = original.toString('latin1')
  const tree = text.slice(0, text.indexOf('\n') + 1)
  const rest = text.slice(tree.length).replace(/^(parent [0-9a-f]+\n)+/, `parent ${tip}\n`)
  const input = Buffer.from(tree + rest, 'latin1')
  return line(
    await git(['hash-object', '-t', 'commit', '-w', '--stdin'], { cwd: dir, input, signal }),
  )
}

/** `bytes`: null, and no file, if there were none, or if one file does not fit into a patch. */
async function write(
  git: RunGit,
  file: string,
  skip: boolean,
  { args, ...options }: { args: string[]; cwd: string; signal?: AbortSignal | undefined },
): Promise<{ bytes: number | null; fits: boolean }> {
  let bytes = 0
  let fits = true
  if (!skip) {
    const handle = await open(file, 'w', 0o600)
    try {
      fits = await git(args, { ...options, stdoutFd: handle.fd }).then(() => true, falseIfTooLarge)
      if (fits) {
        await handle.sync()
        bytes = (await handle.stat()).size
      }
    } finally {
      await handle.close()
    }
  }
  if (bytes === 0) await rm(file, { force: true })
  return { bytes: bytes === 0 ? null : bytes, fits }
}

/** Git holds a whole file in memory to write it into a patch, and from about 2 GiB on asks for 2^64 bytes and more. */
function falseIfTooLarge(error: unknown): false {
  if (
    error instanceof GitError &&
    /Out of memory.*tried to allocate \d{19,} bytes/.test(error.stderr)
  )
    return false
  throw error
}
