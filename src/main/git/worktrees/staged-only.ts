/** Finds the contents that only the index of a worktree names. */
import { submoduleMode } from '../changes/tree-changes.ts'
import { line, notIntoSubmodules, type RunGit } from '../command/run-git.ts'
import { inFolder, type OwnFolder, orNull, type SavedWork } from './own-folder.ts'

export interface Staged {
  mode: string
  id: string
  /** In Latin-1, because a name need not be UTF-8. */
  path: string
  /** Null: no conflict. */
  side: 'ours' | 'theirs' | null
}

/** A list of steps may name any number. */
const comparedMax = 20

/**
 * Returns the staged contents that are neither in HEAD nor in the saved files, and both sides of each conflict that are
 * in none of these and in none of the commits that the operation names. Git writes both into a text, but only one of two
 * binary files, and the other may be the user's uncommitted one (`git checkout -m`).
 */
export async function stagedOnly(
  git: RunGit,
  folder: OwnFolder,
  saved: Pick<SavedWork, 'headCommit' | 'finalCommit'> & { named: string[] },
): Promise<Staged[]> {
  const { repoDir } = folder
  const own = inFolder(git, folder)
  const only = [
    ...(await changedOnly(own, folder, saved)),
    ...(await conflictsOnly(own, folder, saved)),
  ]
  if (only.length === 0) return []
  const input = only.map(({ id }) => `${id}\n`).join('')
  const checked = await own(['cat-file', '--batch-check'], { cwd: repoDir, input })
  // An index may name objects that do not exist.
  const answers = line(checked).split('\n')
  return only.filter((_, at) => answers[at]?.includes(' blob '))
}

async function changedOnly(
  own: RunGit,
  { repoDir }: OwnFolder,
  { headCommit, finalCommit }: Pick<SavedWork, 'headCommit' | 'finalCommit'>,
): Promise<Staged[]> {
  const changedFrom = async (commit: string) => {
    const args = ['diff-index', '--cached', '--raw', '--no-renames', '--full-index', '-z']
    const listed = await own([...args, ...notIntoSubmodules, commit, '--'], { cwd: repoDir })
    return stagedIn(listed.stdout.toString('latin1'))
  }
  // No index, or one that Git can't read any more.
  const notInFiles = (await orNull(changedFrom(finalCommit ?? 'HEAD'))) ?? []
  if (notInFiles.length === 0) return []
  const notInHead = headCommit === null ? notInFiles : await changedFrom(headCommit)
  const names = new Set(notInHead.map((one) => one.path))
  return notInFiles.filter((one) => names.has(one.path))
}

/** Reads `:<old mode> <mode> <old id> <id> <status>`, NUL, the path, NUL. Deleted and unmerged entries have no content. */
function stagedIn(raw: string): Staged[] {
  const parts = raw.split('\0')
  const found: Staged[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = '', , id = ''] = (parts[at] ?? '').split(' ')
    const path = parts[at + 1] ?? ''
    if (!/^0+$/.test(id) && mode !== submoduleMode) found.push({ mode, id, path, side: null })
  }
  return found
}

async function conflictsOnly(
  own: RunGit,
  { repoDir }: OwnFolder,
  { headCommit, finalCommit, named }: Parameters<typeof stagedOnly>[2],
): Promise<Staged[]> {
  const listed = await orNull(own(['ls-files', '--unmerged', '-z'], { cwd: repoDir }))
  const sides = sidesIn(listed?.stdout.toString('latin1') ?? '')
  if (sides.length === 0) return []
  // A revert goes to the parent of the commit that it names.
  const others = named.slice(0, comparedMax).flatMap((id) => [id, `${id}^`])
  const commits = [headCommit ?? 'HEAD', ...(finalCommit === null ? [] : [finalCommit]), ...others]
  // A name with a newline would be two lines.
  const compared = sides.filter(({ path }) => !path.includes('\n'))
  const places = commits.flatMap((commit) => compared.map(({ path }) => `${commit}:${path}\n`))
  const input = Buffer.from(places.join(''), 'latin1')
  const args = ['cat-file', '--batch-check']
  const answers = await orNull(own(args, { cwd: repoDir, input }))
  const known = new Set(
    (answers?.stdout.toString('latin1') ?? '')
      .split('\n')
      .flatMap((answer) => /^([0-9a-f]+) blob /.exec(answer)?.[1] ?? []),
  )
  return sides.filter(({ id }) => !known.has(id))
}

/** Reads `<mode> <id> <stage>`, a tab, the path, NUL. The first stage is what both sides come from. */
function sidesIn(listed: string): Staged[] {
  return listed.split('\0').flatMap((entry): Staged[] => {
    const [, mode = '', id = '', stage, path = ''] =
      /^(\d+) ([0-9a-f]+) ([23])\t(.*)$/s.exec(entry) ?? []
    if (!stage || mode === submoduleMode) return []
    return [{ mode, id, path, side: stage === '2' ? 'ours' : 'theirs' }]
  })
}
