/** What Git set aside for an unfinished rebase or merge is in no file of a worktree, and in no commit of a branch. */
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { git, makeRepository, openRepository, temporaryDir } from '../repository.ts'

const ways: [string, string, string[]][] = [
  ['a rebase', 'rebase-merge/autostash', ['rebase', '--autostash', 'main']],
  ['a rebase by patches', 'rebase-apply/autostash', ['rebase', '--apply', '--autostash', 'main']],
  ['a merge', 'MERGE_AUTOSTASH', ['merge', '--autostash', 'main']],
]

/** A worktree in the middle of one of `ways`, which stopped at a conflict in `a.txt`. */
async function unfinished(args: string[]) {
  const project = await makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const dir = path.join(await temporaryDir(), 'work')
  const from = project.git('rev-parse', 'HEAD')
  await git.createWorktree({ repoDir: project.dir, path: dir, branch: 'work', from })
  const work = openRepository(dir)
  await project.write('a.txt', 'theirs\n')
  project.git('commit', '-qam', 'theirs')
  await work.write('a.txt', 'ours\n')
  work.git('commit', '-qam', 'ours')
  await work.write('b.txt', 'not committed\n')
  expect(() => work.git(...args)).toThrow()
  return { project, work, input: { repoDir: project.dir, path: dir } }
}

it.each(ways)('[R3] keeps what Git had set aside for %s in the stash', async (_, place, args) => {
  const { project, work, input } = await unfinished(args)
  const aside = work.git('rev-parse', '--git-path', place)
  expect(existsSync(aside)).toBe(true)
  const removal = await git.removeWorktree(input)
  project.git('gc', '-q', '--prune=now')
  expect(removal.stashed).toBe(project.git('rev-parse', 'stash@{0}'))
  project.git('stash', 'pop', '-q')
  await expect(project.read('b.txt')).resolves.toBe('not committed\n')
})

it('keeps it once, below the user’s own stash, if a removal is repeated after a crash', async () => {
  const { project, work, input } = await unfinished(['merge', '--autostash', 'main'])
  const id = work.git('rev-parse', 'MERGE_AUTOSTASH')
  project.git('update-ref', '--create-reflog', '-m', 'kept before the crash', 'refs/stash', id)
  await project.write('a.txt', 'mine\n')
  project.git('stash', '-q')
  await expect(git.removeWorktree(input)).resolves.toMatchObject({ stashed: id })
  expect(project.git('stash', 'list').split('\n')).toHaveLength(2)
})

it('[R3] keeps it if the folder was deleted, and the worktree is created again in its place', async () => {
  const { project, work, input } = await unfinished(['merge', '--autostash', 'main'])
  const id = work.git('rev-parse', 'MERGE_AUTOSTASH')
  const head = work.git('rev-parse', 'HEAD')
  await rm(work.dir, { recursive: true })
  await git.restoreWorktree({ ...input, branch: 'work', head, final: head })
  expect(project.git('rev-parse', 'stash@{0}')).toBe(id)
})

it('leaves the stash alone if the file names no stash', async () => {
  const { project, work, input } = await unfinished(['merge', '--autostash', 'main'])
  const aside = work.git('rev-parse', '--git-path', 'MERGE_AUTOSTASH')
  await writeFile(aside, `${project.git('rev-parse', 'main')}\n`)
  await expect(git.removeWorktree(input)).resolves.toEqual({ worktree: 'removed', branch: null })
  expect(project.git('stash', 'list')).toBe('')
})
