import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'
import { git, makeRepository, openRepository, temporaryDir, testEnv } from '../repository.ts'
import { mergePatchInto } from '../writing.ts'

const lines = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n'

/** A child's saved files, and a target that holds none of the child's objects. */
async function savedWork({ baseKnown }: { baseKnown: boolean }) {
  const project = await makeRepository({
    'a.txt': lines,
    'old.txt': `${lines}more\n`,
    'gone.txt': 'g\n',
  })
  const target = path.join(await temporaryDir(), 'target')
  execFileSync('git', ['clone', '--quiet', '--no-local', project.dir, target], { env: testEnv })
  const parent = openRepository(target)
  if (!baseKnown) {
    // The same files, in another history.
    parent.git('checkout', '--quiet', '--orphan', 'other')
    parent.git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-qm', 'Other')
    parent.git('update-ref', '-d', 'refs/heads/main')
    parent.git('remote', 'remove', 'origin')
    parent.git('reflog', 'expire', '--expire=now', '--all')
    parent.git('gc', '--quiet', '--prune=now')
  }
  const baseCommit = project.git('rev-parse', 'HEAD')
  await project.write('a.txt', lines.replace('one', 'ONE'))
  project.git('mv', 'old.txt', 'moved.txt')
  await project.write('dos.txt', 'a\r\nb\r\n')
  project.commit('First of the child')
  await project.write('a.txt', lines.replace('one', 'ONE').replace('two', 'TWO'))
  await project.write('data.bin', new Uint8Array([0, 1, 2, 255]))
  project.commit('Second of the child')
  await project.write('data.bin', new Uint8Array([0, 1, 2, 254]))
  await project.write('untracked.txt', 'u\r\n')
  await project.remove('gone.txt')
  const out = await temporaryDir()
  const files = { seriesPath: path.join(out, 'series'), worktreePath: path.join(out, 'worktree') }
  const saved = await git.savePatch({ dir: project.dir, baseCommit, ...files })
  const finalTree = project.git('rev-parse', `${saved.finalCommit}^{tree}`)
  return {
    parent,
    files,
    baseCommit,
    saved,
    finalTree,
    input: { targetDir: target, baseCommit, ...files },
  }
}

for (const baseKnown of [true, false]) {
  const when = baseKnown ? 'when the base is known' : 'when not even the base is known'

  it(`brings in the saved files ${when}, then says that they are in`, async () => {
    const { parent, saved, finalTree, input } = await savedWork({ baseKnown })
    await expect(git.resolveCommit(parent.dir, saved.finalCommit)).resolves.toBeNull()
    await expect(mergePatchInto(input)).resolves.toEqual({
      kind: 'applied',
      files: ['a.txt', 'data.bin', 'dos.txt', 'gone.txt', 'old.txt -> moved.txt', 'untracked.txt'],
    })
    expect((await git.snapshot(parent.dir)).tree).toBe(finalTree)
    expect(parent.git('diff', '--cached')).toBe('')
    await expect(mergePatchInto(input)).resolves.toEqual({ kind: 'already-applied' })
  })

  it(`merges with what the target changed elsewhere in a file ${when}`, async () => {
    const { parent, input } = await savedWork({ baseKnown })
    await parent.write('a.txt', lines.replace('seven', 'SEVEN'))
    await expect(mergePatchInto(input)).resolves.toMatchObject({ kind: 'applied' })
    expect(await parent.read('a.txt')).toBe('ONE\nTWO\nthree\nfour\nfive\nsix\nSEVEN\n')
  })

  it(`answers a conflict and leaves no marker ${when}`, async () => {
    const { parent, input } = await savedWork({ baseKnown })
    await parent.write('a.txt', lines.replace('one', 'parent'))
    await parent.write('untracked.txt', 'of the parent\n')
    const before = await parent.account()
    const answer = await mergePatchInto(input)
    expect(answer).toMatchObject({ kind: 'conflict', paths: expect.arrayContaining(['a.txt']) })
    expect(await parent.account()).toEqual(before)
  })
}

it('has nothing to apply without files', async () => {
  const { dir } = await makeRepository()
  await expect(
    mergePatchInto({ targetDir: dir, seriesPath: null, worktreePath: null }),
  ).resolves.toEqual({ kind: 'nothing-to-apply' })
})
