/** Finds obstacles to changing a working tree to another tree, before anything is written. */
import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import { isGitName } from '../../../shared/git/git-names.ts'
import { submoduleMode, symlinkMode, type TreeChange } from '../changes/tree-changes.ts'
import { fields, line, notIntoSubmodules, type RunGit } from '../command/run-git.ts'
import { pathsInDataDir } from '../repository/data-dir.ts'
import type { OpenSnapshot } from '../snapshots/snapshot.ts'
import { caseCollisions, existsWithExactCase } from './contents.ts'
import { mapConcurrently } from './map-concurrently.ts'

/** Paths that can't be overwritten, and the reason; null if there are none. */
type Obstacle = { paths: string[]; why: string } | null

/** Returns the first kind of obstacle to the changes; null if there is none. Changes nothing. Throws GitError. */
export async function findObstacle(
  git: RunGit,
  snapshot: OpenSnapshot,
  changes: readonly TreeChange[],
  signal: AbortSignal | undefined,
): Promise<Obstacle> {
  const submodules = changes
    .filter(({ oldMode, newMode }) => [oldMode, newMode].includes(submoduleMode))
    .map((change) => change.path)
  if (submodules.length > 0) {
    return { paths: submodules, why: 'a submodule changes; update it by hand' }
  }
  const notUtf8 = changes.map((change) => change.path).filter((name) => name.includes('\ufffd'))
  if (notUtf8.length > 0) {
    return {
      paths: notUtf8,
      why: 'its name is not valid UTF-8 and is shown with replacement characters; rename it, or apply its change by hand with Git',
    }
  }
  const gitNames = changes
    .map((change) => change.path)
    .filter((name) => name.split('/').some(isGitName))
  if (gitNames.length > 0) {
    return {
      paths: gitNames,
      why: 'some systems treat its name as .git, and would run programs that it configures',
    }
  }
  const recorded = await pathsInDataDir(
    git,
    snapshot.topLevel,
    changes.map((change) => change.path),
  )
  if (recorded.length > 0) {
    return {
      paths: recorded,
      why: 'it is in the data directory of Shiplog, where a change would damage the record; apply the other files alone, or keep the data directory outside of the project',
    }
  }
  const nested = changes
    .map((change) => change.path)
    .filter((name) => snapshot.leftOut.some((folder) => name.startsWith(folder)))
  if (nested.length > 0) {
    return { paths: nested, why: 'another repository is in the place of its folder' }
  }
  const special = await specialFiles(snapshot.topLevel, changes)
  if (special.length > 0) {
    return { paths: special, why: 'a pipe, socket or device is in its place' }
  }
  const twins = caseCollisions(changes.map((change) => change.path))
  const respelledFolders = changes.filter(
    ({ status, path: name }) => status !== 'D' && twins.has(name),
  )
  const sameFolders = await mapConcurrently(respelledFolders, async ({ path: name }) => {
    const renames = await folderRenames(snapshot.topLevel, path.posix.dirname(name))
    return renames.length > 0 ? [{ name, renames }] : []
  })
  const respelled = sameFolders.flat()
  if (respelled.length > 0) {
    const commands = new Set(respelled.flatMap(({ renames }) => renames))
    return {
      paths: respelled.map(({ name }) => name),
      why: `its folder is there in other letters, which this disk takes for the same; rename the folder first, then apply again: \`cd ${shellWord(snapshot.topLevel)} && ${[...commands].join(' && ')}\``,
    }
  }
  const hidden = await hiddenPaths(git, snapshot, signal)
  const gone = new Set(changes.filter(({ status }) => status === 'D').map(({ path: name }) => name))
  const checked = await mapConcurrently(changes, async (change) => {
    const unknownToGit = change.status === 'A' || hidden.has(change.path)
    const isTracked =
      twins.has(change.path) && (await isTrackedInOtherLetters(snapshot.topLevel, change, gone))
    const canReplace =
      !unknownToGit || isTracked || (await isReplaceable(git, snapshot.topLevel, change, gone))
    return canReplace ? [] : [change.path]
  })
  const blocked = checked.flat()
  if (blocked.length === 0) return null
  const ignoredChanges = blocked.filter((name) => hidden.has(name))
  if (ignoredChanges.length > 0) {
    return {
      paths: ignoredChanges,
      why: 'it has changes that Git is told to ignore (assume-unchanged or skip-worktree)',
    }
  }
  return { paths: blocked, why: 'a file that Git does not track, or a folder, is in its place' }
}

