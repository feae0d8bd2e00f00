/**
 * Git follows links in its own folder: it would write a new branch, its log, or what it keeps about a worktree, wherever
 * a repository of a stranger, or an agent, has linked these folders to.
 */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { WorktreeRefusedError } from '../command/errors.ts'
import { exists, lstatOf } from '../repository/file-facts.ts'

/** Throws WorktreeRefusedError if the creation of a worktree on `branch` would write outside of the repository. */
export async function refuseLinkedFolders(commonDir: string, branch: string): Promise<void> {
  const references = [`refs/heads/${branch}`, 'refs/shiplog/base/id']
  const written = [...references, ...references.map((name) => `logs/${name}`), 'worktrees/id']
  for (const folder of new Set(written.flatMap(foldersAbove))) {
    const place = path.join(commonDir, folder)
    if (!lstatOf(place)?.isSymbolicLink()) continue
    const target = await realpath(place).catch(() => null)
    if (target !== null && isSameFolderOfAnother(target, folder)) continue
    throw new WorktreeRefusedError(
      'linked-folder',
      `${place} is a link${target === null ? '' : ` to ${target}`}, so Git would write outside of the repository. Replace the link by a folder.`,
    )
  }
}

/** `a/b/c` is below `a` and `a/b`. */
const foldersAbove = (name: string): string[] => {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** Reports whether two working trees share the folder, as `git-new-workdir` links it: it is the same one of a repository. */
function isSameFolderOfAnother(target: string, folder: string): boolean {
  const end = `${path.sep}${path.normalize(folder)}`
  if (!target.endsWith(end)) return false
  const gitDir = target.slice(0, -end.length)
  return ['HEAD', 'objects'].every((name) => exists(path.join(gitDir, name)))
}
