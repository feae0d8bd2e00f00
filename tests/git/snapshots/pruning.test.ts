/** Git deletes what no reference leads to, whenever somebody asks it to: nothing of ours may be among it. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit, type Git } from '../../../src/main/git/index.ts'
import { newTaskId, newUpdateId } from '../../../src/shared/records/ids.ts'
import { isSoak, soakFactor } from '../../crash/effort.ts'
import { itInSoak } from '../../soak.ts'
import { git, makeRepository, openRepository, temporaryDir, testEnv } from '../repository.ts'
import { write } from '../writing.ts'

/** Rounds of a whole life beside a `gc` that never ends, which keeps a core busy. */
const rounds = isSoak ? 5 * soakFactor : 2

const lines = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n'

/** All that a task needs of Git, from its parent's uncommitted state to a removed worktree whose work is applied. */
async function wholeLife(on: Git, parent: ReturnType<typeof openRepository>, round: number) {
  const taskId = newTaskId()
  const child = openRepository(path.join(await temporaryDir(), 'child'))
  const branch = `child-${round}`
  await parent.write('a.txt', lines.replace('seven', `seven of ${round}`))
  await parent.write(`mine-${round}.txt`, `untracked ${round}\n`)
  const { commit: baseCommit } = await on.commitSnapshot(parent.dir)
  await on.createWorktree({ repoDir: parent.dir, path: child.dir, branch, from: baseCommit })
  await child.write('a.txt', lines.replace('one', `one of ${round}`))
  await child.write(`deep/er/new-${round}.txt`, `new ${round}\n`)
  await expect(on.diff({ dir: child.dir, baseCommit })).resolves.toMatchObject({ kind: 'diff' })
  const dir = await temporaryDir()
  const { finalCommit } = await on.savePatch({
    dir: child.dir,
    baseCommit,
    seriesPath: path.join(dir, 'series'),
    worktreePath: path.join(dir, 'worktree'),
  })
  await on.keepRef(child.dir, { taskId, commit: finalCommit, base: baseCommit })
  await on.removeWorktree({ repoDir: parent.dir, path: child.dir, branch })
  await parent.write('a.txt', lines.replace('four', `four of ${round}`))
  const merging = { targetDir: parent.dir, baseCommit, theirCommit: finalCommit }
  const answer = await on.mergeInto({ ...merging, updateId: newUpdateId(), write })
  // The task's base keeps the line of the parent, which the parent has changed since: either is an answer.
  expect(answer.kind).toBe('applied')
  return { taskId, finalCommit, baseCommit }
}

/** Git that deletes everything without a reference before each call. */
async function prunedBefore(dir: string): Promise<string> {
  const script = path.join(await temporaryDir(), 'git')
  const prune = `env -i PATH="$PATH" git -C '${dir}' gc --quiet --prune=now >/dev/null 2>&1`
  await writeFile(script, `#!/bin/sh\n${prune}\nexec git "$@"\n`)
  await chmod(script, 0o755)
  return script
}

it.skipIf(process.platform === 'win32')(
  '[R3] loses nothing when all that has no reference is deleted before each call of Git',
  async () => {
    const parent = await makeRepository({ 'a.txt': lines, 'b.txt': 'b\n' })
    const pruned = createGit({ env: testEnv, gitPath: await prunedBefore(parent.dir) })
    const { taskId, finalCommit } = await wholeLife(pruned, parent, 1)
    await expect(git.keptCommit(parent.dir, taskId)).resolves.toBe(finalCommit)
    expect(parent.git('fsck', '--strict', '--no-dangling')).toBe('')
  },
  120_000,
)

itInSoak(
  '[R3] loses nothing beside somebody who deletes all that has no reference, again and again',
  async () => {
    const parent = await makeRepository({ 'a.txt': lines, 'b.txt': 'b\n' })
    const pruning = startPruning(parent.dir)
    try {
      for (let round = 0; round < rounds; round++) {
        await wholeLife(git, parent, round)
        // Not ours to keep: Git's own commit loses its objects to a gc that runs beside it.
        await pruning.pausedFor(() => {
          parent.git('add', '--all')
          parent.git('commit', '--quiet', '-m', `Round ${round}`)
        })
      }
    } finally {
      await pruning.stop()
    }
    expect(pruning.times()).toBeGreaterThan(rounds)
    expect(parent.git('fsck', '--strict', '--no-dangling')).toBe('')
  },
  isSoak ? 1_200_000 : 120_000,
)

function startPruning(dir: string) {
  let times = 0
  let stopped = false
  const pauses: (() => void)[] = []
  const ended = (async () => {
    while (!stopped) {
      for (const work of pauses.splice(0)) work()
      const child = spawn('git', ['gc', '--quiet', '--prune=now'], {
        cwd: dir,
        env: testEnv,
        stdio: 'ignore',
      })
      await once(child, 'close')
      times++
    }
  })()
  return {
    times: () => times,
    /** Runs `work` between two of them. */
    pausedFor: (work: () => void) =>
      new Promise<void>((resolve, reject) => {
        pauses.push(() => {
          try {
            resolve(work())
          } catch (error) {
            reject(error)
          }
        })
      }),
    stop: async () => {
      stopped = true
      await ended
    },
  }
}

