import { expect, it } from 'vitest'
import { git, openRepository, temporaryDir } from '../repository.ts'

it('makes a folder a repository, with a first commit by Shiplog', async () => {
  const repository = openRepository(await temporaryDir())
  await repository.write('src/a.txt', 'a\n')
  const commit = await git.initRepository(repository.dir, { branch: 'main', message: 'First' })
  await expect(git.inspectProject(repository.dir)).resolves.toEqual({
    kind: 'repository',
    topLevel: repository.dir,
    branch: 'main',
    head: commit,
  })
  await expect(git.isClean(repository.dir)).resolves.toBe(true)
  expect(repository.git('show', '-s', '--format=%an %s')).toBe('Shiplog First')
})
