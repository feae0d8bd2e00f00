/** What is read from Git's files is what Git itself answers, or nothing. */
import { realpath, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { lacksReference, readGitDir } from '../../../src/main/git/repository/git-dir.ts'
import { isRepository } from '../../../src/main/git/repository/nearest-repository.ts'
import { refuseDevices } from '../../../src/main/git/repository-config/special-files.ts'
import { namedAdminDir } from '../../../src/main/git/worktree-files/state.ts'
import { makeRepository, openRepository, type Repository, temporaryDir } from '../repository.ts'

async function answers({ dir, git }: Repository) {
  const place = async (option: string) => realpath(path.resolve(dir, git('rev-parse', option)))
  const branch = git('rev-parse', '--symbolic-full-name', 'HEAD')
  return {
    gitDir: await place('--git-dir'),
    commonDir: await place('--git-common-dir'),
    branch: branch === 'HEAD' ? null : branch.replace('refs/heads/', ''),
    commit: git('rev-parse', 'HEAD'),
  }
}

async function read(dir: string) {
  const found = await readGitDir(dir)
  return found && { ...found, commonDir: await realpath(found.commonDir) }
}

it('agrees with Git on a branch, a detached HEAD, a worktree and a submodule', async () => {
  const library = await makeRepository()
  const project = await makeRepository()
  expect(await read(project.dir)).toEqual(await answers(project))
  project.git('checkout', '--quiet', '-b', 'feature/one')
  expect(await read(project.dir)).toEqual(await answers(project))
  project.git('checkout', '--quiet', '--detach')
  expect(await read(project.dir)).toEqual(await answers(project))
  project.git('pack-refs', '--all')
  project.git('worktree', 'add', '--quiet', '../beside', 'main')
  const beside = openRepository(path.join(path.dirname(project.dir), 'beside'))
  // A commit that is in no file of the branch's own is left to Git.
  expect(await read(beside.dir)).toEqual({ ...(await answers(beside)), commit: null })
  beside.commit('Next')
  expect(await read(beside.dir)).toEqual(await answers(beside))
  project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.dir, 'lib')
  const inside = openRepository(path.join(project.dir, 'lib'))
  expect(await read(inside.dir)).toEqual(await answers(inside))
})

it('knows the branch before the first commit', async () => {
  const repository = openRepository(await temporaryDir())
  repository.git('init', '--quiet', '--initial-branch=trunk')
  expect((await read(repository.dir))?.branch).toBe('trunk')
})

it('leaves to Git what is not the root of a working tree, or not as Git writes it', async () => {
  const damages: Record<string, (project: Repository) => Promise<unknown> | unknown> = {
    'no objects': ({ remove }) => remove('.git/objects'),
    'no references': ({ remove }) => remove('.git/refs'),
    'an empty HEAD': ({ write }) => write('.git/HEAD', ''),
    'a HEAD that is a link': async ({ remove, link }) => {
      await remove('.git/HEAD')
      await link('.git/HEAD', 'refs/heads/main')
    },
    'references in another format': ({ write }) => write('.git/HEAD', 'ref: refs/heads/.invalid\n'),
    'HEAD outside the branches': ({ write }) => write('.git/HEAD', 'ref: refs/other/main\n'),
    'a branch that stands for another': ({ git: run }) => {
      run('branch', 'real')
      run('symbolic-ref', 'refs/heads/main', 'refs/heads/real')
    },
    'a .git file that leads nowhere': async ({ remove, write }) => {
      await remove('.git')
      await write('.git', 'gitdir: /not/there\n')
    },
  }
  for (const [what, damage] of Object.entries(damages)) {
    const project = await makeRepository()
    expect(await readGitDir(project.dir), what).not.toBeNull()
    await damage(project)
    expect(await readGitDir(project.dir), what).toBeNull()
  }
  const project = await makeRepository({ 'below/a.txt': 'a\n' })
  expect(await readGitDir(path.join(project.dir, 'below'))).toBeNull()
  expect(await readGitDir(path.join(project.dir, 'not-there'))).toBeNull()
})

it('knows that there is no such reference, loose or packed, and else leaves it to Git', async () => {
  const project = await makeRepository()
  const branch = 'refs/heads/some/branch'
  expect(await lacksReference(project.dir, branch)).toBe(true)
  project.git('branch', 'some/branch')
  expect(await lacksReference(project.dir, branch)).toBe(false)
  expect(await lacksReference(project.dir, 'refs/heads/some')).toBe(false)
  project.git('pack-refs', '--all', '--prune')
  expect(await lacksReference(project.dir, branch)).toBe(false)
  expect(await lacksReference(project.dir, 'refs/heads/some/bran')).toBe(true)
  project.git('worktree', 'add', '--quiet', '../beside', 'some/branch')
  expect(await lacksReference(path.join(project.dir, '../beside'), branch)).toBe(false)
  await project.write('.git/HEAD', 'ref: refs/heads/.invalid\n')
  expect(await lacksReference(project.dir, 'refs/heads/none')).toBe(false)
})

it.each(['HEAD', 'packed-refs'])('reads no %s that would fill the memory', async (name) => {
  const project = await makeRepository()
  await project.write(`.git/${name}`, 'ref: refs/heads/main\n')
  await truncate(path.join(project.dir, '.git', name), 600_000_000)
  const before = process.resourceUsage().maxRSS
  readGitDir(project.dir)
  expect(lacksReference(project.dir, 'refs/heads/other')).toBe(false)
  // In KB.
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(200_000)
})

it('reads files with a million line breaks in the middle at once', async () => {
  const many = `x${'\n'.repeat(1_000_000)}y`
  const dir = await temporaryDir()
  await writeFile(path.join(dir, '.git'), `gitdir: ${many}`)
  const project = await makeRepository({ 'a.txt': 'a\n' })
  await writeFile(path.join(project.dir, '.git/commondir'), many)
  for (const place of [dir, project.dir]) {
    expect(readGitDir(place)).toBeNull()
    expect(isRepository(place)).toBe(false)
    expect(namedAdminDir(place)).toBeNull()
    refuseDevices(place)
  }
})
