/** The lock of a worktree that is being created is removed durably: Git itself syncs no folder. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { record } from '../../crash/fault-fs/record.ts'
import { git, makeRepository, temporaryDir } from '../repository.ts'

/** Whether Git's folder of the worktree `work` was locked at each of its syncs. */
async function lockedAtSyncs(repoDir: string, work: () => Promise<unknown>): Promise<boolean[]> {
  const adminDir = path.join('.git', 'worktrees', 'work')
  const locked: boolean[] = []
  const recording = record(repoDir, {
    ended: ({ call, path: name }) => {
      if (call === 'sync' && name === adminDir)
        locked.push(existsSync(path.join(repoDir, adminDir, 'locked')))
    },
  })
  try {
    await work()
  } finally {
    recording.stop()
  }
  return locked
}

it('syncs the removal of the lock of a worktree that was created or restored', async () => {
  const project = await makeRepository()
  const from = project.git('rev-parse', 'HEAD')
  const worktree = path.join(await temporaryDir(), 'work')
  const where = { repoDir: project.dir, path: worktree, branch: 'shiplog/work' }
  expect(await lockedAtSyncs(project.dir, () => git.createWorktree({ ...where, from }))).toEqual([
    true,
    false,
  ])
  await git.removeWorktree(where)
  const restored = () => git.restoreWorktree({ ...where, head: from, final: from })
  expect(await lockedAtSyncs(project.dir, restored)).toEqual([true, false])
})
