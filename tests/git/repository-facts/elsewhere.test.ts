/** Repositories that are configured to keep their files in another folder. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { git, makeRepository, temporaryDir } from '../repository.ts'

it('refuses a repository whose files are in another folder, with the command that changes that', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const other = await temporaryDir()
  for (const place of [other, path.join(other, 'missing')]) {
    project.git('config', 'core.worktree', place)
    const remedy = `git -C "${project.dir}" config --unset core.worktree`
    await expect(git.inspectProject(project.dir)).rejects.toThrow(remedy)
  }
  project.git('config', '--unset', 'core.worktree')
  await expect(git.inspectProject(project.dir)).resolves.toMatchObject({ kind: 'repository' })
})

it('refuses a folder whose own .git is none, in a repository whose files are in another folder', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  project.git('config', 'core.worktree', await temporaryDir())
  const below = path.join(project.dir, 'below')
  await mkdir(path.join(below, '.git'), { recursive: true })
  const remedy = `git -C "${below}" config --unset core.worktree`
  await expect(git.inspectProject(below)).rejects.toThrow(remedy)
})
