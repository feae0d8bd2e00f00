/**
 * Computes the tree that contains only selected changes: the base with the selected files and hunks. Merging it like any
 * final state applies only these. Works in the object database and a temporary index.
 */
import type { ChangeSelection, HunkRange } from '../../../shared/contract/changes/changes.ts'
import { hunkRangesOf, isHunkWithin } from '../../../shared/git/hunk-ranges.ts'
import { diffTree, readRaw, type TreeChange } from '../changes/tree-changes.ts'
import { fields, line, type RunGit } from '../command/run-git.ts'

interface SelectInput {
  /** Any folder of the working tree. */
  dir: string
  base: string
  theirs: string
  /** The target's tree. */
  ours: string
  files: ChangeSelection['files']
  /** A path for the temporary index. */
  indexFile: string
  signal?: AbortSignal | undefined
}

type Selected =
  /** `ours`: the target's tree, with the files to be replaced as they were at the base. */
  | { kind: 'selected'; tree: string; ours: string }
  /** `what`: paths that did not change, or `path: line` of hunks that hold no change. */
  | { kind: 'no-such-change'; what: string }

/** Throws GitError if an object is missing. */
export async function selectChanges(git: RunGit, input: SelectInput): Promise<Selected> {
  const { dir, base, theirs, indexFile, signal } = input
  const run = { cwd: dir, env: { GIT_INDEX_FILE: indexFile }, signal }
  const raw = await git([...diffTree, '--find-renames', '--raw', '-z', base, theirs], run)
  const changes = new Map(
    readRaw(fields(raw.stdout)).changes.map((change) => [change.path, change]),
  )
  const entries: string[] = []
  const replaced: string[] = []
  const patches: Buffer[] = []
  for (const { path, hunks, replace } of input.files) {
    const change = changes.get(path)
    if (!change) return { kind: 'no-such-change', what: path }
    if (replace) replaced.push(...baseEntriesOf(change))
    if (!hunks) {
      entries.push(...indexEntriesOf(change))
      continue
    }
    const patch = selectedHunks(await patchOf(git, change, input), hunks)
    if (!patch) return { kind: 'no-such-change', what: `${path}: ${hunks.map(rangeText)}` }
    patches.push(patch)
  }
  const readTreeWith = async (tree: string, changed: readonly string[]) => {
    await git(['read-tree', tree], run)
    // Removed paths first: a file may take the place of a folder.
    const isRemoval = (entry: string) => Number(entry.startsWith('0 '))
    const sorted = changed.toSorted((a, b) => isRemoval(b) - isRemoval(a))
    const update = ['update-index', '--replace', '-z', '--index-info']
    await git(update, { ...run, input: sorted.join('') })
  }
  const writeTree = async () => line(await git(['write-tree'], run))
  let { ours } = input
  if (replaced.length > 0) {
    await readTreeWith(ours, replaced)
    ours = await writeTree()
  }
  await readTreeWith(base, entries)
  for (const patch of patches)
    await git(['apply', '--cached', '--unidiff-zero', '--binary', '--whitespace=nowarn', '-'], {
      ...run,
      input: patch,
    })
  return { kind: 'selected', tree: await writeTree(), ours }
}

/** Returns input for `update-index -z --index-info`. */
function indexEntriesOf({ status, path, oldPath, newMode, newId }: TreeChange): string[] {
  if (status === 'D') return [removed(path, newId)]
  const added = `${newMode} ${newId}\t${path}\0`
  return oldPath === null ? [added] : [removed(oldPath, newId), added]
}

/** Returns entries that restore these files to their state at the base. */
function baseEntriesOf({ status, path, oldPath, oldMode, oldId }: TreeChange): string[] {
  if (status === 'A') return [removed(path, oldId)]
  const before = `${oldMode} ${oldId}\t${oldPath ?? path}\0`
  return oldPath === null ? [before] : [removed(path, oldId), before]
}

const removed = (path: string, like: string) => `0 ${'0'.repeat(like.length)}\t${path}\0`

/**
 * Returns the patch of one file without context lines, so that each hunk is one change. Decoded as latin1, so that
 * every byte survives. Throws GitError.
 */
export async function patchOf(
  git: RunGit,
  { path, oldPath }: Pick<TreeChange, 'path' | 'oldPath'>,
  { dir, base, theirs, signal }: Pick<SelectInput, 'dir' | 'base' | 'theirs' | 'signal'>,
): Promise<string> {
  const paths = oldPath === null ? [path] : [path, oldPath]
  const args = [...diffTree, '--find-renames', '--patch', '--unified=0', base, theirs, '--']
  const env = { GIT_LITERAL_PATHSPECS: '1' }
  const { stdout } = await git([...args, ...paths], { cwd: dir, env, signal })
  return stdout.toString('latin1')
}

/** Returns the patch with only the hunks inside the wanted ranges; null if a range contains no hunk. */
function selectedHunks(patch: string, wanted: readonly HunkRange[]): Buffer | null {
  const [header = '', ...hunks] = patch.split(/^(?=@@ )/m)
  const found = new Set<HunkRange>()
  const selected = hunks.filter((hunk) => {
    const [range] = hunkRangesOf(hunk)
    const around = wanted.filter((one) => range && isHunkWithin(range, one))
    for (const one of around) found.add(one)
    return around.length > 0
  })
  if (found.size < new Set(wanted).size) return null
  return Buffer.from(header + selected.join(''), 'latin1')
}

const rangeText = ({ oldStart, oldLines, newStart, newLines }: HunkRange): string =>
  `-${oldStart},${oldLines} +${newStart},${newLines}`
