/** Which files of a worktree count as an agent's work before its set-up runs (K8). */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { changedByAgents } from '../../../src/main/workspaces/changed-by-agents.ts'
import { emptyLedgerState } from '../../../src/shared/projections/ledger/ledger-state.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { git, makeRepository } from '../../git/repository.ts'

const nobody = () => ({ state: emptyLedgerState('/data'), git })

it('[K8] counts differences from the project’s commit in the whole worktree, and leaves no ref', async () => {
  const project = await makeRepository({ 'app/a.sh': 'a\n', 'tools/b.sh': 'b\n' })
  const root = join(project.dir, '../worktree')
  project.git('worktree', 'add', '--quiet', root)
  await project.write('../worktree/tools/b.sh', 'changed\n')
  const task = { rootId: newTaskId(), projectDir: join(project.dir, 'app') }
  expect(await changedByAgents(nobody(), task, root)).toEqual(['tools/b.sh'])
  expect(project.git('for-each-ref', 'refs/shiplog')).toBe('')
})

it('[K8] counts every file if no commit shows the user’s files', async () => {
  const project = await makeRepository({ 'app/a.sh': 'a\n', 'tools/b.sh': 'b\n' })
  const root = join(project.dir, '../worktree')
  project.git('worktree', 'add', '--quiet', root)
  const task = { rootId: newTaskId(), projectDir: join(project.dir, 'gone') }
  expect(await changedByAgents(nobody(), task, root)).toEqual(['app/a.sh', 'tools/b.sh'])
})
