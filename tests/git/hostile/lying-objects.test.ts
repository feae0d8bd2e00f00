/** What is shown of a change is what an apply writes, whatever the repository says of its objects (K6). */
import { chmod, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { withSnapshot } from '../../../src/main/git/snapshots/snapshot.ts'
import { git, makeRepository, type Repository, testEnv } from '../repository.ts'
import { mergeInto, updateWorkingTree } from '../writing.ts'

const shown = 'echo nice\n'
const other = 'echo evil\n'

/** A project, and a worktree of it with a commit that changes `x.sh` to the shown text. */
async function changedProject() {
  const project = await makeRepository({ 'x.sh': 'echo one\n' })
  const baseCommit = project.git('rev-parse', 'HEAD')
  const worktree = path.join(path.dirname(project.dir), 'worktree')
  await git.createWorktree({ repoDir: project.dir, path: worktree, branch: 'a', from: baseCommit })
  await writeFile(path.join(worktree, 'x.sh'), shown)
  project.git('-C', worktree, 'commit', '--quiet', '--all', '--message', 'Changed')
  const blob = project.git('rev-parse', 'a:x.sh')
  return { project, worktree, baseCommit, blob }
}

type Changed = Awaited<ReturnType<typeof changedProject>>

async function storeOther(project: Repository): Promise<string> {
  await project.write('.git/other', other)
  return project.git('hash-object', '-w', '.git/other')
}

async function overwriteObject({ dir }: Repository, id: string, text: string): Promise<void> {
  const file = path.join(dir, '.git/objects', id.slice(0, 2), id.slice(2))
  await chmod(file, 0o644)
  await writeFile(file, deflateSync(`blob ${text.length}\0${text}`))
}

async function showAndApply({ project, worktree, baseCommit }: Changed) {
  const diff = await git.diff({ dir: worktree, baseCommit })
  const patch = diff.kind === 'diff' ? diff.patch : ''
  const { commit: theirCommit } = await git.commitSnapshot(worktree)
  const answer = await mergeInto({ targetDir: project.dir, baseCommit, theirCommit }).catch(String)
  return { patch, answer, applied: await project.read('x.sh') }
}

it('[K6] shows and applies an object itself, not the one that the repository names in its place', async () => {
  const changed = await changedProject()
  const { project, blob } = changed
  project.git('replace', blob, await storeOther(project))
  const { patch, applied } = await showAndApply(changed)
  expect(patch).toContain(`+${shown}`)
  expect(applied).toBe(shown)
})

it('[K6] applies no object with another content than its id says, which a review does not show', async () => {
  const changed = await changedProject()
  await overwriteObject(changed.project, changed.blob, other)
  const { patch, answer, applied } = await showAndApply(changed)
  expect(patch).toContain(`+${shown}`)
  expect(answer).toContain(changed.blob)
  expect(applied).toBe('echo one\n')
})

it('[K6] writes no such object where it merges lines of both sides, and none of a state that was stored', async () => {
  const changed = await changedProject()
  const { project, worktree, blob } = changed
  await project.write('x.sh', 'echo one\n\n\n\n\n\n\nmine\n')
  await overwriteObject(project, blob, other)
  const { answer, applied } = await showAndApply(changed)
  expect(answer).toContain(blob)
  expect(applied).toContain('echo one\n')
  const tree = project.git('rev-parse', 'a^{tree}')
  await project.write('x.sh', 'echo one\n')
  const planned = withSnapshot(createRunGit({ env: testEnv }), project.dir, {}, (snapshot) =>
    updateWorkingTree(createRunGit({ env: testEnv }), snapshot, tree),
  )
  await expect(planned).rejects.toThrow(blob)
  expect(await readFile(path.join(worktree, 'x.sh'), 'utf8')).toBe(shown)
})

it('[K6] merges from an object itself where both sides changed the file', async () => {
  const changed = await changedProject()
  const { project, worktree, baseCommit } = changed
  const base = project.git('rev-parse', `${baseCommit}:x.sh`)
  project.git('replace', base, await storeOther(project))
  await writeFile(path.join(worktree, 'x.sh'), `${shown}1\n2\n3\n4\n`)
  const { patch, applied } = await showAndApply(changed)
  expect(patch).toContain('-echo one\n')
  expect(applied).toBe(`${shown}1\n2\n3\n4\n`)
})
