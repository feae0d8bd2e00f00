/** What no index can hold is left out, and does not keep Shiplog from storing the rest (H4, R5). */
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { GitError } from '../../../src/main/git/command/errors.ts'
import { temporaryDir } from '../../harness.ts'
import { openStates } from '../../turn-store/states.ts'
import { asUnprivilegedUser } from '../../unprivileged.ts'
import { git, makeRepository } from '../repository.ts'

const pipe = (dir: string, name: string) => execFileSync('mkfifo', [path.join(dir, name)])

it('[H4] stores the rest where a pipe is in the place of a tracked file, and names it', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  await rm(path.join(project.dir, 'a.txt'))
  pipe(project.dir, 'a.txt')
  pipe(project.dir, 'untracked')
  await project.write('b.txt', 'changed\n')
  const { tree } = await git.snapshot(project.dir)
  expect(project.git('show', `${tree}:b.txt`)).toBe('changed')
  expect(project.git('show', `${tree}:a.txt`)).toBe('a')
  expect(await git.notInSnapshot(project.dir)).toEqual(['a.txt'])
})

it('[H1][H4] takes the state of each turn beside it, and is exact again once it is gone', async () => {
  const { project, take } = await openStates({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  await rm(path.join(project.dir, 'a.txt'))
  pipe(project.dir, 'a.txt')
  await project.write('b.txt', 'changed\n')
  const beside = await take()
  expect(beside.notStored).toEqual([{ path: 'a.txt', why: 'special', bytes: null }])
  await project.write('c.txt', 'c\n')
  expect(await take()).toMatchObject({ notStored: [{ path: 'a.txt' }] })
  await rm(path.join(project.dir, 'a.txt'))
  await project.write('a.txt', 'new\n')
  const after = await take()
  expect(after.notStored).toEqual([])
  expect(after.tree).not.toBe(beside.tree)
})

it('[H4] names a file that may not be read, and stores it once it may', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  await project.write('secret.txt', 'secret\n')
  await project.write('open.txt', 'open\n')
  await chmod(path.join(project.dir, 'secret.txt'), 0)
  await chmod(path.join(project.dir, 'a.txt'), 0)
  asUnprivilegedUser(path.dirname(project.dir))
  const listOf = (tree: string) => project.git('ls-tree', '--name-only', tree).split('\n')
  expect(listOf((await git.commitSnapshot(project.dir)).commit)).toEqual(['a.txt', 'open.txt'])
  expect((await git.notInSnapshot(project.dir)).sort()).toEqual(['a.txt', 'secret.txt'])
  for (const name of ['a.txt', 'secret.txt']) await chmod(path.join(project.dir, name), 0o600)
  expect(await git.notInSnapshot(project.dir)).toEqual([])
  const { commit } = await git.commitSnapshot(project.dir)
  expect(listOf(commit)).toEqual(['a.txt', 'open.txt', 'secret.txt'])
})

it.skipIf(process.platform !== 'linux')(
  '[H4] names a path that is too long for the system, and stores the rest',
  async () => {
    const { project, take, inStore } = await openStates({ 'a.txt': 'a\n' })
    // Node can't delete them either.
    onTestFinished(() => void execFileSync('rm', ['-rf', path.join(project.dir, 'd'.repeat(199))]))
    // Such a path can only be made folder by folder.
    const make = (bytes: number) =>
      execFileSync(
        'sh',
        [
          '-c',
          'left=$1; while [ $left -gt 210 ]; do mkdir -p "$2"; cd -P "$2" || exit 1; left=$((left-200)); done; : > "$(printf "%*s" "$left" "" | tr " " f)"',
          'sh',
          String(bytes),
          'd'.repeat(199),
        ],
        { cwd: project.dir },
      )
    for (const bytes of [4095, 4096, 4300, 5000]) make(bytes)
    await project.write('b.txt', 'b\n')
    const state = await take()
    const files = inStore('ls-tree', '-r', '--name-only', state.tree).split('\n')
    expect(files.map(({ length }) => length)).toEqual([5, 5, 4095])
    const left = state.notStored.map(({ path: name, why }) => [name.length, why])
    // Git can't list the folders below, and cuts the name of the one that it reports.
    expect(left.toSorted()).toEqual([
      [3999, 'path-length'],
      [4096, 'path-length'],
    ])
    const named = await git.notInSnapshot(project.dir)
    expect(named.map(({ length }) => length).toSorted()).toEqual([4000, 4096])
    const { tree } = await git.snapshot(project.dir)
    expect(project.git('ls-tree', '-r', '--name-only', tree).split('\n')).toHaveLength(3)
  },
)

it('passes on what prevents it otherwise, such as missing objects', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  await project.write('a.txt', 'new\n')
  const objects = path.join(project.dir, '.git/objects')
  await rm(objects, { recursive: true })
  await expect(git.snapshot(project.dir)).rejects.toThrow(GitError)
  expect(await readdir(project.dir)).toContain('a.txt')
})

