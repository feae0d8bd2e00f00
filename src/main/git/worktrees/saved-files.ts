/**
 * Compares the files of a former worktree with a commit, after Git has removed its registration.
 */

import { lstat } from 'node:fs/promises'
import type { RunGit } from '../command/run-git.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { withScratchDir } from '../snapshots/scratch-dir.ts'
import { mapAtOnce } from '../update/at-once.ts'

interface FilesInCommit {
  /** Every file of the commit. Paths are bytes relative to the folder, with `/`: a name need not be UTF-8. */
  all: Buffer[]
  /** Those that exist in the folder with the commit's content and mode. */
  saved: Buffer[]
}

/**
 * Returns null if the repository was deleted or does not have the commit. Reads every file: an
 * existing index could contain flags (skip-worktree, assume-unchanged) that hide a change.
 * Submodules are left out.
 */
export async function filesInCommit(
  git: RunGit,
  input: { repoDir: string; dir: string; commit: string; signal?: AbortSignal | undefined },
): Promise<FilesInCommit | null> {
  const { repoDir, dir, commit, signal } = input
  const commonDir = await commonDirOf(git, repoDir, { signal })
  if (commonDir === null) return null
  return withScratchDir(async (scratchDir) => {
    const run = { cwd: dir, env: { GIT_INDEX_FILE: `${scratchDir}/index` }, signal }
    const here = [
      ...['--git-dir', commonDir, '--work-tree', dir],
      // Either setting would flag entries of the new index, and Git would not read their files.
      ...['-c', 'core.sparseCheckout=false', '-c', 'core.ignoreStat=false'],
    ]
    const read = await git([...here, 'read-tree', '--no-sparse-checkout', commit], {
      ...run,
      okExitCodes: [0, 128],
    })
    if (read.exitCode !== 0) return null
    // Exit code 1: some files differ.
    await git([...here, 'update-index', '-q', '--really-refresh'], { ...run, okExitCodes: [0, 1] })
    const listed = await git([...here, 'ls-files', '--stage', '-z'], run)
    const differing = await git(
      [...here, 'diff-files', '-z', '--name-only', '--ignore-submodules=all'],
      run,
    )
    const differs = new Set(splitNul(differing.stdout).map((name) => name.toString('latin1')))
    const all = splitNul(listed.stdout)
      .filter((entry) => !entry.subarray(0, 6).equals(submoduleMode))
      .map((entry) => entry.subarray(entry.indexOf(0x09) + 1))
    const same = all.filter((name) => !differs.has(name.toString('latin1')))
    // Git does not list files that it can't access, but prints a warning.
    const saved = differing.stderr === '' ? same : await visibleIn(dir, same)
    return { all, saved }
  })
}

async function visibleIn(dir: string, names: Buffer[]): Promise<Buffer[]> {
  const seen = await mapAtOnce(names, (name) =>
    lstat(Buffer.concat([Buffer.from(`${dir}/`), name])).then(
      () => [name],
      () => [],
    ),
  )
  return seen.flat()
}

const submoduleMode = Buffer.from('160000')

function splitNul(data: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let start = 0; start < data.length; ) {
    const end = data.indexOf(0, start)
    parts.push(data.subarray(start, end))
    start = end + 1
  }
  return parts
}
