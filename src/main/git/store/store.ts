/**
 * Shiplog's bare repository beside the user's: it receives Shiplog's new objects, and borrows those
 * that the user's repository already has. The lender is passed with each call
 * (GIT_ALTERNATE_OBJECT_DIRECTORIES) and not stored in `objects/info/alternates`: if a repository
 * is moved or deleted, only its own objects are lost, and no call fails because of a stale path.
 */
import { lstatSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { line, type RunGit, withVariables } from '../command/run-git.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { exists } from '../repository/file-facts.ts'
import { syncPaths } from '../worktree-files/durable.ts'

/**
 * Git's automatic collection is disabled: it would delete borrowed objects that only a list refers
 * to.
 */
const config = `[core]
	repositoryformatversion = FORMAT
	bare = true
	logAllRefUpdates = false
	sharedRepository = 0600
[gc]
	auto = 0
[maintenance]
	auto = false
[receive]
	denyCurrentBranch = refuse
`

export const objectsIn = (store: string): string => path.join(store, 'objects')

/** Git opens these in each call, and would block forever on a named pipe in their place. */
const neededFiles = ['HEAD', 'config']

/**
 * Returns the first of Git's own files that is missing or not a file; null if the store is usable.
 * Absolute.
 */
export function damagedFile(store: string): string | null {
  for (const name of neededFiles) {
    const file = path.join(store, name)
    if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return file
  }
  return null
}

/**
 * Creates the store if it is missing, for objects of the repository that contains `dir`. Throws if
 * anything else is in its place.
 */
export async function ensureStore(git: RunGit, store: string, dir: string): Promise<void> {
  const damaged = damagedFile(store)
  if (damaged === null) return
  if (exists(store))
    throw new Error(`${damaged} is missing, or not a file: move ${store} away, then try again`)
  const answer = await git(['rev-parse', '--show-object-format'], { cwd: dir })
  const format = line(answer)
  const parent = path.dirname(store)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  // Created under a temporary name, so that a kill leaves a complete store or none.
  const made = await mkdtemp(path.join(parent, '.new-'))
  try {
    for (const folder of ['objects/info', 'objects/pack', 'refs/sessions', 'indexes'])
      await mkdir(path.join(made, folder), { recursive: true, mode: 0o700 })
    const isOld = format === 'sha1'
    const extension = isOld ? '' : `[extensions]\n\tobjectFormat = ${format}\n`
    const text = config.replace('FORMAT', isOld ? '0' : '1') + extension
    await writeFile(path.join(made, 'config'), text, { mode: 0o600 })
    // Never resolves: Shiplog's references have other names.
    await writeFile(path.join(made, 'HEAD'), 'ref: refs/heads/none\n', { mode: 0o600 })
    await syncPaths(['config', 'HEAD', 'objects', 'refs', ''].map((name) => path.join(made, name)))
    await rename(made, store).catch(async (error) => {
      // Another call created it first.
      if (!isThere(store)) throw error
    })
    await syncPaths([parent, path.dirname(parent)])
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/** Returns a `git` that runs in a store. `borrowed` are object folders that it may also read. */
export function inStore(git: RunGit, store: string, borrowed: readonly string[] = []): RunGit {
  return withVariables(git, { GIT_DIR: store, ...borrowing(borrowed) })
}

/**
 * Returns a `git` that also reads the stores of the repository that contains `dir`. It must not
 * write there.
 */
export function reading(git: RunGit, dir: string): RunGit {
  const stores = storesAt(git, dir)
  return stores.length === 0 ? git : withVariables(git, borrowing(stores.map(objectsIn)))
}

/** Returns the existing stores for a folder; the first is the one for new objects. */
export const storesAt = (git: RunGit, dir: string): string[] => git.storesOf(dir).filter(isThere)

export const isThere = (store: string): boolean => damagedFile(store) === null

/** Returns the object folders of the repository that contains `dir`; none if it was deleted. */
export async function objectsOfRepository(git: RunGit, dir: string): Promise<string[]> {
  const commonDir = await commonDirOf(git, dir).catch(() => null)
  return commonDir === null ? [] : [path.join(commonDir, 'objects')]
}

export function borrowing(objects: readonly string[]): Record<string, string> {
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.map(quoted).join(path.delimiter) }
}

/** Quotes a path for Git's path lists and `alternates`, if a plain line would be misread. */
export function quoted(name: string): string {
  if (!/["\\\n\r:;#]/.test(name)) return name
  const escaped = name.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `"${escaped}"`
}

/** Returns those of the objects that the store itself lacks, without borrowed ones. */
export async function missingIn(
  git: RunGit,
  store: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const input = ids.map((id) => `${id}\n`).join('')
  const checked = await inStore(git, store)(['cat-file', '--batch-check'], { cwd: store, input })
  const answers = checked.stdout.toString().split('\n')
  return ids.filter((_, at) => answers[at]?.endsWith(' missing'))
}