it('[H4] reports files that Git refuses because of their names, and files that only seem to be stored', async () => {
  const { project, take } = await openStates({ 'a.txt': 'a\n' })
  const refused = ['.GIT/config', '.git.', 'deep/.Git/x', 'git~1']
  for (const name of [...refused, '.github/x', 'git~1.txt', 'widget']) {
    await mkdir(path.dirname(path.join(project.dir, name)), { recursive: true })
    await writeFile(path.join(project.dir, name), 'x\n')
  }
  await symlink('a.txt', path.join(project.dir, '.gitmodules'))
  const named = ['.gitmodules', ...refused]
  const { notStored, tree } = await take()
  expect(notStored.map((one) => one.path).sort()).toEqual(named.toSorted())
  expect(new Set(notStored.map((one) => one.why))).toEqual(new Set(['name']))
  expect((await take()).tree).toBe(tree)
  expect((await git.notInSnapshot(project.dir)).sort()).toEqual(named.toSorted())
  const { commit } = await git.commitSnapshot(project.dir)
  expect(project.git('ls-tree', '-r', '--name-only', commit).split('\n')).toEqual([
    '.github/x',
    'a.txt',
    'git~1.txt',
    'widget',
  ])
})

it('[H1] stores a link in the place of a folder whose files it leads to, and no file behind it', async () => {
  const { project, take } = await openStates({
    'a.txt': 'a\n',
    'sub/deep/x': '1\n',
    'sub/y': '1\n',
  })
  const elsewhere = await temporaryDir()
  await mkdir(path.join(elsewhere, 'deep'))
  await writeFile(path.join(elsewhere, 'deep', 'x'), 'outside\n')
  await rm(path.join(project.dir, 'sub'), { recursive: true })
  await symlink(elsewhere, path.join(project.dir, 'sub'))
  await writeFile(path.join(project.dir, 'a.txt'), 'changed\n')
  const listed = (tree: string) =>
    project.git('ls-tree', '-r', '--format=%(objectmode) %(path)', tree).split('\n')
  const { commit } = await git.commitSnapshot(project.dir)
  expect(listed(commit)).toEqual(['100644 a.txt', '120000 sub'])
  expect(project.git('show', `${commit}:a.txt`)).toBe('changed')
  const { tree, notStored } = await take()
  expect(tree).toBe(project.git('rev-parse', `${commit}^{tree}`))
  expect(notStored).toEqual([])
})

it('[H4] names folders that may not be read, and repositories', async () => {
  const { project, store, take } = await openStates({ 'a.txt': 'a\n', 'kept/b.txt': 'b\n' })
  for (const folder of ['closed', 'kept', 'deep/closed']) {
    await mkdir(path.join(project.dir, folder), { recursive: true })
    await writeFile(path.join(project.dir, folder, 'new.txt'), 'new\n')
  }
  project.git('init', '-q', 'inner')
  asUnprivilegedUser(path.dirname(project.dir), path.join(store, '../../..'))
  await chmod(path.join(project.dir, 'closed'), 0)
  await chmod(path.join(project.dir, 'deep/closed'), 0)
  await chmod(path.join(project.dir, 'kept'), 0o111)
  const named = ['closed', 'deep/closed', 'inner', 'kept']
  expect((await take()).notStored.map((one) => one.path).sort()).toEqual(named)
  expect((await git.notInSnapshot(project.dir)).sort()).toEqual(named.map((one) => `${one}/`))
  const { commit } = await git.commitSnapshot(project.dir)
  expect(project.git('ls-tree', '-r', '--name-only', commit).split('\n')).toEqual([
    'a.txt',
    'kept/b.txt',
  ])
})

it.runIf(process.platform === 'linux')(
  '[H4] names a file that may not be read and whose name is not UTF-8',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const file = Buffer.concat([Buffer.from(`${project.dir}/odd`), Buffer.from([0xff])])
    await writeFile(file, 'x\n')
    await chmod(file, 0)
    asUnprivilegedUser(path.dirname(project.dir))
    expect(await git.notInSnapshot(project.dir)).toEqual(['odd\ufffd'])
  },
)
