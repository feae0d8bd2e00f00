/**
 * Finds and removes symbolic links in the parts of a repository that a sandboxed command may write. Git creates none
 * there, but follows them: the reflog of a branch, appended to by a Git outside of the sandbox, may be any file.
 */
import { readdir, readlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Absolute paths with their targets, as written. */
type Links = ReadonlyMap<string, string>

/** Absolute paths of the folders of a repository that a command may write. */
export interface WritableGitFolders {
  /** `refs`, `logs` and the worktree's own: searched whole. */
  whole: readonly string[]
  /** `objects`: it has thousands of files, and only its folders can be followed. */
  objects: string
}

export async function linksIn({ whole, objects }: WritableGitFolders): Promise<Links> {
  const found = new Map<string, string>()
  for (const folder of whole) await addLinks(folder, Infinity, found)
  await addLinks(objects, 1, found)
  for (const name of ['info', 'pack']) await addLinks(join(objects, name), 1, found)
  return found
}

async function addLinks(folder: string, depth: number, found: Map<string, string>): Promise<void> {
  // Missing, or a link itself, which was found as an entry of its folder.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) found.set(path, await readlink(path).catch(() => ''))
    else if (entry.isDirectory() && depth > 1) await addLinks(path, depth - 1, found)
  }
}

/** Removes the links that were not there `before`. Resolves with their paths. */
export async function removeNewLinks(
  folders: WritableGitFolders,
  before: Links,
): Promise<string[]> {
  const removed: string[] = []
  for (const [path, target] of await linksIn(folders)) {
    if (before.get(path) === target) continue
    await unlink(path)
    removed.push(path)
  }
  return removed
}
