/** Finds the branches, or tasks with a removed worktree, that contain a commit. */
import type { TaskId } from '../../../shared/records/ids.ts'
import type { RunGit } from '../command/run-git.ts'
import { inStore, objectsOfRepository, storesAt } from '../store/store.ts'
import { keptCommit } from '../worktrees/kept-refs.ts'
import { resolveCommit } from './commits.ts'

/**
 * Returns branches (without `refs/heads/`) and tasks whose last state (`keepRef`) contains a
 * commit.
 */
export async function refsContaining(
  git: RunGit,
  { dir, commit }: { dir: string; commit: string },
): Promise<{ branches: string[]; keptFor: string[] }> {
  const contains = ['for-each-ref', `--contains=${commit}`, '--format=%(refname)']
  const named = async (run: RunGit, cwd: string, ...places: string[]) =>
    (await run([...contains, ...places], { cwd })).stdout.toString().split('\n')
  const names = await named(git, dir, 'refs/heads/', 'refs/shiplog/')
  const borrowed = await objectsOfRepository(git, dir)
  for (const store of storesAt(git, dir))
    names.push(...(await named(inStore(git, store, borrowed), store, 'refs/shiplog/')))
  const below = (place: string) =>
    names.filter((name) => name.startsWith(place)).map((name) => name.slice(place.length))
  return {
    branches: below('refs/heads/'),
    keptFor: below('refs/shiplog/').filter((name) => !name.includes('/')),
  }
}

/**
 * Returns the tip of a task's work: its branch, else the reference of `keepRef`; null if there is
 * neither.
 */
export async function tipOfTask(
  git: RunGit,
  { dir, taskId, branch }: { dir: string; taskId: TaskId; branch: string | null },
): Promise<string | null> {
  const tip = branch === null ? null : await resolveCommit(git, dir, `refs/heads/${branch}`)
  return tip ?? keptCommit(git, dir, taskId)
}
