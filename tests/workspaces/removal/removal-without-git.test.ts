/** A worktree whose repository is gone, or that is no worktree any more: it can still be removed. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import { git, start, taskOf, untilQuiet } from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'

const scenario = `
version: 1
name: works
agents:
  lead:
    turns:
      - call: write_file
        with: { path: loose.txt, content: "not committed" }
      - report: { title: Done, markdown: One file. }
`

const openFinished = preparedFixture(async (fixture) => {
  const id = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  return { id, path: (await taskOf(fixture.shiplog, id)).workspace?.path ?? '' }
})

async function finished() {
  const { fixture, id, path } = await openFinished()
  const remove = (discardUnknownWorktree = false) =>
    fixture.shiplog.client.workspace.remove({ workspaceId: id, discardUnknownWorktree })
  const notices = async () =>
    (await fixture.shiplog.client.app.info()).notices.map(({ text }) => text)
  return { fixture, id, path, remove, notices }
}

it('[R1] gives advice when the project is gone, and continues once it is back', async () => {
  const { fixture, id, path, remove, notices } = await finished()
  const { dir } = fixture.project
  await rename(dir, `${dir}-elsewhere`)
  await expect(remove()).rejects.toThrow(`move it back to ${dir}`)
  expect(await readFile(join(path, 'loose.txt'), 'utf8')).toBe('not committed')
  await rename(`${dir}-elsewhere`, dir)
  await fixture.restart()
  expect(await taskOf(fixture.shiplog, id)).toMatchObject({ archived: true, patch: 'ready' })
  expect(existsSync(path)).toBe(false)
  expect(await notices()).toEqual([
    expect.stringMatching(/^The removal of “.+” had not been finished\. It has been completed\.$/),
  ])
})

it('[R1] gives advice that fits when a program rewrote what Git notes of the worktree', async () => {
  const { fixture, path, remove } = await finished()
  const other = join(fixture.dir, 'other')
  git(fixture.dir, 'init', '-q', other)
  const adminDir = git(path, 'rev-parse', '--absolute-git-dir').trim()
  await writeFile(join(adminDir, 'commondir'), `${join(other, '.git')}\n`)
  await expect(remove()).rejects.toThrow('such as commondir, no move helps')
  expect(await readFile(join(path, 'loose.txt'), 'utf8')).toBe('not committed')
  await remove(true)
  expect(existsSync(path)).toBe(false)
})

it.skipIf(process.geteuid?.() !== 0)(
  'names the cause when the repository belongs to another user, and discards nothing',
  async () => {
    const { fixture, path, remove } = await finished()
    const giveGitFolder = (user: number) =>
      execFileSync('chown', ['-hR', `${user}:${user}`, join(fixture.project.dir, '.git')])
    giveGitFolder(65534)
    await expect(remove()).rejects.toThrow('detected dubious ownership')
    // Git's advice.
    await expect(remove(true)).rejects.toThrow('safe.directory')
    expect(await readFile(join(path, 'loose.txt'), 'utf8')).toBe('not committed')
    giveGitFolder(0)
    await remove()
    expect(existsSync(path)).toBe(false)
  },
)

it.each([
  ['the project is gone for good', (dir: string) => rm(dir, { recursive: true })],
  [
    'the worktree has lost its .git, and Git its note of it',
    async (dir: string, path: string) => {
      await rm(join(path, '.git'))
      git(dir, 'worktree', 'prune', '--expire=now')
    },
  ],
  [
    'the worktree was made a repository of its own',
    async (_: string, path: string) => {
      await rm(join(path, '.git'))
      git(path, 'init', '-q')
    },
  ],
])(
  '[R3] [R5] moves the files to the trash when it is told to, and only then: %s',
  async (_, spoil) => {
    const { fixture, id, path, remove, notices } = await finished()
    await spoil(fixture.project.dir, path)
    await expect(remove()).rejects.toThrow('moves its files to the trash unchanged')
    await expect(remove()).rejects.toMatchObject({ data: { reason: 'unknown-worktree' } })
    await fixture.restart()
    expect(await notices()).toEqual([expect.stringContaining('could not be completed')])
    expect(existsSync(path)).toBe(true)
    await expect(remove()).rejects.toThrow('discard-unknown-worktree')
    expect(existsSync(path)).toBe(true)
    await remove(true)
    expect(await notices()).toEqual(
      expect.arrayContaining([expect.stringContaining('were not saved as a patch')]),
    )
    expect(await taskOf(fixture.shiplog, id)).toMatchObject({ archived: true, patch: 'failed' })
    expect(existsSync(path)).toBe(false)
    const { trash } = layoutOf(fixture.dataDir)
    const [name = ''] = await readdir(trash)
    expect(name).toContain(`worktree-${id}`)
    expect(await readFile(join(trash, name, 'loose.txt'), 'utf8')).toBe('not committed')
    const { restore } = fixture.shiplog.client.workspace
    await expect(restore({ workspaceId: id })).rejects.toThrow(`moved to the trash as ${name}`)
    await fixture.restart()
    expect(await notices()).toEqual([])
    const transcript = await fixture.shiplog.client.workspace.getSubagentTranscript({ taskId: id })
    expect(transcript.entries.length).toBeGreaterThan(0)
  },
)

it('[R6] keeps the record readable and reports that the files can’t be restored', async () => {
  const { fixture, id, remove } = await finished()
  const { dir } = fixture.project
  await rename(dir, `${dir}-elsewhere`)
  await expect(remove()).rejects.toThrow()
  await remove(true)
  await rename(`${dir}-elsewhere`, dir)
  const restore = fixture.shiplog.client.workspace.restore({ workspaceId: id })
  await expect(restore).rejects.toThrow('only its record can be read')
  expect(git(dir, 'status', '--porcelain')).toBe('')
})
