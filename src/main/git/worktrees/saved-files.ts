/**
 * Compares the files of a former worktree with a commit, after Git has removed its registration.
 */

import { lstat } from 'node:fs/promises'
import { submoduleMode, symlinkMode } from '../changes/tree-changes.ts'
import type { RunGit } from '../command/run-git.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { withScratchDir } from '../snapshots/scratch-dir.ts'
import { mapConcurrently } from '../update/map-concurrently.ts'
import { findLossy } from './converted-files.ts'

interface FilesInCommit {
  /** Every file of the commit. Paths are bytes relative to the folder, with `/`: a name need not be UTF-8. */
  all: Buffer[]
  /** Those that exist in the folder with the commit's mode, and with the content that a checkout of it gives. */
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
  return withScratchDir(git, async (scratchDir) => {
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
    const entries = splitNul(listed.stdout).map((entry) => ({
      // `<mode> <id> <stage>`, a tab and the name.
      mode: entry.toString('latin1', 0, 6),
      id: entry.toString('latin1', 7, entry.indexOf(0x20, 7)),
      name: entry.subarray(entry.indexOf(0x09) + 1),
    }))
    const files = entries.filter(({ mode }) => mode !== submoduleMode)
    const same = files.filter(({ name }) => !differs.has(name.toString('latin1')))
    // Git does not list files that it can't access, but prints a warning.
    const visible = differing.stderr === '' ? same : await visibleIn(dir, same)
    const compared = { dir, scratchDir, here, run }
    const regular = visible.filter(({ mode }) => mode !== symlinkMode)
    const lossy = await findLossy(git, compared, regular)
    const saved = visible.filter(({ name }) => !lossy.has(name.toString('latin1')))
    return { all: files.map(({ name }) => name), saved: saved.map(({ name }) => name) }
  })
}

async function visibleIn<File extends { name: Buffer }>(
  dir: string,
  files: readonly File[],
): Promise<File[]> {
  const seen = await mapConcurrently(files, (file) =>
    lstat(Buffer.concat([Buffer.from(`${dir}/`), file.name])).then(
      () => [file],
      () => [],
    ),
  )
  return seen.flat()
}

function splitNul(data: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let start = 0; start < data.length; ) {
    const end = data.indexOf(0, start)
    parts.push(data.subarray(start, end))
    start = end + 1
  }
  return parts
}
