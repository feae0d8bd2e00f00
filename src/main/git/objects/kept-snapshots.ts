/** References that keep snapshots until something lasting names them: a branch, or a task's hidden reference. */
import { diffTree, readRaw, submoduleMode } from '../changes.ts'
import { fields, line, type RunGit } from '../run.ts'
import type { Quarantine } from './quarantine.ts'

const place = 'refs/shiplog/snapshots/'
/** As long as Git keeps what nothing refers to, unless it is told otherwise. */
const keptForMs = 14 * 24 * 60 * 60 * 1000

interface NewCommit {
  dir: string
  commit: string
  tree: string
  /** Its parent, whose objects something else keeps; null: it has none. */
  since: string | null
}

/** Moves a snapshot into the repository. `git`: writes there. */
export async function keepSnapshot(
  git: RunGit,
  quarantine: Quarantine,
  { dir, commit, tree, since }: NewCommit,
): Promise<void> {
  const added = await newIds(quarantine.git, { dir, tree, since })
  const ids = [...new Set([commit, tree, ...added])]
  await quarantine.keep({ ref: place + commit, commit, ids })
  await dropOld(git, dir)
}

async function newIds(
  git: RunGit,
  { dir, tree, since }: Omit<NewCommit, 'commit'>,
): Promise<string[]> {
  if (since === null) {
    const { stdout } = await git(['ls-tree', '-r', '-t', '-z', tree], { cwd: dir })
    return fields(stdout).flatMap((entry) => {
      const [mode, , id = ''] = entry.split(/[ \t]/, 3)
      return mode === submoduleMode ? [] : [id]
    })
  }
  const args = [...diffTree, '-t', '--no-renames', '--raw', '-z', since, tree]
  const { changes } = readRaw(fields((await git(args, { cwd: dir })).stdout))
  return changes.flatMap(({ status, newMode, newId }) =>
    status === 'D' || newMode === submoduleMode ? [] : [newId],
  )
}

/** Something else refers to the commit now. No error when nothing was kept for it. */
export async function releaseSnapshot(git: RunGit, dir: string, commit: string): Promise<void> {
  await git(['update-ref', '-d', place + commit], { cwd: dir })
}

async function dropOld(git: RunGit, dir: string): Promise<void> {
  const listed = await git(['for-each-ref', '--format=%(committerdate:unix) %(refname)', place], {
    cwd: dir,
  })
  for (const text of line(listed).split('\n')) {
    const [seconds = '', name] = text.split(' ')
    if (name && Date.now() - Number(seconds) * 1000 > keptForMs)
      await git(['update-ref', '-d', name], { cwd: dir })
  }
}
