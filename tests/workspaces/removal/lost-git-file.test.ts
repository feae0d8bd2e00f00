/** A worktree whose `.git` file is gone or damaged, below a repository that encloses the data directory. */
import { execFileSync } from 'node:child_process'
import {
  glob,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openShiplog } from '../../../src/main/composition/shiplog.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { git, gitProject, taskOf, untilQuiet } from '../../harness.ts'
import { preparedDir } from '../../prepared-fixture.ts'
import { casesOf } from '../../soak.ts'

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

/** The data directory is in the project, which is below a home directory that is a repository itself. */
const makeEnclosed = (odd: string) => async (dir: string) => {
  const home = await gitProject(join(dir, `home${odd}`), { '.profile': 'mine\n' })
  const project = await gitProject(join(home, 'project'))
  const dataDir = join(project, 'data')
  const shiplog = await openShiplog({ host: 'cli', dataDir })
  try {
    const { id: projectId } = await shiplog.client.projects.add({ dir: project })
    const { taskId } = await shiplog.client.tasks.start({
      projectId,
      agent: { kind: 'scripted', scenario, source: 'test.yaml' },
      prompt: 'Do it',
    })
    await untilQuiet(shiplog)
    const path = (await taskOf(shiplog, taskId)).workspace?.path ?? ''
    return { home, project, dataDir, path, taskId }
  } finally {
    // After a run the agent history still asks Git what changed, which would repair what a test spoils.
    // Closing waits for it, and the next start finds the answers written.
    await shiplog.close()
  }
}
const plain = makeEnclosed('')
const oddly = makeEnclosed(' a:b')

async function enclosed(make = plain) {
  const { made } = await preparedDir(make)
  const { home, project, dataDir, path, taskId } = made
  const shiplog = await openShiplog({ host: 'cli', dataDir })
  await shiplog.client.doctor.check({ repair: false })
  return {
    home,
    project,
    path,
    taskId,
    workspace: () => shiplog.client.workspace,
    tasks: () => shiplog.client.tasks,
    doctor: (repair: boolean) => shiplog.client.doctor.check({ repair }),
    task: () => taskOf(shiplog, taskId),
    notices: async () => (await shiplog.client.app.info()).notices.map(({ text }) => text),
    close: () => shiplog.close(),
    /** Names of everything that any object of any ref holds. */
    stored: (dir: string) => git(dir, 'rev-list', '--objects', '--all', '--reflog'),
  }
}

async function inTrash(project: string, name: string): Promise<string[]> {
  const found = await Array.fromAsync(glob(join(project, 'data/trash/*', name)))
  return Promise.all(found.map((file) => readFile(file, 'utf8')))
}

const ownFilesOf = (project: string, path: string) =>
  join(project, '.git', 'worktrees', path.split('/').at(-1) ?? '')

it.each(
  casesOf(
    [
      ['deleted by its agent', plain, (path: string) => rm(join(path, '.git'))],
      ['empty after a power cut', plain, (path: string) => truncate(join(path, '.git'))],
      [
        'full of zeros after a power cut',
        plain,
        (path: string) => writeFile(join(path, '.git'), '\0\0\0'),
      ],
      [
        'deleted, below a folder that no list of ceilings holds',
        oddly,
        (path: string) => rm(join(path, '.git')),
      ],
    ] as const,
    ([what]) => /^deleted by|zeros/.test(what),
  ),
)(
  '[K8] [R3] keeps and restores the work of a worktree whose .git is %s',
  async (_, make, spoil) => {
    const it = await enclosed(make)
    const before = [it.stored(it.home), it.stored(it.project)]
    await spoil(it.path)
    const { files } = await it.workspace().diff({ workspaceId: it.taskId })
    expect(files.map(({ path }) => path)).toEqual(['loose.txt'])
    expect(await it.notices()).toEqual([expect.stringContaining('were written again')])

    await spoil(it.path)
    await it.workspace().remove({ workspaceId: it.taskId })
    expect(await it.task()).toMatchObject({ archived: true, patch: 'ready' })
    await it.workspace().restore({ workspaceId: it.taskId })
    expect(await readFile(join(it.path, 'loose.txt'), 'utf8')).toBe('not committed')

    expect(it.stored(it.home)).toBe(before[0])
    expect(it.stored(it.project)).not.toMatch(/ledger|lease\.json|\.secret|\.profile/)
    expect(git(it.home, 'status', '--porcelain')).toBe('?? project/\n')
    await it.close()
  },
)

