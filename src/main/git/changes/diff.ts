/** The changes of a workspace, for display. Changes to apply are computed by `merge.ts`. */
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import { fields, type RunGit } from '../command/run-git.ts'
import { resolveCommit } from '../repository/commits.ts'
import { inspectProject } from '../repository/inspect.ts'
import { withSnapshot } from '../snapshots/snapshot.ts'
import { changeOfStatus, diffTree, readRaw } from './tree-changes.ts'

/** The caller chooses the target. */
export type DiffContent = Omit<WorkspaceDiff, 'target' | 'tree'>

type DiffAnswer =
  /** `tree`: the compared state of the working tree. */
  | ({ kind: 'diff'; tree: string } & DiffContent)
  /** The folder is not in a repository, or the repository lacks the base commit. */
  | { kind: 'not-available'; reason: 'not-a-repository' | 'no-base-commit' }

/** More than a user reads at once, and small enough for one message to the window. */
export const diffBytesMax = 1024 * 1024
/** A longer list is a generated tree; the rest is counted as cut. */
const diffFilesMax = 5000

/** Selects the parts of a difference that are returned. */
export interface ShownDiff {
  /** False returns only the files and their counts, which is much faster. */
  patch?: boolean
  /** Lines that differ in white space alone count as the same; their file is still listed. */
  ignoreSpace?: boolean
  /**
   * Limits the patch to this file. `paths` has its old path too if it was renamed; `whole` includes unchanged lines.
   */
  file?: { paths: string[]; whole: boolean } | undefined
}

/** As the number of context lines: more than any file has, so Git prints all lines. */
const linesMax = 10_000_000

/**
 * Returns the changes from `baseCommit` to the current working tree: commits, uncommitted and
 * untracked files.
 */
export async function diff(
  git: RunGit,
  {
    dir,
    baseCommit,
    shown,
    signal,
  }: {
    dir: string
    baseCommit: string | null
    shown?: ShownDiff | undefined
    signal?: AbortSignal | undefined
  },
): Promise<DiffAnswer> {
  await git.ensureWorktree(dir)
  const found = await inspectProject(git, dir, { signal })
  if (found.kind !== 'repository' && found.kind !== 'no-commits') {
    return { kind: 'not-available', reason: 'not-a-repository' }
  }
  if (baseCommit === null || (await resolveCommit(git, dir, baseCommit, { signal })) === null) {
    return { kind: 'not-available', reason: 'no-base-commit' }
  }
  return withSnapshot(git, dir, { signal }, async ({ tree, quarantine }) => {
    const trees = { dir: found.topLevel, from: baseCommit, to: tree, shown, signal }
    return { kind: 'diff', tree, ...(await diffTrees(quarantine.git, trees)) }
  })
}

/** Returns the changes between two commits or trees. Throws GitError if one is missing. */
export async function diffCommits(
  git: RunGit,
  {
    repoDir,
    from,
    to,
    shown,
    signal,
  }: {
    repoDir: string
    from: string
    to: string
    shown?: ShownDiff | undefined
    signal?: AbortSignal | undefined
  },
): Promise<DiffContent> {
  return diffTrees(git, { dir: repoDir, from, to, shown, signal })
}

/**
 * Returns the changes between two contents of a file, given by their ids, as a unified diff without
 * file headers: empty for binary files, cut at `diffBytesMax`. Rejects with GitError if one of them
 * is not in the repository.
 */
export async function diffBlobs(
  git: RunGit,
  {
    repoDir,
    from,
    to,
    signal,
  }: { repoDir: string; from: string; to: string; signal?: AbortSignal },
): Promise<string> {
  const args = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--full-index', from, to]
  const { stdout, truncated } = await git(args, {
    cwd: repoDir,
    signal,
    stdoutBytesMax: diffBytesMax,
    cut: true,
  })
  const text = truncated ? cutAtHunk(stdout.toString()) : stdout.toString()
  const start = text.search(/^@@ /m)
  return start < 0 ? '' : text.slice(start)
}

async function diffTrees(
  git: RunGit,
  {
    dir,
    from,
    to,
    shown = {},
    signal,
  }: {
    dir: string
    from: string
    to: string
    shown?: ShownDiff | undefined
    signal?: AbortSignal | undefined
  },
): Promise<DiffContent> {
  const { patch: withPatch = true, ignoreSpace = false, file } = shown
  const space = ignoreSpace ? ['--ignore-all-space'] : []
  const compared = [...diffTree, '--find-renames', ...space]
  const summary = await git([...compared, '--raw', '--numstat', '-z', from, to], {
    cwd: dir,
    signal,
  })
  const files = readFiles(fields(summary.stdout))
  const counted = { files: files.slice(0, diffFilesMax), truncated: files.length > diffFilesMax }
  if (!withPatch) return { ...counted, patch: '' }
  const context = file?.whole ? [`--unified=${linesMax}`] : []
  const paths = file ? ['--', ...file.paths] : []
  const text = await git([...compared, '--patch', ...context, from, to, ...paths], {
    cwd: dir,
    env: { GIT_LITERAL_PATHSPECS: '1' },
    signal,
    stdoutBytesMax: diffBytesMax,
    cut: true,
  })
  const patch = text.truncated ? cutAtHunk(text.stdout.toString()) : text.stdout.toString()
  return { ...counted, patch, truncated: text.truncated || counted.truncated }
}

function readFiles(parts: readonly string[]): DiffContent['files'] {
  const { changes, rest } = readRaw(parts)
  const counts = readNumstat(parts.slice(rest))
  return changes.map(({ status, path, oldPath, newId }) => ({
    path,
    change: changeOfStatus[status],
    oldPath,
    ...(counts.get(path) ?? { additions: null, deletions: null }),
    contentId: newId,
  }))
}

type Counts = { additions: number | null; deletions: number | null }

/** `1<tab>2<tab>path`, and for a rename `1<tab>2<tab>` followed by both paths; `-` for a binary file. */
function readNumstat(parts: readonly string[]): Map<string, Counts> {
  const counts = new Map<string, Counts>()
  for (let at = 0; at < parts.length; at++) {
    const [added = '-', deleted = '-', ...rest] = (parts[at] ?? '').split('\t')
    let path = rest.join('\t')
    if (path === '') {
      path = parts[at + 2] ?? ''
      at += 2
    }
    counts.set(path, { additions: count(added), deletions: count(deleted) })
  }
  return counts
}

const count = (text: string) => (text === '-' ? null : Number(text))

/** The diff view rejects a hunk with fewer lines than its header announces, so the text is cut at a hunk boundary. */
function cutAtHunk(patch: string): string {
  const file = patch.lastIndexOf('\ndiff --git ')
  const hunk = patch.lastIndexOf('\n@@ ')
  // The first hunk of a file: cutting there would leave a header without content.
  const firstOfFile = patch.indexOf('\n@@ ', file + 1) === hunk
  const cut = hunk > file && !firstOfFile ? hunk : file
  return cut < 0 ? '' : patch.slice(0, cut + 1)
}
