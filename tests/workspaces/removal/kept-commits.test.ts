/** A removed worktree takes its branch and its reflog along: the turn store is all that keeps what was committed. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import {
  git,
  inTurnStore,
  loseTurnStore,
  openFixture,
  start,
  taskOf,
  until,
} from '../../harness.ts'

const scenario = `
version: 1
name: committed
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Work, prompt: Go }
      - say: Done.
  worker:
    turns:
      - report: { title: Worked, markdown: Done. }
`

/** A sub-agent that has completed, in a worktree that is kept. */
async function afterWork() {
  const fixture = await openFixture()
  const root = await start(fixture, scenario, { keep: true })
  await until(
    fixture.shiplog,
    (tasks) => tasks.find(({ id }) => id === root)?.status === 'completed',
  )
  const { id, workspace } = await taskOf(fixture.shiplog, 'Work')
  const { path = '', branch = '' } = workspace ?? {}
  return { fixture, root, id, path, branch }
}

it('[R3] keeps the commits of a removed sub-agent through a gc, including those that no run recorded', async () => {
  const { fixture, id, path } = await afterWork()
  // After the run, so that no snapshot of one holds it; and nothing is left for a snapshot of the removal.
  await writeFile(join(path, 'late.txt'), 'late\n')
  git(path, 'add', '-A')
  git(path, 'commit', '-q', '-m', 'Late')
  const commit = git(path, 'rev-parse', 'HEAD').trim()

  const { client } = fixture.shiplog
  await client.workspace.remove({ workspaceId: id })
  const { dir } = fixture.project
  expect(git(dir, 'branch', '--contains', commit).trim()).toBe('')
  git(dir, 'reflog', 'expire', '--expire=now', '--all')
  git(dir, 'gc', '-q', '--prune=now')
  expect(() => git(dir, 'cat-file', '-e', commit)).toThrow()
  expect(inTurnStore(fixture, 'show', `${commit}:late.txt`)).toBe('late\n')
  expect((await client.tasks.applyPatch({ taskId: id })).kind).toBe('applied')
})

it('[R3] moves what Git had set aside for an unfinished merge to the stash, and reports it', async () => {
  const { fixture, id, path } = await afterWork()
  const { dir } = fixture.project
  await writeFile(join(dir, 'both.txt'), 'theirs\n')
  git(dir, 'add', '-A')
  git(dir, 'commit', '-q', '-m', 'Theirs')
  await writeFile(join(path, 'both.txt'), 'ours\n')
  git(path, 'add', '-A')
  git(path, 'commit', '-q', '-m', 'Ours')
  await writeFile(join(path, 'aside.txt'), 'not committed\n')
  git(path, 'add', 'aside.txt')
  const branch = git(dir, 'rev-parse', '--abbrev-ref', 'HEAD').trim()
  expect(() => git(path, 'merge', '--autostash', branch)).toThrow()

  const { client } = fixture.shiplog
  await client.workspace.remove({ workspaceId: id })
  expect(git(dir, 'show', 'stash@{0}:aside.txt')).toBe('not committed\n')
  const { notices } = await client.app.info()
  expect(notices.map(({ text }) => text)).toContainEqual(
    expect.stringContaining('set aside for it are in the stash of the project'),
  )
})

it('[R3] keeps commits that only an unfinished merge names in the turn store, and reports them', async () => {
  const { fixture, root, id, path } = await afterWork()
  const { dir } = fixture.project
  const tree = git(dir, 'rev-parse', 'HEAD^{tree}').trim()
  const fetched = git(dir, 'commit-tree', '-p', 'HEAD', '-m', 'Fetched', tree).trim()
  git(path, 'merge', '--no-ff', '--no-commit', fetched)

  const { client } = fixture.shiplog
  await client.workspace.remove({ workspaceId: id })
  git(dir, 'gc', '-q', '--prune=now')
  expect(() => git(dir, 'cat-file', '-e', fetched)).toThrow()
  expect(inTurnStore(fixture, 'cat-file', 'commit', fetched)).toContain('Fetched')
  const { notices } = await client.app.info()
  expect(notices.map(({ text }) => text)).toContain(
    `A merge, rebase or similar operation of "Work" was unfinished. What only Git's folder of its worktree named is kept with its patch`,
  )

  const unfinished = () => inTurnStore(fixture, 'for-each-ref', 'refs/shiplog/unfinished')
  expect(unfinished()).toContain(id)
  await client.workspace.remove({ workspaceId: root })
  await client.workspace.trash({ workspaceId: root })
  const { entries } = await client.retention.trash({})
  await client.retention.deleteTrashed({ names: entries.map(({ name }) => name) })
  await vi.waitUntil(() => unfinished() === '', { timeout: 60_000 })
})

it('[R3] keeps the branch of a sub-agent with commits that were not saved, because its HEAD has none', async () => {
  const { fixture, id, path, branch } = await afterWork()
  await writeFile(join(path, 'late.txt'), 'late\n')
  git(path, 'add', '-A')
  git(path, 'commit', '-q', '-m', 'Late')
  git(path, 'checkout', '-q', '--orphan', 'fresh')
  git(path, 'rm', '-rfq', '.')

  const { client } = fixture.shiplog
  await client.workspace.remove({ workspaceId: id })
  const { dir } = fixture.project
  expect(git(dir, 'show', `${branch}:late.txt`)).toBe('late\n')
  const { notices } = await client.app.info()
  expect(notices.map(({ text }) => text)).toContain(
    `The branch ${branch} of "Work" was kept, because it has commits that were not saved`,
  )
})

it('reports a removal that could not save the changes, because the folder and what was recorded of it are gone', async () => {
  const { fixture, id, path } = await afterWork()
  await rm(path, { recursive: true })
  await loseTurnStore(fixture)
  const { client } = fixture.shiplog
  await client.workspace.remove({ workspaceId: id })
  const { notices } = await client.app.info()
  expect(notices.map(({ text, details }) => [text, details])).toContainEqual([
    'The changes of "Work" could not be saved',
    [`${path} was gone`],
  ])
})
