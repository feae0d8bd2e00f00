/** Git's own folder of a worktree whose folder was deleted, while the worktree is created again in its place. */
import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { RunGit } from '../command/run-git.ts'
import { exists } from '../repository/file-facts.ts'
import { retryIfPruned } from '../snapshots/quarantine.ts'
import { syncPaths } from '../worktree-files/durable.ts'
import { adminDirOf } from '../worktree-files/state.ts'
import { keepAutostash } from './autostash.ts'
import { type KeptUnfinished, keepUnfinished } from './unfinished.ts'

/** See `RestoreWorktreeInput`. */
interface Recreated {
  repoDir: string
  path: string
  head: string
  final: string
  taskId?: TaskId
  onKept?: (kept: KeptUnfinished) => void
}

interface HiddenFolder {
  /** Deletes it, after its submodules were moved to the new one: Git finds their commits there. */
  discard(): Promise<void>
  reinstate(): Promise<void>
}

/** Hides it until it is clear whether it is still needed, after what only it names was kept. */
export async function hideAdminDir(
  git: RunGit,
  input: Recreated & { commonDir: string | null },
): Promise<HiddenFolder> {
  const { path, commonDir } = input
  const nothing = { discard: async () => {}, reinstate: async () => {} }
  if (commonDir === null) return nothing
  const found = await adminDirOf(commonDir, path)
  // Git names it after the folder.
  const adminDir = found ?? join(commonDir, 'worktrees', basename(path))
  const aside = asideOf(commonDir, adminDir)
  if (found !== null) {
    await keep(git, input, { commonDir, adminDir })
    // Left behind by a killed call: the present folder is newer.
    await moveModules(aside, adminDir)
    await rm(aside, { recursive: true, force: true })
    await rename(adminDir, aside)
  } else if (!exists(aside)) return nothing
  return {
    async discard() {
      const present = await adminDirOf(commonDir, path)
      if (present !== null) await moveModules(aside, present)
      await rm(aside, { recursive: true, force: true })
    },
    async reinstate() {
      // Git removes the parent folder with its last entry.
      await mkdir(dirname(adminDir), { recursive: true })
      await rename(aside, adminDir)
    },
  }

  async function moveModules(from: string, to: string): Promise<void> {
    const [old, wanted] = [from, to].map((dir) => join(dir, 'modules')) as [string, string]
    if (!exists(old) || exists(wanted)) return
    await rename(old, wanted)
    await syncPaths([to])
  }
}

/** Where a killed call may have left one behind. Git's folder has the name of the worktree's. */
export const asideOf = (commonDir: string, adminDir: string): string =>
  join(commonDir, `shiplog-aside-${basename(adminDir)}`)

async function keep(
  git: RunGit,
  { repoDir, head, final, taskId, onKept }: Recreated,
  { commonDir, adminDir }: { commonDir: string; adminDir: string },
): Promise<void> {
  await keepAutostash(git, { repoDir, adminDir })
  if (taskId === undefined) return
  const saved = { taskId, headCommit: head, finalCommit: final, isHeadUnsaved: true }
  const kept = await retryIfPruned(() =>
    keepUnfinished(git, { repoDir, commonDir, adminDir }, saved),
  )
  if (kept !== null) onKept?.(kept)
}
