import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { mergeByPatch, mergeTrees } from '../../../src/main/git/merge/merge-trees.ts'
import { bytes, expectConflict, type Family, family, lines, merge } from '../family.ts'
import { git, makeRepository, openRepository, temporaryDir, testEnv } from '../repository.ts'
import { mergeInto } from '../writing.ts'

const run = createRunGit({ env: testEnv })

describe('what is brought in', () => {
  it('arrives as uncommitted work beside what the target has changed itself', async () => {
    const setting = await family({ 'a.txt': lines, 'gone.txt': 'x\n', 'deep/er/gone.txt': 'x\n' })
    const { parent, child } = setting
    await child.write('a.txt', lines.replace('one', 'ONE'))
    child.git('rm', '--quiet', 'gone.txt', 'deep/er/gone.txt')
    child.commit('By the child')
    await child.write('new/ünï [x]*.txt', 'untracked in the child\n')
    await parent.write('a.txt', lines.replace('seven', 'SEVEN'))
    await parent.write('staged.txt', 'staged\n')
    parent.git('add', 'staged.txt')
    await parent.write('mine.txt', 'untracked in the parent\n')
    const head = parent.git('rev-parse', 'HEAD')
    const index = parent.git('ls-files', '--stage')

    await expect(merge(setting)).resolves.toEqual({
      kind: 'applied',
      files: ['a.txt', 'deep/er/gone.txt', 'gone.txt', 'new/ünï [x]*.txt'],
    })

    expect(await parent.read('a.txt')).toBe(lines.replace('one', 'ONE').replace('seven', 'SEVEN'))
    expect(await parent.read('new/ünï [x]*.txt')).toBe('untracked in the child\n')
    expect(parent.git('ls-files', '--stage')).toBe(index)
    expect(parent.git('rev-parse', 'HEAD')).toBe(head)
    expect(parent.git('-c', 'core.quotepath=off', 'status', '--porcelain').split('\n')).toEqual([
      ' M a.txt',
      ' D deep/er/gone.txt',
      ' D gone.txt',
      'A  staged.txt',
      '?? mine.txt',
      '?? new/',
    ])
  })

  it('may rest on work that the parent had not committed when the child began', async () => {
    const parent = await makeRepository({ 'a.txt': lines })
    await parent.write('notes.txt', 'begun\n')
    const { commit: baseCommit } = await git.commitSnapshot(parent.dir)
    const dir = path.join(await temporaryDir(), 'child')
    await git.createWorktree({ repoDir: parent.dir, path: dir, branch: 'child', from: baseCommit })
    const child = openRepository(dir)
    await child.write('notes.txt', 'begun\nfinished\n')
    await expect(merge({ parent, child, baseCommit })).resolves.toEqual({
      kind: 'applied',
      files: ['notes.txt'],
    })
    expect(await parent.read('notes.txt')).toBe('begun\nfinished\n')
  })

  it('keeps bytes, exec bits and links', async () => {
    const setting = await family()
    const { parent, child } = setting
    await parent.write('data.bin', bytes(3))
    await parent.write('run.sh', '#!/bin/sh\n')
    await parent.link('link', 'a.txt')
    await parent.write('becomes-link', 'x')
    setting.baseCommit = parent.commit('More')
    child.git('reset', '--quiet', '--hard', setting.baseCommit)
    await child.write('data.bin', bytes(5))
    await child.executable('run.sh')
    await child.remove('link')
    await child.link('link', 'run.sh')
    await child.remove('becomes-link')
    await child.link('becomes-link', 'data.bin')
    await child.write('new.bin', bytes(7))
    await expect(merge(setting)).resolves.toMatchObject({ kind: 'applied' })
    const [from, to] = await Promise.all([git.snapshot(parent.dir), git.snapshot(child.dir)])
    expect(from.tree).toBe(to.tree)
    expect(from.dirty).toBe(true)
  })

  it("follows the target's rename, and brings the child's", async () => {
    const setting = await family({ 'a.txt': lines, 'b.txt': `${lines}eight\n` })
    const { parent, child } = setting
    parent.git('mv', 'a.txt', 'renamed by parent.txt')
    await child.write('a.txt', lines.replace('four', 'FOUR'))
    child.git('mv', 'b.txt', 'renamed by child.txt')
    await expect(merge(setting)).resolves.toEqual({
      kind: 'applied',
      files: ['b.txt -> renamed by child.txt', 'renamed by parent.txt'],
    })
    expect(await parent.read('renamed by parent.txt')).toContain('FOUR')
  })

  it('turns files into folders and back', async () => {
    const setting = await family({ file: 'x\n', 'folder/a': 'a\n', 'folder/b/c': 'c\n' })
    const { child } = setting
    await child.remove('file')
    await child.write('file/inside', 'x\n')
    await child.remove('folder')
    await child.write('folder', 'a file now\n')
    await expect(merge(setting)).resolves.toMatchObject({ kind: 'applied' })
    expect(await setting.parent.read('file/inside')).toBe('x\n')
    expect(await setting.parent.read('folder')).toBe('a file now\n')
  })

  it("keeps the target's line endings", async () => {
    const setting = await family({ 'a.txt': lines })
    const { parent, child } = setting
    parent.git('config', 'core.autocrlf', 'true')
    await parent.remove('a.txt')
    parent.git('checkout', '--', 'a.txt')
    expect(await parent.read('a.txt')).toContain('one\r\n')
    const { commit: theirCommit } = await (async () => {
      await child.write('a.txt', lines.replace('one', 'ONE'))
      await child.write('new.txt', 'n\n')
      return git.commitSnapshot(child.dir)
    })()
    const { baseCommit } = setting
    await expect(
      mergeInto({ targetDir: parent.dir, baseCommit, theirCommit }),
    ).resolves.toMatchObject({ kind: 'applied' })
    expect(await parent.read('a.txt')).toBe(lines.replace('one', 'ONE').replaceAll('\n', '\r\n'))
    expect(await parent.read('new.txt')).toBe('n\r\n')
  })

  it('writes new attributes before the files that they are about', async () => {
    const setting = await family({ '.gitattributes': '*.bat -text\n' })
    await setting.child.write('.gitattributes', '*.bat text eol=crlf\n')
    await setting.child.write('!first.bat', 'echo\r\n')
    await expect(merge(setting)).resolves.toMatchObject({ kind: 'applied' })
    expect(await setting.parent.read('!first.bat')).toBe('echo\r\n')
  })

  it('keeps carriage returns that are part of the file', async () => {
    const setting = await family({ 'dos.txt': 'a\r\nb\r\nc\r\nd\r\ne\r\n' })
    await setting.child.write('dos.txt', 'A\r\nb\r\nc\r\nd\r\ne\r\n')
    await setting.parent.write('dos.txt', 'a\r\nb\r\nc\r\nd\r\nE\r\n')
    await expect(merge(setting)).resolves.toMatchObject({ kind: 'applied' })
    expect(await setting.parent.read('dos.txt')).toBe('A\r\nb\r\nc\r\nd\r\nE\r\n')
  })

  it('comes into a folder below the root, a detached HEAD, and a path with odd letters', async () => {
    const parent = await makeRepository({ 'src/a.txt': 'a\n' }, { name: 'Ödd näme' })
    const baseCommit = parent.git('rev-parse', 'HEAD')
    const dir = path.join(await temporaryDir(), 'child')
    await git.createWorktree({ repoDir: parent.dir, path: dir, branch: 'child', from: baseCommit })
    const child = openRepository(dir)
    await child.write('top.txt', 'top\n')
    const { commit: theirCommit } = await git.commitSnapshot(dir)
    parent.git('checkout', '--quiet', '--detach')
    const targetDir = path.join(parent.dir, 'src')
    await expect(mergeInto({ targetDir, baseCommit, theirCommit })).resolves.toEqual({
      kind: 'applied',
      files: ['top.txt'],
    })
    expect(await parent.read('top.txt')).toBe('top\n')
  })

  it('comes from several children at once, one after the other', async () => {
    const parent = await makeRepository({ 'a.txt': lines })
    const baseCommit = parent.git('rev-parse', 'HEAD')
    const answers = await Promise.all(
      ['one', 'four', 'seven'].map(async (word) => {
        const dir = path.join(await temporaryDir(), word)
        const branch = `child-${word}`
        await git.createWorktree({ repoDir: parent.dir, path: dir, branch, from: baseCommit })
        await openRepository(dir).write('a.txt', lines.replace(word, word.toUpperCase()))
        const { commit: theirCommit } = await git.commitSnapshot(dir)
        return mergeInto({ targetDir: parent.dir, baseCommit, theirCommit })
      }),
    )
    expect(answers.map((answer) => answer.kind)).toEqual(['applied', 'applied', 'applied'])
    expect(await parent.read('a.txt')).toBe('ONE\ntwo\nthree\nFOUR\nfive\nsix\nSEVEN\n')
  })
})

