/** What a program may write into a repository that Git's own commands never do, and what a removal makes of it. */
import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, openFixture, start, taskOf, untilQuiet } from '../../harness.ts'

const scenario = `
version: 1
name: works
agents:
  lead:
    turns:
      - call: write_file
        with: { path: loose.txt, content: "not committed" }
      - say: Done.
`

async function worked() {
  const fixture = await openFixture()
  const id = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const path = (await taskOf(fixture.shiplog, id)).workspace?.path ?? ''
  return { ...fixture, id, path, client: fixture.shiplog.client }
}

it('[R3] deletes no branch that a reference of Shiplog’s was made to stand for', async () => {
  const { project, id, client } = await worked()
  const main = git(project.dir, 'rev-parse', 'main')
  git(project.dir, 'symbolic-ref', `refs/shiplog/base/${id}`, 'refs/heads/main')
  await client.workspace.remove({ workspaceId: id })
  expect(git(project.dir, 'rev-parse', 'refs/heads/main')).toBe(main)
  expect(git(project.dir, 'for-each-ref', '--format=%(refname)', 'refs/shiplog')).toBe('')
})

it('[R3] moves a worktree to the trash whose commit Git can’t read, once that is asked for', async () => {
  const { dataDir, id, path, client } = await worked()
  const blob = git(path, 'rev-parse', 'HEAD:README.md').trim()
  const input = Buffer.concat([Buffer.from('100644 \0'), Buffer.from(blob, 'hex')])
  const args = ['hash-object', '-t', 'tree', '--literally', '-w', '--stdin']
  const tree = execFileSync('git', args, { cwd: path, input, encoding: 'utf8' }).trim()
  const commit = git(path, 'commit-tree', '-m', 'Odd', '-p', 'HEAD', tree).trim()
  git(path, 'update-ref', 'HEAD', commit)
  await expect(client.workspace.remove({ workspaceId: id })).rejects.toThrow(
    /empty filename in tree entry.*--discard-unknown-worktree/s,
  )
  await client.workspace.remove({ workspaceId: id, discardUnknownWorktree: true })
  const trash = join(dataDir, 'trash')
  const [moved = ''] = await readdir(trash)
  expect(await readFile(join(trash, moved, 'loose.txt'), 'utf8')).toBe('not committed')
})
