/** Worktrees of a sparse checkout: what is outside is missing on purpose, and work outside is work. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit } from '../../../src/main/git/index.ts'
import { git, makeRepository, openRepository, temporaryDir, testEnv } from '../repository.ts'

const files = { 'a.txt': 'a\n', 'in/b.txt': 'b\n', 'out/c.txt': 'c\n', 'out/d.txt': 'd\n' }

async function sparseWorktree(...patterns: string[]) {
  const project = await makeRepository(files)
  project.git('sparse-checkout', 'set', ...patterns)
  const worktree = path.join(await temporaryDir(), 'project', 'worktree')
  const from = project.git('rev-parse', 'HEAD')
  await git.createWorktree({ repoDir: project.dir, path: worktree, branch: 'shiplog/work', from })
  return { project, work: openRepository(worktree), from }
}

it.each([
  { kind: 'cone', patterns: ['--cone', 'in'] },
  { kind: 'patterns', patterns: ['--no-cone', '/*', '!/out/'] },
  { kind: 'a sparse index', patterns: ['--cone', '--sparse-index', 'in'] },
])(
  'restores a worktree with its work outside the sparse checkout, and nothing deleted ($kind)',
  async ({ patterns }) => {
    const { project, work, from } = await sparseWorktree(...patterns)
    await work.write('a.txt', 'changed\n')
    await work.write('out/c.txt', 'changed\n')
    await work.write('out/new/n.txt', 'new\n')
    await work.write('out/bytes-ä.txt', 'new\n')
    const before = await work.account()
    const saved = await git.commitSnapshot(work.dir)
    await git.removeWorktree({ repoDir: project.dir, path: work.dir, branch: 'shiplog/work' })
    const where = { repoDir: project.dir, path: work.dir, branch: 'shiplog/work' }
    await git.restoreWorktree({ ...where, head: from, final: saved.commit })
    expect(await work.account()).toEqual(before)
    expect((await git.commitSnapshot(work.dir)).tree).toBe(saved.tree)
  },
)

it("gives a child its parent's uncommitted work outside the sparse checkout", async () => {
  const { project, work } = await sparseWorktree('--cone', 'in')
  await work.write('out/new.txt', 'new\n')
  const { commit: from, tree } = await git.commitSnapshot(work.dir)
  const child = openRepository(path.join(await temporaryDir(), 'child'))
  await git.createWorktree({ repoDir: project.dir, path: child.dir, branch: 'shiplog/child', from })
  expect(await child.read('out/new.txt')).toBe('new\n')
  await expect(child.read('out/c.txt')).rejects.toThrow('ENOENT')
  expect((await git.commitSnapshot(child.dir)).tree).toBe(tree)
})

it('takes nothing for deleted where a power cut emptied the index of a worktree', async () => {
  const { project, work } = await sparseWorktree('--cone', 'in')
  await work.write('in/b.txt', 'changed\n')
  const { tree } = await git.commitSnapshot(work.dir)
  await writeFile(work.git('rev-parse', '--git-path', 'index'), '')
  await writeFile(path.join(work.dir, '.git'), '')
  const ownerOf = () => ({ repoDir: project.dir, branch: 'shiplog/work' })
  const worktrees = { dir: path.dirname(path.dirname(work.dir)), ownerOf }
  const again = createGit({ env: testEnv, worktrees })
  expect((await again.commitSnapshot(work.dir)).tree).toBe(tree)
})
