/** No call of ours runs what a repository's own configuration names, unless it was allowed (K8). */
import { chmod, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit } from '../../../src/main/git/index.ts'
import { isSoak } from '../../crash/effort.ts'
import { makeRepository, testEnv } from '../repository.ts'
import { everyCall, writing } from './every-call.ts'
import { trapped, type Vector, vectors } from './traps.ts'

it.each(vectors.filter(({ inSoak }) => isSoak || !inSoak))(
  '[K8] runs nothing of $name',
  async (vector) => {
    const { project, env, sprung } = await trapped(vector)
    const failed = await everyCall(createGit({ env }), project)
    expect(await sprung()).toBe('')
    if (!vector.fails) expect(failed).toEqual([])
  },
)

it('[K8] shows what a repository asks for, and runs it once that was allowed', async () => {
  const [filter] = vectors
  const { project, env, sprung } = await trapped(filter as Vector)
  const asking = createGit({ env })
  const config = await asking.repositoryConfig(project.dir)
  expect(config?.commands.map(({ key }) => key)).toEqual([
    'filter.trap.clean',
    'filter.trap.smudge',
  ])
  const allowing = createGit({ env, isAllowed: (sha256) => sha256 === config?.sha256 })
  await project.write('README.md', 'changed\n')
  await allowing.commitSnapshot(project.dir)
  expect(await sprung()).toContain('trap')
  project.git('config', 'filter.trap.clean', 'cat')
  await expect(allowing.repositoryConfig(project.dir)).resolves.not.toEqual(config)
})

it('[K8] leaves a filter of the user’s own on, also where the repository changes it', async () => {
  const { project, env, sprung } = await trapped(vectors[0] as Vector)
  const own = path.join(path.dirname(project.dir), 'own-gitconfig')
  await writeFile(own, '[filter "trap"]\n\tclean = tr a-z A-Z\n\tsmudge = cat\n')
  const git = createGit({ env: { ...env, GIT_CONFIG_GLOBAL: own } })
  await project.write('README.md', 'changed\n')
  const { commit } = await git.commitSnapshot(project.dir)
  expect(project.git('cat-file', 'blob', `${commit}:README.md`)).toBe('CHANGED')
  expect(await sprung()).toBe('')
})

it('[K8] merges as text in the place of a driver that was not allowed', async () => {
  const { project, env, sprung } = await trapped({
    name: 'a merge driver',
    config: ({ command }) => `[merge "trap"]\n\tdriver = ${command}\n`,
    attributes: '* merge=trap',
  })
  const git = createGit({ env })
  const base = (await git.head(project.dir)) ?? ''
  await project.write('README.md', 'theirs\ntwo\nthree\n')
  const { commit: theirCommit } = await git.commitSnapshot(project.dir)
  await project.write('README.md', 'one\ntwo\nmine\n')
  const merge = { targetDir: project.dir, baseCommit: base, theirCommit }
  await expect(git.mergeInto({ ...merge, ...writing() })).resolves.toMatchObject({
    kind: 'applied',
  })
  expect(await project.read('README.md')).toBe('theirs\ntwo\nmine\n')
  await project.write('README.md', 'other\ntwo\nthree\n')
  await expect(git.mergeInto({ ...merge, ...writing() })).resolves.toMatchObject({
    kind: 'conflict',
  })
  expect(await sprung()).toBe('')
})

it('[K8] asks before Git LFS of the user starts what a repository names for it', async () => {
  const { project, env, sprung } = await trapped({
    name: 'an extension of Git LFS',
    config: ({ command }) =>
      `[lfs "extension.trap"]\n\tclean = ${command} extension\n[core]\n\tsshCommand = ${command} ssh\n\taskPass = ${command} pass\n[credential]\n\thelper = ${command} helper\n[hook "trap"]\n\tcommand = ${command}\n\tevent = post-index-change\n`,
    attributes: '* filter=lfs',
  })
  // It starts what the configuration names, as Git LFS does.
  const base = path.dirname(
    await realpath(path.join(env.PATH?.split(path.delimiter)[0] ?? '', 'trap')),
  )
  const lfs = path.join(base, 'lfs')
  const keys = ['lfs.extension.trap.clean', 'core.sshCommand', 'core.askPass', 'credential.helper']
  await writeFile(
    lfs,
    `#!/bin/sh\nfor key in ${keys.join(' ')}; do sh -c "$(git config "$key") </dev/null" >/dev/null 2>&1; done\n[ "$(git config hook.trap.enabled)" = false ] || ${base}/trap\ncat\n`,
  )
  await chmod(lfs, 0o755)
  const own = path.join(base, 'own-gitconfig')
  await writeFile(own, `[filter "lfs"]\n\tclean = ${lfs}\n\tsmudge = cat\n\trequired = true\n`)
  const personal = { ...env, GIT_CONFIG_GLOBAL: own }
  await project.write('README.md', 'changed\n')
  const asking = createGit({ env: personal })
  await asking.commitSnapshot(project.dir)
  expect(await sprung()).toBe('')
  const config = await asking.repositoryConfig(project.dir)
  expect(config?.commands.map(({ key }) => key)).toEqual(['lfs.extension.trap.clean'])
  const allowing = createGit({ env: personal, isAllowed: (sha256) => sha256 === config?.sha256 })
  await project.write('README.md', 'changed again\n')
  await allowing.commitSnapshot(project.dir)
  const lines = (await sprung()).trim().split('\n')
  expect(new Set(lines.map((line) => line.split(' ').at(-1)))).toEqual(new Set(['extension']))
})

it('leaves alone the repository that a link in the place of a submodule leads to', async () => {
  const library = await makeRepository({ 'a.txt': 'a' }, { name: 'library' })
  const project = await makeRepository()
  project.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library.dir, 'sub')
  project.git('commit', '-qm', 'A submodule')
  await rm(path.join(project.dir, 'sub'), { recursive: true })
  await project.link('sub', library.dir)
  const found = await createGit({ env: testEnv }).submodulesWithWork(project.dir)
  expect(found).toEqual([{ path: 'sub', gitDir: null }])
})
