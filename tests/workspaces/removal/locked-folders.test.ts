/** Agents make folders that are read-only or closed (Go's module cache is); they are removed, restored and expire too. */
import { existsSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { removeDurable } from '../../../src/main/journal/index.ts'
import { openFixture, start, taskOf, untilQuiet } from '../../harness.ts'
import { asUnprivilegedUser } from '../../unprivileged.ts'

const files = { 'a.txt': 'a\n', 'd/in.txt': 'in\n', '.gitignore': '*.log\n' }
const scenario = `
version: 1
name: works
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo new > d/new.txt" }
      - report: { title: Done, markdown: Done. }
`

async function ended() {
  // Git may not read the files of another user's home directory.
  vi.stubEnv('HOME', '/nonexistent')
  onTestFinished(() => void vi.unstubAllEnvs())
  const fixture = await openFixture({ files })
  const id = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const path = (await taskOf(fixture.shiplog, id)).workspace?.path ?? ''
  const { workspace, doctor } = fixture.shiplog.client
  const inTrash = async () => {
    const { leftovers } = await workspace.leftovers({ workspaceId: id })
    const [kept] = leftovers
    return { ...kept, dir: join(fixture.dataDir, 'trash', kept?.name ?? '') }
  }
  return { fixture, id, path, workspace, doctor, inTrash, trash: join(fixture.dataDir, 'trash') }
}

it('[R3] removes a worktree with read-only folders, and restores the ignored files in them', async () => {
  const { fixture, id, path, workspace, inTrash, trash } = await ended()
  await mkdir(join(path, 'cache/deep'), { recursive: true })
  for (const name of ['d/x.log', 'cache/deep/y.log']) await writeFile(join(path, name), 'rows\n')
  asUnprivilegedUser(dirname(fixture.dataDir))
  for (const folder of ['cache/deep', 'cache', 'd', '.']) await chmod(join(path, folder), 0o555)
  await workspace.remove({ workspaceId: id })
  expect(existsSync(path)).toBe(false)
  const { files: kept, dir } = await inTrash()
  expect(kept).toBe(2)
  const names = (await readdir(dir, { recursive: true })).sort()
  expect(names).toEqual(['cache', 'cache/deep', 'cache/deep/y.log', 'd', 'd/x.log'])
  await workspace.restore({ workspaceId: id })
  expect(await readFile(join(path, 'd/x.log'), 'utf8')).toBe('rows\n')
  expect(await readFile(join(path, 'd/new.txt'), 'utf8')).toBe('new\n')
  expect((await lstat(join(path, 'cache'))).mode & 0o777).toBe(0o555)
  expect(await readdir(trash)).toEqual([])
})

it.each(['000', '300'])(
  '[R3] removes and restores a worktree whose own folder is closed (mode %s)',
  async (mode) => {
    const { fixture, id, path, workspace, doctor } = await ended()
    asUnprivilegedUser(dirname(fixture.dataDir))
    // What still reads the result of the run opens the folder again.
    const problemsOnceClosed = async () => {
      await chmod(path, Number.parseInt(mode, 8))
      return (await doctor.check({ repair: false })).problems
    }
    await expect
      .poll(problemsOnceClosed, { timeout: 60_000 })
      .toMatchObject([
        { kind: 'worktree-broken', detail: 'its folder may not be read', repairable: true },
      ])
    await workspace.remove({ workspaceId: id })
    expect(existsSync(path)).toBe(false)
    await workspace.restore({ workspaceId: id })
    expect(await readFile(join(path, 'd/new.txt'), 'utf8')).toBe('new\n')
    expect((await doctor.check({ repair: false })).problems).toEqual([])
  },
)

it('[R3] keeps the content of an unreadable folder, and restores it', async () => {
  const { fixture, id, path, workspace, inTrash, trash } = await ended()
  await mkdir(join(path, 'closed'))
  await writeFile(join(path, 'closed/secret'), 'mine\n')
  await writeFile(join(path, 'd/in.txt'), 'changed unseen\n')
  asUnprivilegedUser(dirname(fixture.dataDir))
  for (const folder of ['closed', 'd']) await chmod(join(path, folder), 0)
  await workspace.remove({ workspaceId: id })
  const { files: kept, dir } = await inTrash()
  expect(kept).toBe(2)
  expect((await readdir(dir)).sort()).toEqual(['closed', 'd'])
  await chmod(join(dir, 'd'), 0o700)
  // What could not be compared was not deleted.
  expect(await readFile(join(dir, 'd/in.txt'), 'utf8')).toBe('changed unseen\n')
  await chmod(join(dir, 'd'), 0)
  await workspace.restore({ workspaceId: id })
  expect((await lstat(join(path, 'closed'))).mode & 0o777).toBe(0)
  await chmod(join(path, 'closed'), 0o700)
  expect(await readFile(join(path, 'closed/secret'), 'utf8')).toBe('mine\n')
  expect(await readFile(join(path, 'd/in.txt'), 'utf8')).toBe('changed unseen\n')
  expect(await readdir(trash)).toEqual([])
})

it('[R3] permanently deletes such folders when the trash is emptied', async () => {
  const { fixture, id, path, workspace, trash } = await ended()
  await mkdir(join(path, 'closed/deep'), { recursive: true })
  await writeFile(join(path, 'closed/deep/y.log'), 'rows\n')
  asUnprivilegedUser(dirname(fixture.dataDir))
  for (const folder of ['closed/deep', 'closed']) await chmod(join(path, folder), 0o500)
  await workspace.remove({ workspaceId: id })
  await workspace.leftovers({ workspaceId: id })
  for (const name of await readdir(trash)) await removeDurable(join(trash, name))
  expect(await readdir(trash)).toEqual([])
})
