/**
 * References that keep snapshots until a lasting reference exists: a branch, or a task's own
 * reference.
 */
import { dayMs } from '../../../shared/durations.ts'
import { diffTree, readRaw, submoduleMode } from '../changes/tree-changes.ts'
import { fields, line, type RunGit } from '../command/run-git.ts'
import { lacksReference, lacksReferenceIn } from '../repository/git-dir.ts'
import { protectTree } from '../store/collect.ts'
import { foldersOf } from '../store/copy.ts'
import { inStore, storesAt } from '../store/store.ts'
import type { Quarantine } from './quarantine.ts'

const place = 'refs/shiplog/snapshots/'
/** Git's default grace period for unreferenced objects. */
const keptForMs = 14 * dayMs

interface NewTree {
  dir: string
  tree: string
  /** A commit whose objects another reference keeps; null if there is none. */
  since: string | null
}

/**
 * Moves a snapshot into the store or repository of the quarantine. `ref` is the lasting reference,
 * if any; otherwise a temporary one is created. Throws GitError.
 */
export async function keepSnapshot(
  git: RunGit,
  quarantine: Quarantine,
  { commit, ref, ...tree }: NewTree & { commit: string; ref?: string | undefined },
): Promise<void> {
  const ids = [commit, ...(await newIds(quarantine, tree))]
  await quarantine.keep({ ref: ref ?? place + commit, commit, ids })
  if (ref !== undefined || !git.isClockTrusted()) return
  const { store } = quarantine
  await (store === null ? dropOld(git, tree.dir) : dropOld(inStore(git, store), store))
}

/** Makes a tree readable without leaving a reference. */
export async function storeTreeUnreferenced(quarantine: Quarantine, tree: NewTree): Promise<void> {
  await quarantine.storeUnreferenced(await newIds(quarantine, tree))
  if (quarantine.store !== null) protectTree(quarantine.store, tree.tree)
}

async function newIds({ git, store }: Quarantine, tree: NewTree): Promise<string[]> {
  // The store's trees must be readable even after the repository that it borrows from was deleted.
  const folders = store === null ? [] : await foldersOf(git, tree)
  return [...new Set([tree.tree, ...folders, ...(await idsBelow(git, tree))])]
}

async function idsBelow(git: RunGit, { dir, tree, since }: NewTree): Promise<string[]> {
  if (since === null) {
    const { stdout } = await git(['ls-tree', '-r', '-t', '-z', '--full-tree', tree], { cwd: dir })
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

/** Removes the temporary reference, because another one exists now. A missing one is no error. */
export async function releaseSnapshot(git: RunGit, dir: string, commit: string): Promise<void> {
  const ref = place + commit
  if (!lacksReference(dir, ref)) await git(['update-ref', '--no-deref', '-d', ref], { cwd: dir })
  for (const store of storesAt(git, dir))
    if (!lacksReferenceIn(store, ref))
      await inStore(git, store)(['update-ref', '--no-deref', '-d', ref], { cwd: store })
}

/** Returns the equivalent line for `git update-ref --stdin`. */
export const releasing = (commit: string): string => `delete ${place}${commit}\n`

/**
 * When old references were last searched for, by folder: they expire after two weeks, so once a day
 * is enough.
 */
const lastPrunedAtMs = new Map<string, number>()

async function dropOld(git: RunGit, dir: string): Promise<void> {
  const lastMs = lastPrunedAtMs.get(dir) ?? Number.NEGATIVE_INFINITY
  if (Math.abs(Date.now() - lastMs) < dayMs) return
  lastPrunedAtMs.set(dir, Date.now())
  const listed = await git(['for-each-ref', '--format=%(committerdate:unix) %(refname)', place], {
    cwd: dir,
  })
  for (const text of line(listed).split('\n')) {
    const [seconds = '', name] = text.split(' ')
    if (name && Date.now() - Number(seconds) * 1000 > keptForMs)
      await git(['update-ref', '--no-deref', '-d', name], { cwd: dir })
  }
}
