/** The repository has lost a task's commits: the files of its saved patch still bring its work. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, loseTurnStore, openFixture, start, taskOf, untilQuiet } from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'

const scenario = `
version: 1
name: half committed
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Work, prompt: Go }
      - say: Done.
  worker:
    turns:
      - call: bash
        with: { command: "echo one > committed.txt && git add -A && git commit -qm One && echo two > loose.txt" }
      - report: { title: Worked, markdown: Done. }
`

const openWithoutCommits = preparedFixture(async (fixture) => {
  const root = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const work = await taskOf(fixture.shiplog, 'Work')
  const { dir } = fixture.project
  await loseTurnStore(fixture)
  git(dir, 'reflog', 'expire', '--expire=now', '--all')
  git(dir, 'gc', '-q', '--prune=now')
  const path = (await taskOf(fixture.shiplog, root)).workspace?.path ?? ''
  const patch = join(fixture.dataDir, 'sessions', root, 'subagent-patches', work.id)
  return { path, patch, work: work.id }
})

async function withoutCommits() {
  const { fixture, path, patch, work } = await openWithoutCommits()
  const apply = () => fixture.shiplog.client.tasks.applyPatch({ taskId: work })
  return { path, patch, apply }
}

it('[A1] applies commits and uncommitted work from the files', async () => {
  const { path, apply } = await withoutCommits()
  expect((await apply()).kind).toBe('applied')
  expect(await readFile(join(path, 'committed.txt'), 'utf8')).toBe('one\n')
  expect(await readFile(join(path, 'loose.txt'), 'utf8')).toBe('two\n')
})

it.each(['series.mbox', 'worktree.patch'])(
  'never passes half of it off as whole: without %s it is refused',
  async (name) => {
    const { path, patch, apply } = await withoutCommits()
    await rm(join(patch, name))
    await expect(apply()).rejects.toThrow(`A part of its patch is lost: ${join(patch, name)}`)
    expect(git(path, 'status', '--porcelain')).toBe('')
  },
)

it.each(['series.mbox', 'worktree.patch'])(
  'applies nothing when %s was changed after it was saved',
  async (name) => {
    const { path, patch, apply } = await withoutCommits()
    const text = await readFile(join(patch, name), 'utf8')
    await writeFile(join(patch, name), text.replace(/^\+(one|two)$/m, '+not what the agent wrote'))
    await expect(apply()).rejects.toThrow(
      `A part of its patch was changed after it was saved: ${join(patch, name)}`,
    )
    expect(git(path, 'status', '--porcelain')).toBe('')
  },
)

it('reports an apply as done even if the folder of the patch was deleted', async () => {
  const fixture = await openFixture()
  const root = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const { id } = await taskOf(fixture.shiplog, 'Work')
  const patch = join(fixture.dataDir, 'sessions', root, 'subagent-patches', id)
  await rm(patch, { recursive: true })
  const { kind } = await fixture.shiplog.client.tasks.applyPatch({ taskId: id })
  expect(kind).toBe('applied')
  expect((await taskOf(fixture.shiplog, id)).patch).toBe('applied')
})
