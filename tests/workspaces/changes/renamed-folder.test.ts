/** A project that is a folder of its repository, and an agent that renames or deletes this folder. */
import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  entriesOf,
  fixtureIn,
  git,
  gitProject,
  start,
  taskOf,
  temporaryDir,
  untilQuiet,
} from '../../harness.ts'

const doing = (command: string) =>
  JSON.stringify({
    version: 1,
    name: 'rename',
    agents: {
      lead: {
        turns: [
          { call: 'bash', with: { command } },
          { report: { title: 'Done', markdown: 'Done.' } },
        ],
      },
    },
  })

async function renamed(command = 'cd .. && git mv part other && echo edited > top.txt') {
  const dir = await temporaryDir()
  const top = await gitProject(join(dir, 'repository'), { 'top.txt': 'top\n', 'part/a.txt': 'a\n' })
  const fixture = await fixtureIn(dir, {}, join(top, 'part'))
  onTestFinished(() => fixture.shiplog.close())
  const id = await start(fixture, doing(command))
  await untilQuiet(fixture.shiplog)
  const { path = '' } = (await taskOf(fixture.shiplog, id)).workspace ?? {}
  expect(existsSync(join(path, 'a.txt'))).toBe(false)
  return { fixture, client: fixture.shiplog.client, id, path, top }
}

it('[R1] [R6] shows, saves and restores its changes', async () => {
  const { fixture, client, id, path } = await renamed()
  const { files } = await client.workspace.diff({ workspaceId: id })
  expect(files.map((file) => file.path).sort()).toEqual(['other/a.txt', 'top.txt'])
  // The state after the command is in the transcript as well.
  expect(await entriesOf(fixture.shiplog, id)).toContainEqual(
    expect.objectContaining({
      type: 'workspace-snapshot',
      changed: ['other/a.txt', 'part/a.txt', 'top.txt'],
    }),
  )
  await client.workspace.remove({ workspaceId: id })
  expect((await taskOf(fixture.shiplog, id)).patch).toBe('ready')
  await client.workspace.restore({ workspaceId: id })
  expect(await readFile(join(path, '..', 'other', 'a.txt'), 'utf8')).toBe('a\n')
  expect(await readFile(join(path, '..', 'top.txt'), 'utf8')).toBe('edited\n')
  expect(existsSync(path)).toBe(false)
})

it('[R4] applies its changes, and undoes that', async () => {
  const { client, id, top } = await renamed()
  await client.tasks.applyPatch({ taskId: id })
  expect(await readFile(join(top, 'other', 'a.txt'), 'utf8')).toBe('a\n')
  expect(existsSync(join(top, 'part', 'a.txt'))).toBe(false)
  await client.tasks.undoApply({ taskId: id })
  expect(git(top, 'status', '--porcelain')).toBe('')
  expect(await readFile(join(top, 'part', 'a.txt'), 'utf8')).toBe('a\n')
})

it('[R1] saves and restores its changes although the whole worktree is gone', async () => {
  const { client, id, path } = await renamed()
  await rm(join(path, '..'), { recursive: true })
  await client.workspace.remove({ workspaceId: id })
  const { files } = await client.workspace.diff({ workspaceId: id })
  expect(files.map((file) => file.path).sort()).toEqual(['other/a.txt', 'top.txt'])
  await client.workspace.restore({ workspaceId: id })
  expect(await readFile(join(path, '..', 'other', 'a.txt'), 'utf8')).toBe('a\n')
  expect(await readFile(join(path, '..', 'top.txt'), 'utf8')).toBe('edited\n')
})

it('[S5] changes nothing, and deletes no submodule, where a file took the place of the folder', async () => {
  const { client, id, path, top } = await renamed('cd .. && rm -r part && echo file > part')
  const [name = ''] = await readdir(join(top, '.git', 'worktrees'))
  const submodule = join(top, '.git', 'worktrees', name, 'modules', 'sub')
  git(top, 'init', '-q', '--bare', submodule)
  const root = join(path, '..')
  await rm(root, { recursive: true })
  await client.tasks.prompt({ taskId: id, prompt: 'Go on' })
  await vi.waitUntil(
    async () =>
      (await client.app.info()).notices.some(({ text }) => text.includes('could not continue')),
    { timeout: 30_000 },
  )
  expect(existsSync(root)).toBe(false)
  expect(existsSync(join(submodule, 'HEAD'))).toBe(true)
})
