/** Copies objects between the user's repository and one of Shiplog's stores. */
import { diffTree, readRaw, submoduleMode } from '../changes/tree-changes.ts'
import { GitError } from '../command/errors.ts'
import { fields, line, type RunGit } from '../command/run-git.ts'
import { resolveCommit } from '../repository/commits.ts'
import { retryIfPruned, withQuarantine } from '../snapshots/quarantine.ts'
import { missingIn, objectsOfRepository, reading } from './store.ts'

/** An agent that checked out another branch may have a long history that is not its work. */
const commitsMax = 5000

interface Work {
  /** In a working tree of the repository. */
  dir: string
  /** The last commit. */
  tip: string
  /** Its base commit; null if unknown. */
  base: string | null
  /** A commit of the user's history that it descends from. */
  since: string | null
}

/**
 * Returns all objects of a task's work: its commits, the folders of its first and last state, and
 * both contents of each changed file, even if the repository has them in its own history. `git`
 * must be able to read all of these.
 */
export async function objectsOfWork(git: RunGit, work: Work): Promise<string[]> {
  const { dir, tip, base, since } = work
  const states = [...new Set([tip, ...(base === null ? [] : [base])])]
  const from = since ?? base
  const ids = new Set(await commitsAndMore(git, { dir, states, since }))
  const named = states.map((state) => `${state}^{tree}`)
  const trees = line(await git(['rev-parse', ...named], { cwd: dir })).split('\n')
  for (const tree of trees) for (const id of await foldersOf(git, { dir, tree })) ids.add(id)
  if (from === null || from === tip) return [...ids]
  const { before, after } = await contentsBetween(git, { dir, from, to: tip })
  return [...new Set([...ids, ...before, ...after])]
}

/**
 * Copies the commits from `base` to `tip` into the store, with their files, because a branch can be
 * deleted. With more than `commitsMax`, or without a base, copies only the tip. Does nothing if the
 * store has it.
 */
export async function keepCommits(
  git: RunGit,
  store: string,
  { dir, base, tip, ref }: { dir: string; base: string | null; tip: string; ref: string },
): Promise<void> {
  await retryIfPruned(async () => {
    const isKept = (await missingIn(git, store, [tip])).length === 0
    const ids = isKept ? [] : await commitsFrom(git, { dir, base, tip })
    await withQuarantine(reading(git, dir), dir, (quarantine) =>
      quarantine.keep({ ref: `refs/${ref}`, commit: tip, ids }),
    )
  })
}

async function commitsFrom(
  git: RunGit,
  { dir, base, tip }: { dir: string; base: string | null; tip: string },
): Promise<string[]> {
  return base === null ? [tip] : commitsAndMore(git, { dir, states: [tip], since: base })
}

async function commitsAndMore(
  git: RunGit,
  { dir, states, since }: { dir: string; states: string[]; since: string | null },
): Promise<string[]> {
  const range = [...states, ...(since === null ? [] : [`^${since}`])]
  const counted = await git(['rev-list', '--count', `--max-count=${commitsMax + 1}`, ...range], {
    cwd: dir,
  })
  if (Number(line(counted)) > commitsMax) return states
  const listed = await git(['rev-list', '--objects', '--no-object-names', ...range], { cwd: dir })
  return [...states, ...line(listed).split('\n').filter(Boolean)]
}

/** Returns every folder of a tree, the root included. */
export async function foldersOf(
  git: RunGit,
  { dir, tree }: { dir: string; tree: string },
): Promise<string[]> {
  const args = ['ls-tree', '-d', '-r', '-t', '-z', '--full-tree', tree]
  const below = fields((await git(args, { cwd: dir })).stdout).flatMap((entry) => {
    const [mode, , id = ''] = entry.split(/[ \t]/, 3)
    return mode === submoduleMode ? [] : [id]
  })
  return [tree, ...below]
}

/** Returns the ids of the changed contents; a submodule has none. */
export async function contentsBetween(
  git: RunGit,
  { dir, from, to }: { dir: string; from: string; to: string },
): Promise<{ before: string[]; after: string[] }> {
  const args = [...diffTree, '--no-renames', '--raw', '-z', from, to]
  const { changes } = readRaw(fields((await git(args, { cwd: dir })).stdout))
  return {
    before: changes.flatMap(({ oldMode, oldId }) => (isContent(oldMode) ? [oldId] : [])),
    after: changes.flatMap(({ newMode, newId }) => (isContent(newMode) ? [newId] : [])),
  }
}

const isContent = (mode: string): boolean => mode !== submoduleMode && mode !== '000000'

/**
 * Copies a commit from the store into the repository, because a branch or worktree is about to
 * refer to it. Throws GitError if no object database has it. The copy is unreferenced, so the
 * caller must write its reference at once.
 */
export async function copyIntoRepository(
  git: RunGit,
  repoDir: string,
  commit: string,
): Promise<void> {
  // Not `reading`, because the repository itself must have it.
  if ((await resolveCommit(git, repoDir, commit)) !== null) return
  const all = reading(git, repoDir)
  if ((await objectsOfRepository(git, repoDir)).length === 0) return
  if ((await resolveCommit(all, repoDir, commit)) === null)
    throw new GitError(['rev-parse', commit], 1, `fatal: there is no commit ${commit}`)
  const copy = () =>
    withQuarantine(
      all,
      repoDir,
      async (quarantine) => {
        const range = [commit, '--not', '--all']
        const listed = await quarantine.git(
          ['rev-list', '--objects', '--no-object-names', ...range],
          { cwd: repoDir },
        )
        const ids = line(listed).split('\n').filter(Boolean)
        await quarantine.keep({ ref: `refs/shiplog/snapshots/${commit}`, commit, ids })
      },
      { into: 'repository' },
    )
  await retryIfPruned(copy)
}
