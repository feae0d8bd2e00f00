/**
 * Brings a working tree from its snapshot to another tree: all of it or nothing. Only files are
 * written, so that what comes in is uncommitted work; the index stays as the person left it.
 *
 * Files are written by `git checkout-index` and not by `git apply`, because the trees are known: links,
 * modes, line endings and filters come out as in any checkout, and the old tree is the way back.
 */
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import path from 'node:path'
import { submoduleMode, symlinkMode, type TreeChange, treeChanges } from './changes.ts'
import { fields, line, type RunGit } from './run.ts'
import type { OpenSnapshot } from './snapshot.ts'

type WorkingTreeUpdate =
  | { kind: 'updated'; paths: string[] }
  /** Nothing was touched. */
  | { kind: 'in-the-way'; paths: string[]; why: string }

/** Throws GitError or a system error when writing failed; then what was written is taken back. */
export async function updateWorkingTree(
  git: RunGit,
  snapshot: OpenSnapshot,
  tree: string,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<WorkingTreeUpdate> {
  const { topLevel } = snapshot
  const changes = await treeChanges(git, { dir: topLevel, from: snapshot.tree, to: tree, signal })
  const newIndex = await indexOf(git, snapshot, tree, 'index-new', signal)
  const oldIndex = await indexOf(git, snapshot, snapshot.tree, 'index-old', signal)
  const obstacle = await findObstacle(git, snapshot, changes, signal)
  if (obstacle !== null) return { kind: 'in-the-way', ...obstacle }

  // From here on there is no stopping half-way, so no signal.
  const { gone, written, added } = await planWrites(topLevel, changes)
  try {
    await removeFiles(topLevel, gone)
    await checkOut(git, topLevel, newIndex, written)
  } catch (error) {
    try {
      await removeFiles(topLevel, added)
      const had = changes.filter(({ status }) => status !== 'A').map((change) => change.path)
      await checkOut(git, topLevel, oldIndex, had)
    } catch (second) {
      throw new AggregateError(
        [error, second],
        `${topLevel} could not be written, nor be brought back; its state before is tree ${snapshot.tree}`,
      )
    }
    throw error
  }
  return { kind: 'updated', paths: changes.map((change) => change.path).sort() }
}

/** `added`: what is not there yet, and must not be after a failure. */
async function planWrites(topLevel: string, changes: readonly TreeChange[]) {
  const gone: string[] = []
  const written: string[] = []
  const added: string[] = []
  for (const { status, path: name } of changes) {
    if (status === 'D') gone.push(name)
    else written.push(name)
    if (status === 'A' && (await lstatOf(path.join(topLevel, name))) === null) added.push(name)
  }
  return { gone, written, added }
}

async function indexOf(
  git: RunGit,
  { topLevel, scratchDir }: OpenSnapshot,
  tree: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const indexFile = path.join(scratchDir, name)
  await git(['read-tree', tree], { cwd: topLevel, env: { GIT_INDEX_FILE: indexFile }, signal })
  return indexFile
}

type Obstacle = { paths: string[]; why: string } | null

async function findObstacle(
  git: RunGit,
  snapshot: OpenSnapshot,
  changes: readonly TreeChange[],
  signal: AbortSignal | undefined,
): Promise<Obstacle> {
  const submodules = changes
    .filter(({ oldMode, newMode }) => [oldMode, newMode].includes(submoduleMode))
    .map((change) => change.path)
  if (submodules.length > 0) {
    return { paths: submodules, why: 'a submodule changes, which has to be done by hand' }
  }
  const unnameable = changes.map((change) => change.path).filter((name) => name.includes('\ufffd'))
  if (unnameable.length > 0) {
    return {
      paths: unnameable,
      why: 'its name is not UTF-8 (the signs that stand for its bytes here are not it), so it has to be brought in with Git by hand, or renamed first',
    }
  }
  const edited = await editedSince(git, snapshot, signal)
  const meanwhile = changes.map((change) => change.path).filter((name) => edited.has(name))
  if (meanwhile.length > 0) {
    return { paths: meanwhile, why: 'it was edited while the changes were being brought in' }
  }

  const hidden = await hiddenPaths(git, snapshot, signal)
  const gone = new Set(changes.filter(({ status }) => status === 'D').map(({ path: name }) => name))
  const blocked: string[] = []
  for (const change of changes) {
    const unknownToGit = change.status === 'A' || hidden.has(change.path)
    const free = !unknownToGit || (await isFree(git, snapshot.topLevel, change, gone))
    if (!free) blocked.push(change.path)
  }
  if (blocked.length === 0) return null
  return { paths: blocked, why: 'a file that Git does not track, or a folder, is in its place' }
}

/** Files that are no longer as the snapshot took them. Its own index knows their times and sizes. */
async function editedSince(
  git: RunGit,
  { topLevel, indexFile }: OpenSnapshot,
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const run = { cwd: topLevel, env: { GIT_INDEX_FILE: indexFile }, signal }
  // A file that was only touched is not an edited one. Exit code 1: some do differ.
  await git(['update-index', '-q', '--refresh'], { ...run, okExitCodes: [0, 1] })
  const result = await git(['diff-files', '--name-only', '-z', '--no-ext-diff'], run)
  return new Set(fields(result.stdout))
}

/** What the person told Git not to look at (assume-unchanged, sparse): it may differ unseen. */
async function hiddenPaths(
  git: RunGit,
  { topLevel, indexFile }: OpenSnapshot,
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const result = await git(['ls-files', '-v', '-z'], {
    cwd: topLevel,
    env: { GIT_INDEX_FILE: indexFile },
    signal,
  })
  const flagged = fields(result.stdout).filter((entry) => /^[a-zS] /.test(entry))
  return new Set(flagged.map((entry) => entry.slice(2)))
}

/** True when nothing of the person's would be lost by writing, or deleting, this path. */
async function isFree(
  git: RunGit,
  topLevel: string,
  change: TreeChange,
  gone: ReadonlySet<string>,
): Promise<boolean> {
  const parts = change.path.split('/')
  for (let depth = 1; depth < parts.length; depth++) {
    const parent = parts.slice(0, depth).join('/')
    const found = await lstatOf(path.join(topLevel, parent))
    if (found === null) return true
    // A link to a folder is not followed: what is behind it is not this working tree.
    if (!found.isDirectory()) return gone.has(parent)
  }
  const file = path.join(topLevel, change.path)
  const found = await lstatOf(file)
  if (found === null) return true
  if (found.isDirectory()) return holdsOnly(topLevel, change.path, gone)
  const kept = change.status === 'A' ? change.newId : change.oldId
  const mode = change.status === 'A' ? change.newMode : change.oldMode
  if (found.isSymbolicLink() || mode === symlinkMode) return false
  return kept === (await contentId(git, topLevel, change.path))
}

async function holdsOnly(
  topLevel: string,
  folder: string,
  gone: ReadonlySet<string>,
): Promise<boolean> {
  for (const entry of await readdir(path.join(topLevel, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`
    const fine = entry.isDirectory() ? await holdsOnly(topLevel, name, gone) : gone.has(name)
    if (!fine) return false
  }
  return true
}

/** As Git would store it, line endings and filters included. */
async function contentId(git: RunGit, topLevel: string, name: string): Promise<string> {
  return line(await git(['hash-object', '--', name], { cwd: topLevel }))
}

/** Folders that become empty go as well, as Git does it. */
async function removeFiles(topLevel: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await unlink(path.join(topLevel, name)).catch((error) => {
      if (!isAbsent(error)) throw error
    })
    let folder = path.posix.dirname(name)
    while (folder !== '.') {
      const removed = await rmdir(path.join(topLevel, folder)).then(
        () => true,
        () => false,
      )
      if (!removed) break
      folder = path.posix.dirname(folder)
    }
  }
}

async function checkOut(
  git: RunGit,
  topLevel: string,
  indexFile: string,
  names: readonly string[],
): Promise<void> {
  // Attributes first: they decide the line endings and filters of the others.
  const attributes = names.filter((name) => path.posix.basename(name) === '.gitattributes')
  const others = names.filter((name) => !attributes.includes(name))
  for (const batch of [attributes, others]) {
    if (batch.length === 0) continue
    await git(['checkout-index', '--force', '-z', '--stdin'], {
      cwd: topLevel,
      env: { GIT_INDEX_FILE: indexFile },
      input: batch.map((name) => `${name}\0`).join(''),
    })
  }
}

async function lstatOf(file: string) {
  return lstat(file).catch((error) => {
    if (isAbsent(error)) return null
    throw error
  })
}

function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ENOENT' || code === 'ENOTDIR'
}
