/** Folders in which each name is the same folder again: more paths than any memory holds. */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { createGit } from '../../../src/main/git/index.ts'
import { makeRepository, testEnv } from '../repository.ts'

/** So that a call that never ends fails before it fills the memory. */
const limit = () => AbortSignal.timeout(20_000)

it.skipIf(process.platform !== 'linux')(
  'ends Git before it fills the memory, and goes on with the next call',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const input = (line: (at: number) => string) =>
      Array.from({ length: 10 }, (_, at) => `${line(at)}\n`).join('')
    const made = (text: string) =>
      execFileSync('git', ['mktree'], { cwd: project.dir, env: testEnv, input: text })
        .toString()
        .trim()
    const blob = project.git('rev-parse', 'HEAD:a.txt')
    let tree = made(input((at) => `100644 blob ${blob}\tf${at}`))
    for (let depth = 0; depth < 9; depth++) {
      const below = tree
      tree = made(input((at) => `040000 tree ${below}\td${at}`))
    }
    const commit = project.git('commit-tree', '-m', 'Endless', '-p', 'HEAD', tree)
    const git = createGit({ env: testEnv, memoryBytesMax: 300 * 1024 * 1024 })
    await expect(
      git.treeDifferences({ dir: project.dir, from: 'HEAD', to: commit, signal: limit() }),
    ).rejects.toThrow('a commit may hold more paths than any memory')
    await expect(git.head(project.dir)).resolves.toBe(project.git('rev-parse', 'HEAD'))
  },
)

it.skipIf(process.platform !== 'linux')(
  'ends Git where a device is in the place of a reference, and it packs objects',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    await project.write('a.txt', 'b\n')
    await project.link('.git/refs/tags/endless', '/dev/zero')
    const git = createGit({ env: testEnv, memoryBytesMax: 300 * 1024 * 1024 })
    // Whichever is seen first: the memory that is needed, or the device.
    await expect(git.commitSnapshot(project.dir, { signal: limit() })).rejects.toThrow(
      /or a file of \.git be a link to a device|refs\/tags\/endless is a device/,
    )
  },
)