it('[R3] writes again what was in the repository when it looked, and was deleted then', async () => {
  const project = await makeRepository()
  await project.write('new.txt', 'new\n')
  // Git finds it there and writes it nowhere else.
  const id = project.git('hash-object', '-w', 'new.txt')
  const script = path.join(await temporaryDir(), 'git')
  const loose = path.join(project.dir, '.git/objects', id.slice(0, 2), id.slice(2))
  await writeFile(
    script,
    `#!/bin/sh\ncase " $* " in *" pack-objects "*) rm -f '${loose}';; esac\nexec git "$@"\n`,
  )
  await chmod(script, 0o755)
  const { commit } = await createGit({ env: testEnv, gitPath: script }).commitSnapshot(project.dir)
  expect(project.git('show', `${commit}:new.txt`)).toBe('new')
})

it('says plainly that objects are gone when they stay away', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  await project.write('staged.txt', 'staged\n')
  project.git('add', 'staged.txt')
  const id = project.git('rev-parse', ':staged.txt')
  const loose = path.join(project.dir, '.git/objects', id.slice(0, 2), id.slice(2))
  await project.remove(path.relative(project.dir, loose))
  await expect(git.commitSnapshot(project.dir)).rejects.toThrow(
    /^Git deleted objects of the repository while Shiplog needed them, or they are damaged\..*try again/,
  )
})

it('leaves no folder of its own, no mark on a pack and no second reference in the repository', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const left = path.join(project.dir, '.git/objects/shiplog-new-killed')
  const pack = path.join(project.dir, '.git/objects/pack')
  const ofOthers = path.join(pack, 'pack-1234.keep')
  const killed = path.join(pack, 'pack-5678.keep')
  await project.write('.git/objects/shiplog-new-killed/aa/bb', 'x')
  await project.write('.git/objects/pack/pack-1234.keep', 'mine\n')
  await project.write('.git/objects/pack/pack-5678.keep', 'shiplog: until a reference names it\n')
  const longAgo = new Date(Date.now() - 48 * 60 * 60 * 1000)
  for (const one of [left, ofOthers, killed]) await utimes(one, longAgo, longAgo)
  await project.write('new.txt', 'new\n')
  const { commit } = await git.commitSnapshot(project.dir)
  expect((await readdir(path.join(project.dir, '.git/objects'))).join(' ')).not.toContain('shiplog')
  expect((await readdir(pack)).filter((name) => name.endsWith('.keep'))).toEqual(['pack-1234.keep'])
  const refs = () => project.git('for-each-ref', '--format=%(refname)', 'refs/shiplog/')
  expect(refs()).toBe(`refs/shiplog/snapshots/${commit}`)
  const taskId = newTaskId()
  await git.keepRef(project.dir, { taskId, commit: commit, base: null })
  expect(refs()).toBe(`refs/shiplog/${taskId}`)
})

it('lets go of a snapshot that nothing needed for two weeks, and of no younger one, by a clock that can be trusted', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const hourMs = 60 * 60 * 1000
  const limitMs = 14 * 24 * hourMs
  const kept = (ageMs: number) => {
    const at = `${Math.floor((Date.now() - ageMs) / 1000)} +0000`
    const commit = execFileSync(
      'git',
      ['-c', 'user.name=x', '-c', 'user.email=x', 'commit-tree', 'HEAD^{tree}', '-m', `${ageMs}`],
      { cwd: project.dir, env: { ...testEnv, GIT_COMMITTER_DATE: at }, encoding: 'utf8' },
    ).trim()
    project.git('update-ref', `refs/shiplog/snapshots/${commit}`, commit)
    return commit
  }
  const older = kept(limitMs + hourMs)
  const younger = kept(limitMs - hourMs)
  await project.write('new.txt', 'one\n')
  const onWrongClock = createGit({ env: testEnv, isClockTrusted: () => false })
  const { commit: one } = await onWrongClock.commitSnapshot(project.dir)
  expect(project.git('for-each-ref', 'refs/shiplog/snapshots/')).toContain(older)
  project.git('update-ref', '-d', `refs/shiplog/snapshots/${one}`)

  await project.write('new.txt', 'new\n')
  const { commit } = await git.commitSnapshot(project.dir)
  const refs = project.git('for-each-ref', '--format=%(refname)', 'refs/shiplog/snapshots/')
  expect(refs).not.toContain(older)
  expect(refs.split('\n').sort()).toEqual(
    [younger, commit].map((id) => `refs/shiplog/snapshots/${id}`).sort(),
  )
})