it.each(casesOf(['HEAD', 'commondir', 'gitdir', 'index'], (name) => name === 'gitdir'))(
  '[R3] writes Git’s own %s of a worktree again when a power cut emptied it',
  async (name) => {
    const it = await enclosed()
    await truncate(join(ownFilesOf(it.project, it.path), name))
    const { problems } = await it.doctor(false)
    expect(problems).toMatchObject([{ kind: 'worktree-broken', repaired: false }])
    expect((await it.doctor(true)).problems).toMatchObject([{ repaired: true }])
    expect((await it.doctor(false)).problems).toEqual([])
    expect(git(it.path, 'status', '--porcelain')).toBe('?? loose.txt\n')
    await it.workspace().remove({ workspaceId: it.taskId })
    expect(await it.task()).toMatchObject({ archived: true, patch: 'ready' })
    await it.close()
  },
)

it('[R3] rewrites Git’s own files of a worktree after a power cut left zeros in all of them', async () => {
  const it = await enclosed()
  const own = ownFilesOf(it.project, it.path)
  for (const file of [
    ...['HEAD', 'commondir', 'gitdir', 'index'].map((name) => join(own, name)),
    join(it.path, '.git'),
  ])
    await writeFile(file, Buffer.alloc((await stat(file)).size))
  expect((await it.doctor(false)).problems).toMatchObject([{ kind: 'worktree-broken' }])
  expect((await it.doctor(true)).problems).toMatchObject([{ repaired: true }])
  expect(git(it.path, 'status', '--porcelain')).toBe('?? loose.txt\n')
  await it.close()
})

it('[K8] reports what can’t be repaired, and stores nothing elsewhere', async () => {
  const it = await enclosed()
  const before = [it.stored(it.home), it.stored(it.project)]
  await rm(join(it.path, '.git'))
  git(it.project, 'worktree', 'prune', '--expire=now')
  const workspaceId: TaskId = it.taskId
  await expect(it.workspace().diff({ workspaceId })).rejects.toThrow('its .git file is missing')
  await expect(it.tasks().applyPatch({ taskId: workspaceId })).rejects.toThrow(
    'its .git file is missing',
  )
  await expect(it.workspace().remove({ workspaceId })).rejects.toThrow('saved as a patch')
  expect([it.stored(it.home), it.stored(it.project)]).toEqual(before)
  expect(await readFile(join(it.path, 'loose.txt'), 'utf8')).toBe('not committed')
  await it.close()
})

it('[R3] does not block on a named pipe in place of the .git file, and moves the files to the trash on request', async () => {
  const it = await enclosed()
  await rm(join(it.path, '.git'))
  execFileSync('mkfifo', [join(it.path, '.git')])
  const workspaceId: TaskId = it.taskId
  await expect(it.workspace().diff({ workspaceId })).rejects.toThrow('its .git is not a file')
  await expect(it.workspace().remove({ workspaceId })).rejects.toThrow('saved as a patch')
  await it.workspace().remove({ workspaceId, discardUnknownWorktree: true })
  expect(await it.task()).toMatchObject({ archived: true })
  expect(await inTrash(it.project, 'loose.txt')).toEqual(['not committed'])
  await it.close()
})