describe('nothing to do', () => {
  it('has nothing to apply when the child changed nothing', async () => {
    const setting = await family()
    await setting.parent.write('a.txt', 'changed by the parent\n')
    await expect(merge(setting)).resolves.toEqual({ kind: 'nothing-to-apply' })
  })

  it('is already applied the second time, even after the target has changed', async () => {
    const setting = await family()
    await setting.child.write('a.txt', lines.replace('one', 'ONE'))
    await setting.child.write('new.txt', 'new\n')
    await expect(merge(setting)).resolves.toMatchObject({ kind: 'applied' })
    await expect(merge(setting)).resolves.toEqual({ kind: 'already-applied' })
    setting.parent.commit('Brought in')
    await setting.parent.write('a.txt', lines.replace('one', 'ONE').replace('seven', 'SEVEN'))
    await expect(merge(setting)).resolves.toEqual({ kind: 'already-applied' })
  })

  it('says which commits are gone', async () => {
    const { parent, baseCommit } = await family()
    const theirCommit = 'f'.repeat(40)
    await expect(mergeInto({ targetDir: parent.dir, baseCommit, theirCommit })).resolves.toEqual({
      kind: 'commits-missing',
      commits: [theirCommit],
    })
  })
})

describe('a conflict is an answer, and changes nothing', () => {
  it('when both changed the same line, even if other files would merge', async () => {
    const setting = await family({ 'a.txt': lines, 'b.txt': 'b\n' })
    const { parent, child } = setting
    await child.write('a.txt', lines.replace('four', 'child'))
    await child.write('b.txt', 'would merge\n')
    await child.write('new.txt', 'would come\n')
    await parent.write('a.txt', lines.replace('four', 'parent'))
    parent.git('add', 'a.txt')
    const message = await expectConflict(setting, ['a.txt'])
    expect(message).toBe(
      'Conflict in a.txt. Nothing was changed.\nCONFLICT (content): Merge conflict in a.txt',
    )
  })

  it('when one deleted what the other edited', async () => {
    const setting = await family({ 'a.txt': lines, 'b.txt': 'b\n' })
    const { parent, child } = setting
    await child.remove('a.txt')
    await parent.write('a.txt', lines.replace('one', 'ONE'))
    await child.write('b.txt', 'edited\n')
    await parent.remove('b.txt')
    const message = await expectConflict(setting, ['a.txt', 'b.txt'])
    expect(message).toContain('a.txt deleted in the changes and modified in the target')
    expect(message).not.toMatch(/[0-9a-f]{40}/)
  })

  it('when both changed a binary file', async () => {
    const setting = await family()
    await setting.parent.write('data.bin', bytes(3))
    setting.baseCommit = setting.parent.commit('Binary')
    setting.child.git('reset', '--quiet', '--hard', setting.baseCommit)
    await setting.child.write('data.bin', bytes(5))
    await setting.parent.write('data.bin', bytes(7))
    await expectConflict(setting, ['data.bin'])
  })

  it('when the target has an untracked file of the same name, unless it is the same', async () => {
    const setting = await family()
    await setting.child.write('new.txt', 'of the child\n')
    await setting.child.write('same.txt', 'same\n')
    await setting.parent.write('same.txt', 'same\n')
    await setting.parent.write('new.txt', 'of the parent\n')
    await expectConflict(setting, ['new.txt'])
    await setting.parent.write('new.txt', 'of the child\n')
    await expect(merge(setting)).resolves.toEqual({ kind: 'already-applied' })
  })

  it('when an ignored file of the same name is there, unless it is the same', async () => {
    const setting = await family({ '.gitignore': '.env\n' })
    const { parent, child } = setting
    await child.write('.env', 'of the child\n')
    child.git('add', '--force', '.env')
    child.git('commit', '--quiet', '--message', 'Forced')
    await child.write('other.txt', 'other\n')
    await parent.write('.env', 'precious secret\n')
    const message = await expectConflict(setting, ['.env'])
    expect(message).toContain('a file that Git does not track')
    await parent.write('.env', 'of the child\n')
    await expect(merge(setting)).resolves.toMatchObject({ kind: 'applied' })
  })

  it('when an ignored file or a link stands where a folder would be', async () => {
    const setting = await family({ '.gitignore': 'out\nlink\n' })
    const { parent, child } = setting
    const outside = await temporaryDir()
    await child.write('out/a.txt', 'a\n')
    await child.write('link/b.txt', 'b\n')
    child.git('add', '--force', 'out', 'link')
    await parent.write('out', 'a file\n')
    await parent.link('link', outside)
    await expectConflict(setting, ['link/b.txt', 'out/a.txt'])
  })

  it('when a folder with ignored files stands where a file would be', async () => {
    const setting = await family({ '.gitignore': '*.log\n', 'logs/kept.txt': 'k\n' })
    await setting.child.remove('logs')
    await setting.child.write('logs', 'a file now\n')
    await setting.parent.write('logs/precious.log', 'precious\n')
    await expectConflict(setting, ['logs'])
  })

  it('when a file that Git was told not to look at was edited', async () => {
    const setting = await family()
    setting.parent.git('update-index', '--assume-unchanged', 'a.txt')
    await setting.parent.write('a.txt', 'a secret edit\n')
    await setting.child.write('a.txt', lines.replace('one', 'ONE'))
    const message = await expectConflict(setting, ['a.txt'])
    expect(message).toContain('changes that Git is told to ignore')
  })

  it('when a submodule changes', async () => {
    const library = await makeRepository({ 'lib.txt': '1\n' })
    const setting = await family()
    const allow = ['-c', 'protocol.file.allow=always']
    setting.child.git(...allow, 'submodule', '--quiet', 'add', library.dir, 'lib')
    const message = await expectConflict(setting, ['lib'])
    expect(message).toContain('by hand')
  })

  it('when the target is in the middle of a conflicted merge of the same file', async () => {
    const setting = await family({ 'a.txt': 'base\n' })
    const { parent, child } = setting
    parent.git('checkout', '--quiet', '-b', 'other')
    await parent.write('a.txt', 'other\n')
    parent.commit('Other')
    parent.git('checkout', '--quiet', 'main')
    await parent.write('a.txt', 'main\n')
    parent.commit('Main')
    expect(() => parent.git('merge', 'other')).toThrow()
    await child.write('a.txt', 'child\n')
    await expectConflict(setting, ['a.txt'])
  })

  it('names a few of many', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const setting = await family(Object.fromEntries(names.map((name) => [name, 'base\n'])))
    for (const name of names) {
      await setting.child.write(name, 'child\n')
      await setting.parent.write(name, 'parent\n')
    }
    const message = await expectConflict(setting, names)
    expect(message).toMatch(/^Conflict in a, b, c and 2 more\. Nothing was changed\.\n/)
  })
})

