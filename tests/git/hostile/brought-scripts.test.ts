/** A filter that was allowed does not run a script that Git has only just written from a commit of an agent (K8). */
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit } from '../../../src/main/git/index.ts'
import { makeRepository, testEnv } from '../repository.ts'
import { writing } from './every-call.ts'

const plain = ['-c', 'filter.own.clean=', '-c', 'filter.own.smudge=']

/** A project with an allowed filter that runs `script` if it exists, and a branch of an agent that brings its own. */
async function projectWith(script: string | null) {
  const project = await makeRepository({
    '.gitattributes': '*.txt filter=own\n',
    'z.txt': 'one\n',
    ...(script === null ? {} : { 'tools/run': script }),
  })
  const { dir } = project
  const base = path.dirname(dir)
  const marker = path.join(base, 'sprung')
  const command = 'sh tools/run || cat'
  await appendFile(
    path.join(dir, '.git/config'),
    `[filter "own"]\n\tclean = ${command}\n\tsmudge = ${command}\n`,
  )
  const asked = await createGit({ env: testEnv }).repositoryConfig(dir)
  const git = createGit({ env: testEnv, isAllowed: (sha256) => sha256 === asked?.sha256 })
  const head = project.git('rev-parse', 'HEAD')

  project.git(...plain, 'checkout', '--quiet', '-b', 'agent')
  await project.write('tools/run', `echo >> '${marker}'; cat\n`)
  await project.write('z.txt', 'two\n')
  project.git(...plain, 'add', 'tools')
  project.git(...plain, 'commit', '--quiet', '--all', '--message', 'Agent')
  const final = project.git('rev-parse', 'HEAD')
  project.git(...plain, 'checkout', '--quiet', 'main')
  const sprung = () => readFile(marker, 'utf8').catch(() => '')
  return { project, git, dir, head, final, path: path.join(base, 'worktree'), sprung }
}

it('[K8] neither where a worktree is made or restored', async () => {
  const { git, dir, head, final, path, sprung } = await projectWith(null)
  await git.createWorktree({ repoDir: dir, path, branch: 'a', from: final })
  await git.removeWorktree({ repoDir: dir, path, branch: 'a' })
  await git.restoreWorktree({ repoDir: dir, path, branch: 'b', head, final })
  expect(await sprung()).toBe('')
})

it('[K8] nor where its changes are applied', async () => {
  const { project, git, dir, head, final, sprung } = await projectWith(null)
  const merge = { targetDir: dir, baseCommit: head, theirCommit: final, ...writing() }
  expect(await git.mergeInto(merge)).toMatchObject({ kind: 'applied' })
  expect(await project.read('z.txt')).toBe('two\n')
  expect(await sprung()).toBe('')
})

it('[K8] nor where its files are compared with a commit after its worktree is gone', async () => {
  const { git, dir, final, path: folder, project, sprung } = await projectWith(null)
  await mkdir(path.join(folder, 'tools'), { recursive: true })
  project.git(...plain, '--work-tree', folder, 'checkout', final, '--', '.')
  project.git(...plain, 'reset', '--quiet', '--hard')
  expect(await git.filesInCommit({ repoDir: dir, dir: folder, commit: final })).not.toBeNull()
  expect(await sprung()).toBe('')
})

it('[K8] nor where the project is switched to its branch, though the present script was allowed', async () => {
  const { project, git, dir, sprung } = await projectWith('sed s/three/THREE/\n')
  expect(await git.switchBranch({ dir, branch: 'agent' })).toBe(true)
  expect(project.git('symbolic-ref', '--short', 'HEAD')).toBe('agent')
  expect(await sprung()).toBe('')
})

it('[K8] runs the script that was allowed where a branch has the same one', async () => {
  const { project, git, dir } = await projectWith('sed s/three/THREE/\n')
  project.git(...plain, 'checkout', '--quiet', '-b', 'other')
  await project.write('y.txt', 'three\n')
  project.git(...plain, 'add', 'y.txt')
  project.git(...plain, 'commit', '--quiet', '--message', 'Other')
  project.git(...plain, 'checkout', '--quiet', 'main')
  expect(await git.switchBranch({ dir, branch: 'other' })).toBe(true)
  expect(await project.read('y.txt')).toBe('THREE\n')
})
