/** What an agent mounted in its worktree belongs elsewhere: no removal deletes it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, type TestContext } from 'vitest'
import { removeDurable } from '../../../src/main/journal/index.ts'
import { temporaryDir } from '../../git/repository.ts'
import { git, openFixture, start, taskOf, untilQuiet, writeFiles } from '../../harness.ts'

/** Mounts a folder that is on the same disk, so that its device number is the same. */
async function mount(test: TestContext, from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  if (spawnSync('mount', ['--bind', from, to]).status !== 0)
    test.skip('skipped: nothing can be mounted here')
}

/** The mounts move with the folder that they are in. */
function unmountBelow(dir: string): void {
  const points = execFileSync('cat', ['/proc/self/mounts'], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => line.split(' ')[1]?.replaceAll('\\040', ' ') ?? [])
  for (const point of points.filter((one) => one.startsWith(dir)).reverse())
    execFileSync('umount', [point])
}

it('[R3] deletes a folder except what is mounted in it', async (test) => {
  const dir = await temporaryDir()
  onTestFinished(() => unmountBelow(dir))
  await writeFiles(dir, { 'doomed/a/file': 'x', 'mine/keep': 'kept' })
  await mount(test, join(dir, 'mine'), join(dir, 'doomed/a/b c/mount'))
  await expect(removeDurable(join(dir, 'doomed'))).rejects.toMatchObject({ code: 'EBUSY' })
  expect(await readFile(join(dir, 'mine/keep'), 'utf8')).toBe('kept')
  await expect(removeDurable(join(dir, 'doomed/a/b c/mount'))).rejects.toThrow('unmount it')
  unmountBelow(dir)
  await removeDurable(join(dir, 'doomed'))
  expect(await readdir(dir)).toEqual(['mine'])
})

it('[R3] deletes a removed worktree except what is mounted in it', async (test) => {
  const files = {
    'package.json': '{}\n',
    'src/code.js': 'code\n',
    '.gitignore': 'node_modules\ndata\n',
  }
  const fixture = await openFixture({ files })
  onTestFinished(() => unmountBelow(fixture.dir))
  const scenario = `
version: 1
name: mounts
agents:
  lead:
    turns:
      - call: bash
        with: { command: "mkdir -p node_modules && echo {} > node_modules/.package-lock.json && echo new > src/new.js" }
      - report: { title: Done, markdown: Done. }
`
  const id = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const path = (await taskOf(fixture.shiplog, id)).workspace?.path ?? ''
  const mine = join(fixture.dir, 'mine')
  await writeFiles(mine, { 'data/keep': 'kept', 'cache/keep': 'kept' })
  await mkdir(join(mine, 'data/empty'))
  await mount(test, join(mine, 'data'), join(path, 'data'))
  await mount(test, join(mine, 'cache'), join(path, 'node_modules/.cache'))
  // Its files are those of the commit.
  await mount(test, join(fixture.project.dir, 'src'), join(path, 'src'))
  await fixture.shiplog.client.workspace.remove({ workspaceId: id })
  await fixture.shiplog.client.workspace.leftovers({ workspaceId: id })

  expect((await readdir(mine, { recursive: true })).sort()).toEqual([
    'cache',
    'cache/keep',
    'data',
    'data/empty',
    'data/keep',
  ])
  expect(git(fixture.project.dir, 'status', '--short')).toBe('')
  const [left = ''] = await readdir(join(fixture.dataDir, 'trash'))
  expect(left).not.toContain('unsorted')
  expect(await readdir(join(fixture.dataDir, 'trash', left))).not.toContain('package.json')
})
