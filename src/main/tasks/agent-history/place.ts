/** Locates and reads a project's history without following symbolic links. */
import { lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectPlanning } from '../../../shared/contract/projects.ts'
import { refused } from '../../../shared/failure.ts'
import { openDataFile, removeDurable, syncDirectory, systemCode } from '../../journal/index.ts'
import { historyFile, pointerFile } from './format.ts'

const planningDir = '.planning'

/** Ten thousand entries with long lists are smaller. A longer file is not Shiplog's and is not read into memory. */
export const historyBytesMax = 64 * 1024 * 1024
/** An id and a line end are shorter. */
export const pointerBytesMax = 4 * 1024

type PlanningFolder =
  | { kind: 'found'; dir: string }
  | { kind: 'none' }
  /** The existing entry would redirect Shiplog's writes elsewhere (A3). */
  | { kind: 'refused'; reason: string }

/** Finds the project's `.planning/` folder. */
export async function findPlanningFolder(projectDir: string): Promise<PlanningFolder> {
  const dir = join(projectDir, planningDir)
  try {
    const found = await lstat(dir)
    if (found.isSymbolicLink()) return { kind: 'refused', reason: `${dir} is a symbolic link` }
    return found.isDirectory() ? { kind: 'found', dir } : { kind: 'none' }
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return { kind: 'none' }
    return { kind: 'refused', reason: String(error) }
  }
}

export async function planningOf(projectDir: string): Promise<ProjectPlanning> {
  const dir = join(projectDir, planningDir)
  const { kind } = await findPlanningFolder(projectDir)
  if (kind !== 'none') return { dir, state: kind === 'found' ? 'used' : 'unusable' }
  // A file of that name: no folder can be made there.
  const isThere = await lstat(dir).then(
    () => true,
    () => false,
  )
  return { dir, state: isThere ? 'unusable' : 'missing' }
}

/** Does nothing if it exists. Throws FailureError if it can't be created. */
export async function makePlanningFolder(projectDir: string): Promise<void> {
  const found = await findPlanningFolder(projectDir)
  const dir = join(projectDir, planningDir)
  if (found.kind === 'refused') return refused('no-planning-folder', `${found.reason}.`)
  if (found.kind === 'found') return
  try {
    await mkdir(dir)
    await syncDirectory(projectDir)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    refused('no-planning-folder', `${dir} can't be created: ${(error as Error).message}.`)
  }
}

type TextRead = { kind: 'ok'; text: string } | { kind: 'missing' } | { kind: 'too-long' }

/** Throws the disk's error, and like `openDataFile` for an entry that is no file. */
export async function readText(file: string, bytesMax: number): Promise<TextRead> {
  try {
    const handle = await openDataFile(file, 'read')
    try {
      if ((await handle.stat()).size > bytesMax) return { kind: 'too-long' }
      return { kind: 'ok', text: await handle.readFile('utf8') }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { kind: 'missing' }
    throw error
  }
}

const ownTemporary = new RegExp(
  `^(?:${historyFile}|${pointerFile})\\.[0-9a-f-]{36}\\.tmp$`.replaceAll('.json', '\\.json'),
)

/** Removes the temporary files of a process that died while writing, because they may be in the user's folder. */
export async function removeLeftovers(dir: string, startedAtMs: number): Promise<void> {
  for (const name of await readdir(dir)) {
    if (!ownTemporary.test(name)) continue
    const path = join(dir, name)
    // Another data directory's Shiplog may be writing this very moment.
    if ((await lstat(path)).mtimeMs < startedAtMs) await removeDurable(path)
  }
}
