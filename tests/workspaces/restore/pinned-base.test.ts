/** A kill between a restored worktree and the reference that keeps its base commit: the next start makes up for it. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { PatchEntry } from '../../../src/main/artifacts/index.ts'
import {
  type Archived,
  createArchivedWorktrees,
} from '../../../src/main/workspaces/archived/worktrees.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { git, makeRepository, temporaryDir } from '../../git/repository.ts'

it('[R6] keeps the base commit of a worktree that a killed restore had created', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const path = join(await temporaryDir(), 'work')
  const commit = project.git('rev-parse', 'HEAD')
  const worktrees = createArchivedWorktrees({
    state: { projects: new Map(), removedProjects: new Map() },
    git,
    workingDirs: { worktreeRoot: () => path },
    leftovers: { restore: async () => 0 },
    onWarning: () => undefined,
    onProblem: () => undefined,
  })
  const workspace = { isolation: 'worktree', branch: 'work', baseCommit: commit, restoring: true }
  const task = { id: newTaskId(), title: 'Work', projectDir: project.dir, workspace } as Archived
  const patch = { headCommit: commit, finalCommit: commit } as PatchEntry
  const pins = () => project.git('for-each-ref', '--format=%(objectname)', 'refs/shiplog/base')

  await worktrees.restore(task, patch)
  expect(pins()).toBe(commit)
  await git.unpinBase(project.dir, task.id)
  await expect(worktrees.restore(task, patch)).resolves.toBe('work')
  expect(pins()).toBe(commit)
})