it.each(casesOf(['HEAD', 'commondir', 'gitdir'], (name) => name === 'commondir'))(
  '[R3] waits for no named pipe in place of Git’s own %s of a worktree, and writes through no link there',
  async (name) => {
    const it = await enclosed()
    const file = join(ownFilesOf(it.project, it.path), name)
    await rm(file)
    execFileSync('mkfifo', [file])
    const { files } = await it.workspace().diff({ workspaceId: it.taskId })
    expect(files.map(({ path }) => path)).toEqual(['loose.txt'])
    const empty = join(it.home, 'empty')
    await writeFile(empty, '')
    await rm(file)
    await symlink(empty, file)
    await it.workspace().remove({ workspaceId: it.taskId })
    expect(await readFile(empty, 'utf8')).toBe('')
    expect(await it.task()).toMatchObject({ archived: true })
    await it.close()
  },
)

it('[R3] waits for no named pipe in place of the index of a worktree', async () => {
  const it = await enclosed()
  const index = join(ownFilesOf(it.project, it.path), 'index')
  await rm(index)
  execFileSync('mkfifo', [index])
  const { files } = await it.workspace().diff({ workspaceId: it.taskId })
  expect(files.map(({ path }) => path)).toEqual(['loose.txt'])
  await it.close()
})

it.each([
  ['a folder of the user’s', (home: string) => join(home, 'photos')],
  ['the folder around the project', (home: string) => home],
  ['the project', (home: string) => join(home, 'project')],
])(
  '[R3] writes and stores nothing where a link in place of a worktree leads to %s',
  async (_, to) => {
    const it = await enclosed()
    const target = to(it.home)
    await mkdir(join(it.home, 'photos'))
    await writeFile(join(it.home, 'photos', 'cat.jpg'), 'cat')
    await rename(it.path, join(it.home, 'moved-by-its-agent'))
    await symlink(target, it.path)
    const before = await readdir(target)
    const workspaceId: TaskId = it.taskId
    await expect(it.workspace().diff({ workspaceId })).rejects.toThrow('a link is in its place')
    await it.doctor(true)
    await expect(it.workspace().remove({ workspaceId })).rejects.toThrow('saved as a patch')
    await it.workspace().remove({ workspaceId, discardUnknownWorktree: true })
    expect(await it.task()).toMatchObject({ archived: true })
    expect(await readdir(target)).toEqual(before)
    expect(await readFile(join(it.home, 'photos', 'cat.jpg'), 'utf8')).toBe('cat')
    await it.close()
  },
)

it('[R3] moves the files of a worktree that points to another repository to the trash on request', async () => {
  const it = await enclosed()
  const own = join(it.path, 'fake/worktrees/x')
  await mkdir(join(it.path, 'fake/objects'), { recursive: true })
  await mkdir(join(it.path, 'fake/refs'))
  await mkdir(own, { recursive: true })
  await writeFile(join(it.path, 'fake/HEAD'), 'ref: refs/heads/main\n')
  await writeFile(join(own, 'HEAD'), 'ref: refs/heads/main\n')
  await writeFile(join(own, 'commondir'), '../..\n')
  await writeFile(join(own, 'gitdir'), `${join(it.path, '.git')}\n`)
  await writeFile(join(it.path, '.git'), `gitdir: ${own}\n`)
  const workspaceId: TaskId = it.taskId
  expect((await it.doctor(true)).problems).toMatchObject([
    { kind: 'worktree-unregistered', detail: expect.stringContaining('another repository') },
  ])
  await expect(it.workspace().remove({ workspaceId })).rejects.toThrow('saved as a patch')
  await it.workspace().remove({ workspaceId, discardUnknownWorktree: true })
  expect(await it.task()).toMatchObject({ archived: true })
  expect(await inTrash(it.project, 'loose.txt')).toEqual(['not committed'])
  await it.close()
})

it('[K8] refuses a worktree whose working directory was made a repository of its own', async () => {
  const it = await enclosed()
  await rm(join(it.path, '.git'))
  git(it.path, 'init', '-q')
  const workspaceId: TaskId = it.taskId
  await expect(it.workspace().diff({ workspaceId })).rejects.toThrow('a repository of its own')
  await expect(it.tasks().applyPatch({ taskId: workspaceId })).rejects.toThrow(
    'a repository of its own',
  )
  await it.close()
})
