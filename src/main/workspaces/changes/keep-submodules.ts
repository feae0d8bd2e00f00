/**
 * Keeps the Git folders of submodules that hold work when the worktree itself could not be saved: its folder was gone, or
 * was discarded. They move to the trash, each as a separate repository without files (R3).
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Git } from '../../git/index.ts'
import { makeDirDurable, moveDurable } from '../../journal/index.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import { leftoversName } from '../../sessions/trash-names.ts'

/** May be repeated: those that were moved are no longer found. */
export async function keepSubmodules(
  deps: {
    git: Pick<Git, 'releaseSubmodule'>
    layout: DataLayout
    onProblem: (text: string, error: unknown) => void
  },
  { id, title, projectDir }: Task,
  submodules: { path: string; gitDir: string }[],
): Promise<void> {
  const trash = join(deps.layout.trash, leftoversName(id, randomUUID()))
  // Before the moves, so that a crash after them does not cost the notice.
  const paths = submodules.map(({ path }) => path).join(', ')
  const text = `"${title}" worked in submodules, which no patch contains: ${paths}`
  deps.onProblem(text, new Error(`Their repositories are in the trash, in ${trash}`))
  for (const { path, gitDir } of submodules) {
    const dir = join(trash, path)
    await makeDirDurable(dir)
    // First: after a crash it is found again only until it was moved.
    await deps.git.releaseSubmodule({ cwd: projectDir, gitDir })
    await moveDurable(gitDir, join(dir, '.git'))
  }
}
