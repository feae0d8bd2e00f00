import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Git } from '../../../src/main/git/index.ts'
import { newTaskId, newUpdateId } from '../../../src/shared/records/ids.ts'
import type { Repository } from '../repository.ts'
import { write } from '../writing.ts'

export const writing = () => ({ updateId: newUpdateId(), write })

/** Everything that Shiplog asks of Git, on a project and on a worktree of it. */
export async function everyCall(git: Git, project: Repository): Promise<string[]> {
  const failed: string[] = []
  const attempt = async <Result>(name: string, call: () => Promise<Result>) => {
    try {
      return await call()
    } catch (error) {
      failed.push(`${name}: ${error}`)
      return null
    }
  }
  const { dir } = project
  const base = path.dirname(dir)
  await attempt('inspectProject', () => git.inspectProject(dir))
  await attempt('repositoryConfig', () => git.repositoryConfig(dir))
  const head = (await attempt('head', () => git.head(dir))) ?? project.git('rev-parse', 'main')
  await attempt('lacksObjects', () => git.lacksObjects({ dir, commit: head }))
  await attempt('listFiles', () => git.listFiles(dir, {}))
  await attempt('isClean', () => git.isClean(dir))
  await attempt('agentEnv', () => git.agentEnv(dir))
  await project.write('README.md', 'one\ntwo\nmine\n')
  await project.write('new.txt', 'new\n')
  const taken = await attempt('commitSnapshot', () => git.commitSnapshot(dir))
  const taskId = newTaskId()
  if (taken)
    await attempt('keepRef', () => git.keepRef(dir, { taskId, commit: taken.commit, base: null }))
  const worktree = path.join(base, 'worktree')
  const make = { repoDir: dir, path: worktree, branch: 'shiplog/a', from: head }
  await attempt('createWorktree', () => git.createWorktree(make))
  if (existsSync(worktree)) {
    await writeFile(path.join(worktree, 'README.md'), 'theirs\ntwo\nthree\n')
    await writeFile(path.join(worktree, 'other.txt'), 'other\n')
    await attempt('worktree listFiles', () => git.listFiles(worktree, {}))
    await attempt('worktree isClean', () => git.isClean(worktree))
    await attempt('diff', () => git.diff({ dir: worktree, baseCommit: head }))
    await attempt('submodulesWithWork', () => git.submodulesWithWork(worktree))
    await attempt('closedSubmodulesWithWork', () => git.closedSubmodulesWithWork(worktree))
    const files = { seriesPath: path.join(base, 'series'), worktreePath: path.join(base, 'patch') }
    const saved = await attempt('savePatch', () =>
      git.savePatch({ dir: worktree, baseCommit: head, ...files }),
    )
    await attempt('switchBranch', () => git.switchBranch({ dir: worktree, branch: 'main' }))
    const theirCommit = saved?.finalCommit
    if (theirCommit) {
      await git.keepRef(worktree, { taskId, commit: theirCommit, base: null })
      await attempt('treeDifferences', () =>
        git.treeDifferences({ dir, from: head, to: theirCommit }),
      )
      await attempt('commitsBetween', () =>
        git.commitsBetween({ dir, from: head, to: theirCommit, paths: [] }),
      )
      await attempt('committedBase', () => git.committedBase({ dir, commit: theirCommit }))
      await attempt('mergeInto', () =>
        git.mergeInto({ targetDir: dir, baseCommit: head, theirCommit, ...writing() }),
      )
      const { worktreePath } = files
      const patch = {
        targetDir: dir,
        baseCommit: head,
        seriesPath: null,
        worktreePath,
        ...writing(),
      }
      await attempt('mergePatchInto', () => git.mergePatchInto(patch))
      await attempt('rebaseSnapshot', () =>
        git.rebaseSnapshot({ repoDir: dir, head, final: theirCommit, onto: head }),
      )
    }
    await attempt('removeWorktree', () => git.removeWorktree({ repoDir: dir, path: worktree }))
    if (theirCommit)
      await attempt('restoreWorktree', () =>
        git.restoreWorktree({ ...make, head, final: theirCommit }),
      )
    if (existsSync(worktree)) {
      const address = path.join(base, 'server.git')
      project.git('init', '-q', '--bare', address)
      // The server asks for signed pushes.
      project.git('-C', address, 'config', 'receive.certNonceSeed', 'seed')
      await attempt('pushAddress', () => git.pushAddress(worktree))
      for (const args of [
        ['add', '--all'],
        ['commit', '--allow-empty', '--message=All of it'],
        ['push', address, 'HEAD:refs/heads/a'],
      ])
        await attempt(`runApproved ${args[0]}`, () =>
          git.runApproved(args, { cwd: worktree, usesNetwork: args[0] === 'push' }),
        )
    }
    await attempt('removeWorktree again', () =>
      git.removeWorktree({ repoDir: dir, path: worktree, branch: 'shiplog/a' }),
    )
  }
  await attempt('submodulesWithWork in the project', () => git.submodulesWithWork(dir))
  return failed
}
