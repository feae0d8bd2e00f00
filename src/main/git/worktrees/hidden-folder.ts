/** Git's own folder of a worktree whose folder was deleted, while the worktree is created again in its place. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { RunGit } from '../command/run-git.ts'
import { exists } from '../repository/file-facts.ts'
import { retryIfPruned } from '../snapshots/quarantine.ts'
import { syncPaths } from '../worktree-files/durable.ts'
import { adminDirOf, namedAdminDir } from '../worktree-files/state.ts'
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
  const aside = asideOf(commonDir, path)
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
      if (present === null) return
      await moveModules(aside, present)
      await rm(aside, { recursive: true, force: true })
    },
    async reinstate() {
      // Git removes the parent folder with its last entry.
      await mkdir(dirname(adminDir), { recursive: true })
      await rename(aside, adminDir)
    },
  }
}

/** Where a killed call may have left one behind. */
export const asideOf = (commonDir: string, worktreePath: string): string =>
  join(commonDir, `shiplog-aside-${basename(worktreePath)}`)

/** Reports whether a call left one behind that was killed after it had created the worktree `root` again. */
export const hasHiddenFolder = (root: string): boolean => hiddenFolderOf(root) !== null

/** Ends such a call. May be repeated. */
export async function discardHiddenFolder(root: string): Promise<void> {
  const found = hiddenFolderOf(root)
  if (found === null) return
  await moveModules(found.aside, found.adminDir)
  await rm(found.aside, { recursive: true, force: true })
}

function hiddenFolderOf(root: string): { adminDir: string; aside: string } | null {
  const adminDir = namedAdminDir(root)
  if (adminDir === null) return null
  const aside = asideOf(dirname(dirname(adminDir)), root)
  return exists(aside) ? { adminDir, aside } : null
}

/**
 * Moves the Git folders of submodules. One whose place is taken, because the submodule was checked out again, gets
 * another name: a removal finds it by that.
 */
async function moveModules(from: string, to: string): Promise<void> {
  const [old, wanted] = [join(from, 'modules'), join(to, 'modules')]
  if (!exists(old)) return
  if (!exists(wanted)) await rename(old, wanted)
  else await moveEach('')
  await syncPaths([to, wanted])

  /** A submodule's name may have several parts. */
  async function moveEach(below: string): Promise<void> {
    for (const entry of await readdir(join(old, below))) {
      const name = join(below, entry)
      if (!exists(join(wanted, name))) await rename(join(old, name), join(wanted, name))
      else if (!exists(join(old, name, 'HEAD')) && !exists(join(wanted, name, 'HEAD')))
        await moveEach(name)
      else await rename(join(old, name), freeName(join(wanted, name)))
    }
  }
}

function freeName(taken: string): string {
  for (let n = 2; ; n++) if (!exists(`${taken}-${n}`)) return `${taken}-${n}`
}

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
