/**
 * Makes the tree that a part of some changes would have led to: the base with the selected files and hunks. Merging it
 * like any final state applies that part alone. Works in the object database and a temporary index.
 */
import type { ChangeSelection, HunkRange } from '../../../shared/contract/changes.ts'
import { hunkRangesOf, isHunkWithin } from '../../../shared/hunk-ranges.ts'
import { diffTree, readRaw, type TreeChange } from '../changes/tree-changes.ts'
import { fields, line, type RunGit } from '../command/run-git.ts'

interface SelectInput {
  /** Any folder of the working tree. */
  dir: string
  base: string
  theirs: string
  files: ChangeSelection['files']
  /** A path for the temporary index. */
  indexFile: string
  signal?: AbortSignal | undefined
}

type Selected =
  | { kind: 'selected'; tree: string }
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
  const patches: Buffer[] = []
  for (const { path, hunks } of input.files) {
    const change = changes.get(path)
    if (!change) return { kind: 'no-such-change', what: path }
    if (!hunks) {
      entries.push(...indexEntriesOf(change))
      continue
    }
    const patch = selectedHunks(await patchOf(git, change, input), hunks)
    if (!patch) return { kind: 'no-such-change', what: `${path}: ${hunks.map(rangeText)}` }
    patches.push(patch)
  }
  await git(['read-tree', base], run)
  // Removed paths first: a file may take the place of a folder.
  const sorted = entries.toSorted((a, b) => Number(b.startsWith('0 ')) - Number(a.startsWith('0 ')))
  await git(['update-index', '--replace', '-z', '--index-info'], { ...run, input: sorted.join('') })
  for (const patch of patches)
    await git(['apply', '--cached', '--unidiff-zero', '--binary', '--whitespace=nowarn', '-'], {
      ...run,
      input: patch,
    })
  return { kind: 'selected', tree: line(await git(['write-tree'], run)) }
}

/** Input of `update-index -z --index-info`. */
function indexEntriesOf({ status, path, oldPath, newMode, newId }: TreeChange): string[] {
  const removed = (name: string) => `0 ${'0'.repeat(newId.length)}\t${name}\0`
  if (status === 'D') return [removed(path)]
  const added = `${newMode} ${newId}\t${path}\0`
  return oldPath === null ? [added] : [removed(oldPath), added]
}

/** Without context lines, so that each hunk is one change. */
async function patchOf(
  git: RunGit,
  { path, oldPath }: TreeChange,
  { dir, base, theirs, signal }: SelectInput,
): Promise<string> {
  const paths = oldPath === null ? [path] : [path, oldPath]
  const args = [...diffTree, '--find-renames', '--patch', '--unified=0', base, theirs, '--']
  const env = { GIT_LITERAL_PATHSPECS: '1' }
  const { stdout } = await git([...args, ...paths], { cwd: dir, env, signal })
  // One character for each byte, so that lines of any encoding stay as they are.
  return stdout.toString('latin1')
}

/** Returns the patch with only the hunks inside the wanted ranges; null if one of the ranges has none. */
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
