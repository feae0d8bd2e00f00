/** Runs Git in a folder of Shiplog's worktrees only if it is a worktree. */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { assertNever } from '../../../shared/assert-never.ts'
import { WorktreeBrokenError } from '../command/errors.ts'
import { exists, orNull } from '../repository/file-facts.ts'
import { inspectWorktree, type WorktreeState } from './state.ts'

export interface Worktrees {
  /** The folder that contains all of them, two levels down: `<dir>/<project>/<worktree>`. */
  dir: string
  /** Returns the ledger's entry for a worktree; null if it has none. */
  ownerOf(root: string): { repoDir: string; branch: string | null } | null
  /** Called when one was repaired by rewriting Git's own files. */
  onRepaired?(root: string): void
}

/**
 * Returns the root of the worktree that contains, or should contain, `dir`, below `worktrees` as
 * given; null outside it.
 */
export function worktreeRootOf(worktrees: string, dir: string): string | null {
  for (const place of [worktrees, orNull(() => realpathSync.native(worktrees)) ?? worktrees]) {
    const [project, name] = path.relative(place, dir).split(path.sep)
    if (!project || !name || project === '..' || path.isAbsolute(project)) continue
    return path.join(worktrees, project, name)
  }
  return null
}

/**
 * Throws WorktreeBrokenError if `root` exists and Git can't work in it, after `repair` has tried to
 * fix it.
 */
export async function ensureWorktree(
  root: string,
  repair: () => Promise<WorktreeState>,
): Promise<void> {
  // The caller detects a missing folder.
  if (!exists(root)) return
  const found = inspectWorktree(root)
  const state = found.kind === 'broken' ? await repair() : found
  switch (state.kind) {
    case 'whole':
      return
    case 'own-repository':
      throw new WorktreeBrokenError(root, 'it was made a repository of its own')
    case 'broken':
      throw new WorktreeBrokenError(root, state.why)
    default:
      return assertNever(state)
  }
}
