/** Links in the place of folders of `.git`: a new worktree would write where they lead. */
import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { git, makeRepository, temporaryDir } from '../repository.ts'

async function linked(folder: string) {
  const project = await makeRepository()
  const head = project.git('rev-parse', 'HEAD')
  const place = path.join(project.dir, '.git', folder)
  const outside = await temporaryDir()
  await rm(place, { recursive: true, force: true })
  await mkdir(path.dirname(place), { recursive: true })
  // Where references are kept in files, the branch would be gone with the folder.
  project.git('pack-refs', '--all')
  await rm(place, { recursive: true, force: true })
  await symlink(outside, place)
  const input = { repoDir: project.dir, path: path.join(await temporaryDir(), 'one') }
  return { project, head, outside, input, branch: 'shiplog/work' }
}

it.each([
  'logs/refs',
  'logs/refs/heads',
  'logs/refs/heads/shiplog',
  'refs/heads/shiplog',
  'refs/shiplog',
  'worktrees',
])('creates and restores no worktree that would write through the link %s', async (folder) => {
  const { head, outside, input, branch } = await linked(folder)
  const message = `is a link to ${outside}, so Git would write outside of the repository`
  await expect(git.createWorktree({ ...input, branch, from: head })).rejects.toThrow(message)
  const restored = { ...input, branch, head, final: head }
  await expect(git.restoreWorktree(restored)).rejects.toThrow(message)
  expect(await readdir(outside)).toEqual([])
})

it('creates one where two working trees share these folders by links', async () => {
  const project = await makeRepository()
  const shared = await temporaryDir()
  await rename(path.join(project.dir, '.git'), path.join(shared, 'git'))
  await mkdir(path.join(project.dir, '.git'))
  for (const name of ['objects', 'refs', 'logs', 'info', 'config'])
    await symlink(path.join(shared, 'git', name), path.join(project.dir, '.git', name))
  await project.write('.git/HEAD', 'ref: refs/heads/main\n')
  const from = project.git('rev-parse', 'HEAD')
  const input = { repoDir: project.dir, path: path.join(await temporaryDir(), 'one'), from }
  await git.createWorktree({ ...input, branch: 'shiplog/work' })
  expect(project.git('rev-parse', 'shiplog/work')).toBe(from)
})
