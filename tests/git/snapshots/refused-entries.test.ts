/** An index that a program wrote by itself, with names that Git checks out nowhere. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { git, makeRepository } from '../repository.ts'

/** Renames an entry in the file itself, as no command of Git's does. */
async function forge(dir: string, from: string, to: string): Promise<void> {
  const file = path.join(dir, '.git/index')
  const entries = (await readFile(file)).subarray(0, -20).toString('latin1').split('TREE')[0] ?? ''
  expect(entries).toContain(from)
  const forged = Buffer.from(entries.replace(from, to), 'latin1')
  await writeFile(file, Buffer.concat([forged, createHash('sha1').update(forged).digest()]))
}

it.each([
  '.git/hooks/x',
  '../outside/x',
  '/tmp-outside/',
  '/tmp-outside/x',
  'a/../../b/x',
  '.GIT/hooks/x',
  'git~1/hook/x',
])(
  '[R6][H4] stores the rest of an index with an entry %s, which can be checked out',
  async (name) => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const placeholder = 'z'.repeat(name.length)
    await project.write(placeholder, 'forged\n')
    project.git('add', placeholder)
    await forge(project.dir, placeholder, name)
    await project.write('b.txt', 'b\n')
    const base = project.git('rev-parse', 'HEAD').trim()
    const patches = path.join(project.dir, '../patch')
    const saved = await git.savePatch({
      dir: project.dir,
      baseCommit: base,
      seriesPath: `${patches}.series`,
      worktreePath: `${patches}.worktree`,
    })
    expect(saved.refused).toEqual([name])
    const { commit, dirty } = await git.commitSnapshot(project.dir)
    expect(dirty).toBe(true)
    const names = project.git('ls-tree', '-r', '--name-only', commit).split('\n')
    // The file itself is still there, under its own name.
    expect(names.sort()).toEqual(['a.txt', 'b.txt', placeholder])
    project.git('worktree', 'add', '--detach', path.join(project.dir, '../again'), commit)
  },
)
