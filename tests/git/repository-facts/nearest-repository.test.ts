/** Where Shiplog looks for a repository, it finds the one that Git uses: the files of another would be shown and watched. */
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  isRepository,
  nearestRepository,
} from '../../../src/main/git/repository/nearest-repository.ts'
import { git, makeRepository, type Repository, testEnv } from '../repository.ts'

/** A repository in the folder `inner` of another one. */
async function nested() {
  const outer = await makeRepository({ 'a.txt': 'a\n' })
  const inner = path.join(outer.dir, 'inner')
  await mkdir(inner)
  const named = ['-c', 'user.name=Ada', '-c', 'user.email=a@localhost']
  for (const args of [
    ['init', '-q', '-b', 'main'],
    [...named, 'commit', '-q', '--allow-empty', '--message=first'],
  ])
    execFileSync('git', args, { cwd: inner, env: testEnv })
  return { outer, inner, dotGit: path.join(inner, '.git') }
}

const topByGit = (dir: string): string =>
  execFileSync('git', ['rev-parse', '--show-toplevel'], {
    cwd: dir,
    env: testEnv,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()

const changes: Record<string, (dotGit: string, outer: Repository) => Promise<void>> = {
  'that is unchanged': async () => {},
  'whose HEAD has a commit in upper case': async (dotGit, outer) => {
    const head = outer.git('-C', path.dirname(dotGit), 'rev-parse', 'HEAD')
    await writeFile(path.join(dotGit, 'HEAD'), `${head.toUpperCase()}\n`)
  },
  'whose HEAD is followed by blank lines': (dotGit) =>
    writeFile(path.join(dotGit, 'HEAD'), `ref: refs/heads/main${'\n'.repeat(1_000_000)}`),
  'whose HEAD has other white space': (dotGit) =>
    writeFile(path.join(dotGit, 'HEAD'), 'ref:\u000brefs/heads/main\n'),
  'whose HEAD is a link to a branch': async (dotGit) => {
    await rm(path.join(dotGit, 'HEAD'))
    await symlink('refs/heads/main', path.join(dotGit, 'HEAD'))
  },
  'whose HEAD is a link to another file': async (dotGit) => {
    await rm(path.join(dotGit, 'HEAD'))
    await writeFile(path.join(dotGit, 'other'), 'ref: refs/heads/main\n')
    await symlink('other', path.join(dotGit, 'HEAD'))
  },
  'whose common folder is missing': (dotGit) =>
    writeFile(path.join(dotGit, 'commondir'), 'missing\n'),
  'whose common folder is another one': (dotGit, outer) =>
    writeFile(path.join(dotGit, 'commondir'), `${outer.dir}/.git\n`),
  'whose objects are a file': async (dotGit) => {
    await rm(path.join(dotGit, 'objects'), { recursive: true })
    await writeFile(path.join(dotGit, 'objects'), '')
  },
  'whose references are a link to nothing': async (dotGit) => {
    await rm(path.join(dotGit, 'refs'), { recursive: true })
    await symlink('nowhere', path.join(dotGit, 'refs'))
  },
}

describe.skipIf(process.platform === 'win32')('a repository in another one', () => {
  it.each(Object.entries(changes))('%s is taken for one if Git does', async (_, change) => {
    const { outer, inner, dotGit } = await nested()
    await change(dotGit, outer)
    const top = topByGit(inner)
    expect(nearestRepository(inner)).toBe(top)
    expect(isRepository(inner)).toBe(top === inner)
  })

  it('[K8] that Git passes over has no say in which script is shown', async () => {
    const { outer, inner, dotGit } = await nested()
    outer.git('config', 'filter.x.clean', 'sh ./clean.sh')
    await outer.write('clean.sh', 'echo outer\n')
    await writeFile(path.join(inner, 'clean.sh'), 'echo harmless\n')
    await writeFile(path.join(dotGit, 'commondir'), 'missing\n')
    const asks = await git.repositoryConfig(inner)
    expect(asks?.scripts).toEqual([{ path: 'clean.sh', text: 'echo outer\n' }])
    expect(await readFile(path.join(inner, 'clean.sh'), 'utf8')).toContain('harmless')
  })

  it('[K8] has no say in which script is shown if its files are elsewhere', async () => {
    const { outer, inner } = await nested()
    const configure = ['config', '--file', path.join(inner, '.git/config')]
    outer.git(...configure, 'core.worktree', outer.dir)
    outer.git(...configure, 'filter.x.clean', 'sh ./clean.sh')
    await outer.write('clean.sh', 'echo outer\n')
    await writeFile(path.join(inner, 'clean.sh'), 'echo harmless\n')
    const asks = await git.repositoryConfig(inner)
    expect(asks?.scripts).toEqual([{ path: 'clean.sh', text: 'echo outer\n' }])
  })
})