describe('with a Git older than 2.38', () => {
  async function trees(change: (setting: Family) => Promise<unknown>) {
    const setting = await family({ 'a.txt': lines, 'b.txt': 'b\n' })
    await change(setting)
    const ours = (await git.snapshot(setting.parent.dir)).tree
    const theirs = (await git.snapshot(setting.child.dir)).tree
    const base = setting.parent.git('rev-parse', `${setting.baseCommit}^{tree}`)
    return { dir: setting.parent.dir, base, ours, theirs }
  }

  it('comes to the same tree', async () => {
    const input = await trees(async ({ parent, child }) => {
      await parent.write('a.txt', lines.replace('one', 'ONE'))
      await child.write('a.txt', lines.replace('seven', 'SEVEN'))
      await child.write('bin', bytes(9))
      await child.remove('b.txt')
    })
    const answer = await mergeByPatch(run, input)
    expect(answer).toMatchObject({ kind: 'merged' })
    expect(answer).toEqual(await mergeTrees(run, input))
  })

  it('answers the first conflicts that it meets', async () => {
    const edited = await trees(async ({ parent, child }) => {
      await parent.write('a.txt', lines.replace('one', 'parent'))
      await child.write('a.txt', lines.replace('one', 'child'))
    })
    const deleted = await trees(async ({ parent, child }) => {
      await parent.remove('b.txt')
      await child.write('b.txt', 'edited\n')
    })
    for (const [input, paths] of [
      [edited, ['a.txt']],
      [deleted, ['b.txt']],
    ] as const) {
      await expect(mergeByPatch(run, input)).resolves.toMatchObject({ kind: 'conflict', paths })
      await expect(mergeTrees(run, input)).resolves.toMatchObject({ kind: 'conflict', paths })
    }
  })
})