/** Returns the files among the changes that were edited since the snapshot. */
export async function findEdited(
  git: RunGit,
  snapshot: OpenSnapshot,
  changes: readonly TreeChange[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const edited = await editedSince(git, snapshot, signal)
  return changes.map((change) => change.path).filter((name) => edited.has(name))
}

/** Returns files that changed since the snapshot, by the times and sizes in its index. */
async function editedSince(
  git: RunGit,
  { topLevel, indexFile }: OpenSnapshot,
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const run = { cwd: topLevel, env: { GIT_INDEX_FILE: indexFile }, signal }
  // A file with only a new time was not edited. Exit code 1: some differ.
  await git(['update-index', '-q', '--refresh'], { ...run, okExitCodes: [0, 1] })
  const result = await git(
    ['diff-files', '--name-only', '-z', '--no-ext-diff', ...notIntoSubmodules],
    run,
  )
  return new Set(fields(result.stdout))
}

/**
 * Returns files that Git is configured to ignore changes of (assume-unchanged, sparse), because
 * they may have unseen changes.
 */
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

/**
 * Returns the commands that give a folder its letters if it exists only in others: two renames for each part, because a
 * folder can't be moved to a name that the disk takes for its own. Not `git mv`: with the new names in the user's index,
 * both sides would have renamed the files, and every edit in them would conflict.
 */
async function folderRenames(topLevel: string, folder: string): Promise<string[]> {
  if (folder === '.' || (await lstatOf(path.join(topLevel, folder))) === null) return []
  const commands: string[] = []
  let above = ''
  let dir = topLevel
  for (const part of folder.split('/')) {
    const names = await readdir(dir)
    const found = names.includes(part)
      ? part
      : names.find((name) => name.toLowerCase() === part.toLowerCase())
    if (found === undefined) break
    if (found !== part) {
      const between = freeName(`${part}.renaming`, names)
      commands.push(
        `mv -- ${shellWord(above + found)} ${shellWord(above + between)}`,
        `mv -- ${shellWord(above + between)} ${shellWord(above + part)}`,
      )
    }
    above += `${part}/`
    dir = path.join(dir, found)
  }
  return commands
}

function freeName(name: string, taken: readonly string[]): string {
  const inSameLetters = new Set(taken.map((one) => one.toLowerCase()))
  let free = name
  for (let n = 2; inSameLetters.has(free.toLowerCase()); n++) free = `${name}-${n}`
  return free
}

/** Quoted for a POSIX shell where it has to be. */
const shellWord = (text: string): string =>
  /^[\w./@%+,:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/**
 * Reports whether the file at an added path is one that the same change removes, and that Git tracks in other letters:
 * whether it has kept these on the disk or was renamed there by hand. What it holds is then in the snapshot.
 */
async function isTrackedInOtherLetters(
  topLevel: string,
  { path: name }: TreeChange,
  gone: ReadonlySet<string>,
): Promise<boolean> {
  if (!(await existsWithExactCase(topLevel, name))) return true
  const twin = [...gone].find((one) => one !== name && one.toLowerCase() === name.toLowerCase())
  if (twin === undefined || (await existsWithExactCase(topLevel, twin))) return false
  const here = await lstatOf(path.join(topLevel, name))
  const there = await lstatOf(path.join(topLevel, twin))
  return here !== null && there !== null && here.ino === there.ino && here.dev === there.dev
}

/** Returns paths with a pipe, socket or device. The snapshot lacks it, and reading a pipe would block Git forever. */
async function specialFiles(topLevel: string, changes: readonly TreeChange[]): Promise<string[]> {
  const checked = await mapConcurrently(changes, async (change) => {
    const found = await lstatOf(path.join(topLevel, change.path))
    if (found === null || found.isFile() || found.isDirectory() || found.isSymbolicLink()) return []
    return [change.path]
  })
  return checked.flat()
}

/** Reports whether writing or deleting this path would lose nothing of the user's. */
async function isReplaceable(
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
    // A link to a folder is not followed: its target is not part of this working tree.
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

/**
 * Reports whether nothing is left of a folder once the given files are deleted, with the folders that become empty by
 * that. It may be empty itself; an empty folder in it is the user's, and stays.
 */
async function holdsOnly(
  topLevel: string,
  folder: string,
  gone: ReadonlySet<string>,
): Promise<boolean> {
  for (const entry of await readdir(path.join(topLevel, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`
    const isGone = entry.isDirectory()
      ? !(await isEmpty(path.join(topLevel, name))) && (await holdsOnly(topLevel, name, gone))
      : gone.has(name)
    if (!isGone) return false
  }
  return true
}

const isEmpty = async (folder: string): Promise<boolean> => (await readdir(folder)).length === 0

/** Returns the id of the content as Git would store it, with line endings and filters. */
async function contentId(git: RunGit, topLevel: string, name: string): Promise<string> {
  return line(await git(['hash-object', '--', name], { cwd: topLevel }))
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
