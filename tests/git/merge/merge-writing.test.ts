/** What becomes of a merge while its files are written into the working tree. */
import { execFileSync } from 'node:child_process'
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { withSnapshot } from '../../../src/main/git/snapshots/snapshot.ts'
import { family, lines } from '../family.ts'
import { git, type Repository, testEnv } from '../repository.ts'
import { updateWorkingTree } from '../writing.ts'

const run = createRunGit({ env: testEnv })

describe('while files are written', () => {
  async function prepared(files: Record<string, string> = { 'a.txt': lines, 'b.txt': 'b\n' }) {
    const setting = await family(files)
    return { ...setting, treeOf: async (of: Repository) => (await git.snapshot(of.dir)).tree }
  }

  it('refuses when a file was edited since the snapshot, and changes nothing', async () => {
    const { parent, child, treeOf } = await prepared()
    await child.write('a.txt', 'child\n')
    await child.write('b.txt', 'child\n')
    const tree = await treeOf(child)
    await withSnapshot(run, parent.dir, {}, async (snapshot) => {
      await parent.write('b.txt', 'x\n')
      const before = await parent.account()
      await expect(updateWorkingTree(run, snapshot, tree)).resolves.toMatchObject({
        kind: 'edited',
        paths: ['b.txt'],
      })
      expect(await parent.account()).toEqual(before)
    })
  })

  it.each(['.g\u200cit', '.GIT', 'git~1', '.git ', '.git'])(
    '[K8] refuses a tree with %j, which some system takes for .git, and changes nothing',
    async (name) => {
      const { parent, child } = await prepared()
      await child.write('x', 'x\n')
      // Git adds no such name to an index; a program that writes trees itself can.
      const madeTree = (entries: string) =>
        execFileSync('git', ['mktree'], { cwd: child.dir, input: entries, encoding: 'utf8' }).trim()
      const blob = child.git('hash-object', '-w', 'x')
      const below = madeTree(`100644 blob ${blob}\tconfig\n`)
      const sub = madeTree(`040000 tree ${below}\t${name}\n`)
      const tree = madeTree(`${child.git('ls-tree', 'HEAD')}\n040000 tree ${sub}\tsub\n`)
      await withSnapshot(run, parent.dir, {}, async (snapshot) => {
        const before = await parent.account()
        await expect(updateWorkingTree(run, snapshot, tree)).resolves.toMatchObject({
          kind: 'in-the-way',
          paths: [`sub/${name}/config`],
          why: expect.stringContaining('treat its name as .git'),
        })
        expect(await parent.account()).toEqual(before)
      })
    },
  )

  // Other systems refuse such a name.
  it.skipIf(process.platform !== 'linux')(
    'refuses a name that is not UTF-8, says so, and changes nothing',
    async () => {
      const { parent, child, treeOf } = await prepared()
      await child.write('a.txt', 'child\n')
      await writeFile(Buffer.from(`${child.dir}/caf\xe9.txt`, 'latin1'), 'x\n')
      const tree = await treeOf(child)
      await withSnapshot(run, parent.dir, {}, async (snapshot) => {
        const before = await parent.account()
        await expect(updateWorkingTree(run, snapshot, tree)).resolves.toMatchObject({
          kind: 'in-the-way',
          paths: ['caf\ufffd.txt'],
          why: expect.stringContaining('its name is not valid UTF-8'),
        })
        expect(await parent.account()).toEqual(before)
      })
    },
  )

  it('refuses when a file appeared since the snapshot where one would come', async () => {
    const { parent, child, treeOf } = await prepared()
    await child.write('new.txt', 'child\n')
    const tree = await treeOf(child)
    await withSnapshot(run, parent.dir, {}, async (snapshot) => {
      await parent.write('new.txt', 'just made\n')
      await expect(updateWorkingTree(run, snapshot, tree)).resolves.toMatchObject({
        kind: 'in-the-way',
        paths: ['new.txt'],
      })
      expect(await parent.read('new.txt')).toBe('just made\n')
    })
  })

  it.skipIf(process.platform === 'win32').each([
    ['a new file', 'new.txt'],
    ['a changed file', 'a.txt'],
    ['a deleted file', 'b.txt'],
  ])('[R6] refuses a pipe in the place of %s, and opens it nowhere', async (_, name) => {
    const { parent, child, treeOf } = await prepared()
    await child.write('a.txt', 'child\n')
    await child.write('new.txt', 'child\n')
    child.git('rm', '-q', 'b.txt')
    const tree = await treeOf(child)
    await rm(join(parent.dir, name), { force: true })
    execFileSync('mkfifo', [join(parent.dir, name)])
    await withSnapshot(run, parent.dir, {}, async (snapshot) => {
      await expect(updateWorkingTree(run, snapshot, tree)).resolves.toMatchObject({
        kind: 'in-the-way',
        paths: [name],
        why: expect.stringContaining('a pipe, socket or device is in its place'),
      })
    })
    expect((await lstat(join(parent.dir, name))).isFIFO()).toBe(true)
  })

  it.each([
    ['of a new file', 'new.txt', 'new.txt/empty'],
    ['of files that a file replaces', 'folder', 'folder/below/empty'],
  ])(
    'refuses to replace a folder %s if an empty one of the user’s is in it',
    async (_, name, empty) => {
      const { parent, child, treeOf } = await prepared({ 'folder/below/x': 'x\n' })
      await child.write('new.txt', 'child\n')
      await child.remove('folder')
      await child.write('folder', 'a file now\n')
      const tree = await treeOf(child)
      await mkdir(join(parent.dir, empty), { recursive: true })
      await withSnapshot(run, parent.dir, {}, async (snapshot) => {
        await expect(updateWorkingTree(run, snapshot, tree)).resolves.toMatchObject({
          kind: 'in-the-way',
          paths: [name],
        })
      })
      expect(await readdir(join(parent.dir, empty))).toEqual([])
    },
  )

  it('replaces a folder whose folders become empty by the same change', async () => {
    const { parent, child, treeOf } = await prepared({ 'folder/below/x': 'x\n' })
    await child.remove('folder')
    await child.write('folder', 'a file now\n')
    const tree = await treeOf(child)
    await withSnapshot(run, parent.dir, {}, async (snapshot) => {
      await expect(updateWorkingTree(run, snapshot, tree)).resolves.toMatchObject({
        kind: 'updated',
      })
    })
    expect(await parent.read('folder')).toBe('a file now\n')
  })

  it('refuses to write into a repository that is in the place of a new folder', async () => {
    const { parent, child, treeOf } = await prepared()
    await child.write('inner/new.txt', 'child\n')
    const tree = await treeOf(child)
    parent.git('init', '-q', 'inner')
    await parent.write('inner/mine.txt', 'mine\n')
    await withSnapshot(run, parent.dir, {}, async (snapshot) => {
      const before = await parent.account()
      await expect(updateWorkingTree(run, snapshot, tree)).resolves.toMatchObject({
        kind: 'in-the-way',
        paths: ['inner/new.txt'],
        why: expect.stringContaining('another repository'),
      })
      expect(await parent.account()).toEqual(before)
    })
  })

  it('does not mind a file that was only touched, or an edit elsewhere', async () => {
    const { parent, child, treeOf } = await prepared()
    await child.write('a.txt', 'child\n')
    const tree = await treeOf(child)
    await withSnapshot(run, parent.dir, {}, async (snapshot) => {
      await parent.write('a.txt', lines)
      await parent.write('b.txt', 'edited\n')
      await expect(updateWorkingTree(run, snapshot, tree)).resolves.toEqual({
        kind: 'updated',
        paths: ['a.txt'],
      })
    })
    expect(await parent.read('b.txt')).toBe('edited\n')
  })

  it('takes everything back when writing fails half-way', async () => {
    const { parent, child, treeOf } = await prepared({
      '.gitattributes': '*.bad filter=broken\n',
      'a.txt': lines,
      'gone/deep.txt': 'x\n',
      'run.sh': '#!/bin/sh\n',
    })
    await child.write('a.txt', 'child\n')
    await child.remove('gone')
    await child.write('new/new.txt', 'child\n')
    await child.executable('run.sh')
    await child.write('z.bad', 'cannot be written\n')
    const tree = await treeOf(child)
    parent.git('config', 'filter.broken.smudge', 'false')
    parent.git('config', 'filter.broken.required', 'true')
    const before = await parent.account()
    const allowing = createRunGit({ env: testEnv, isAllowed: () => true })
    await withSnapshot(allowing, parent.dir, {}, (snapshot) =>
      expect(updateWorkingTree(allowing, snapshot, tree)).rejects.toMatchObject({ kind: 'git' }),
    )
    expect(await parent.account()).toEqual(before)
  })
})
