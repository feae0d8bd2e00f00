/** Which line of work a commit is on: a branch's, or that of a task whose worktree was removed. */
import type { TaskId } from '../../../shared/records/ids.ts'
import type { RunGit } from '../command/run.ts'
import { inStore, objectsOfRepository, storesAt } from '../store/store.ts'
import { keptCommit } from '../worktrees/worktrees.ts'
import { resolveCommit } from './inspect.ts'

/** Branches (without `refs/heads/`) and tasks whose last state (`keepRef`) a commit is part of. */
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

/** The tip of a task's work: its branch, else the reference that `keepRef` made; null when there is neither. */
export async function tipOfTask(
  git: RunGit,
  { dir, taskId, branch }: { dir: string; taskId: TaskId; branch: string | null },
): Promise<string | null> {
  const tip = branch === null ? null : await resolveCommit(git, dir, `refs/heads/${branch}`)
  return tip ?? keptCommit(git, dir, taskId)
}
