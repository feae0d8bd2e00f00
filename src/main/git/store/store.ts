/**
 * Shiplog's bare repository beside the user's: it receives Shiplog's new objects, and borrows those that the user's
 * repository already has. The lender is specified per call (GIT_ALTERNATE_OBJECT_DIRECTORIES) and not in
 * `objects/info/alternates`: when a repository is moved or deleted, only its own objects are lost, and no call fails
 * because of a stale path.
 */
import { lstatSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { line, type RunGit, withVariables } from '../command/run.ts'
import { exists } from '../repository/exists.ts'
import { commonDirOf } from '../repository/inspect.ts'
import { syncPaths } from '../worktree-files/durable.ts'

/** Git's automatic collection is off: it would delete borrowed objects that only a list refers to. */
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

/** Git opens these in each call, and would wait for ever at a named pipe in place of one. */
const neededFiles = ['HEAD', 'config']

/** The first of Git's own files that is not there, or no file; null: the store can be used. Absolute. */
export function damagedFile(store: string): string | null {
  for (const name of neededFiles) {
    const file = path.join(store, name)
    if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return file
  }
  return null
}

/**
 * Makes the store where it is not there yet, for objects of the repository that `dir` is in. Throws where something
 * else is in its place.
 */
export async function ensureStore(git: RunGit, store: string, dir: string): Promise<void> {
  const damaged = damagedFile(store)
  if (damaged === null) return
  if (await exists(store))
    throw new Error(`${damaged} is missing, or not a file: move ${store} away, then try again`)
  const answer = await git(['rev-parse', '--show-object-format'], { cwd: dir })
  const format = line(answer)
  const parent = path.dirname(store)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  // Made beside its place: after a kill there is a whole store or none.
  const made = await mkdtemp(path.join(parent, '.new-'))
  try {
    for (const folder of ['objects/info', 'objects/pack', 'refs/sessions', 'indexes'])
      await mkdir(path.join(made, folder), { recursive: true, mode: 0o700 })
    const isOld = format === 'sha1'
    const extension = isOld ? '' : `[extensions]\n\tobjectFormat = ${format}\n`
    const text = config.replace('FORMAT', isOld ? '0' : '1') + extension
    await writeFile(path.join(made, 'config'), text, { mode: 0o600 })
    // Never resolves: every reference of Shiplog's has another place.
    await writeFile(path.join(made, 'HEAD'), 'ref: refs/heads/none\n', { mode: 0o600 })
    await syncPaths(['config', 'HEAD', 'objects', 'refs', ''].map((name) => path.join(made, name)))
    await rename(made, store).catch(async (error) => {
      // Another call was faster.
      if (!isThere(store)) throw error
    })
    await syncPaths([parent, path.dirname(parent)])
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/** Git in a store. `borrowed`: object folders that it may read as well. */
export function inStore(git: RunGit, store: string, borrowed: readonly string[] = []): RunGit {
  return withVariables(git, { GIT_DIR: store, ...borrowing(borrowed) })
}

/** Git that also reads what the stores hold for the repository that `dir` is in. It must not write there. */
export function reading(git: RunGit, dir: string): RunGit {
  const stores = storesAt(git, dir)
  return stores.length === 0 ? git : withVariables(git, borrowing(stores.map(objectsIn)))
}

/** The stores for a folder that are there; the first is the one for new objects. */
export const storesAt = (git: RunGit, dir: string): string[] => git.storesOf(dir).filter(isThere)

export const isThere = (store: string): boolean => damagedFile(store) === null

/** The objects of the repository that `dir` is in; none when it was deleted. */
export async function objectsOfRepository(git: RunGit, dir: string): Promise<string[]> {
  const commonDir = await commonDirOf(git, dir).catch(() => null)
  return commonDir === null ? [] : [path.join(commonDir, 'objects')]
}

export function borrowing(objects: readonly string[]): Record<string, string> {
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.map(quoted).join(path.delimiter) }
}

/** In Git's syntax for lists of paths and `alternates`: quoted where a plain line would be misread. */
export function quoted(name: string): string {
  if (!/["\\\n\r:;#]/.test(name)) return name
  const escaped = name.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `"${escaped}"`
}

/** Which of these objects the store itself lacks, without what it borrows. */
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
