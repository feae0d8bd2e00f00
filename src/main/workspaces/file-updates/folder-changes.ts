/** Creates, removes and syncs the folders of a working tree whose files are swapped. */
import { mkdir, rmdir } from 'node:fs/promises'
import { posix } from 'node:path'
import { syncDirectory, systemCode } from '../../journal/index.ts'
import { changeMode } from '../../open-folders/open-folders.ts'
import { type At, FolderReplacedError, type HeldRoot, inFolder } from './held-folders.ts'
import { ChangedMeanwhileError } from './replace-checked.ts'

export interface SwapContext {
  root: HeldRoot
  updateId: string
  /** Folders whose entries have changed, relative to the root. */
  touched: Set<string>
  /** Permissions of folders that the update deletes when they become empty. */
  dirModes: ReadonlyMap<string, number>
  swapped: Set<string>
  /** Called if a temporary name could not be deleted. */
  onNameLeft: () => void
}

/**
 * Runs `use` with the folder of a path, and with `create` creates it if it is missing. Throws ChangedMeanwhileError if
 * the folder was replaced.
 */
export async function inFolderOf(
  path: string,
  context: SwapContext,
  use: (at: At) => Promise<void>,
  { create = true } = {},
): Promise<void> {
  const dir = posix.dirname(path)
  let isFound = false
  try {
    await inFolder(context.root, dir, (at) => {
      isFound = true
      return use(at)
    }).catch(async (error) => {
      if (!create || isFound || !isMissingFolder(error)) throw error
      await makeDirs(dir, context)
      await inFolder(context.root, dir, use)
    })
  } catch (error) {
    throw error instanceof FolderReplacedError ? new ChangedMeanwhileError(path) : error
  }
}

const isMissingFolder = (error: unknown): boolean =>
  error instanceof FolderReplacedError && error.code === 'ENOENT'

/** Deletes folders that become empty, as Git does, also above those that a killed process had deleted. */
export async function removeEmptiedParents(path: string, context: SwapContext): Promise<void> {
  for (let dir = posix.dirname(path); dir !== '.'; dir = posix.dirname(dir))
    if ((await removeEmptied(dir, context)) === 'there') return
}

async function makeDirs(wanted: string, { root, touched, dirModes }: SwapContext): Promise<void> {
  let dir = '.'
  for (const name of wanted.split('/')) {
    const parent = dir
    dir = posix.join(dir, name)
    const mode = dirModes.get(dir)
    await inFolder(root, parent, async (at) => {
      const made = await mkdir(at(name), mode).then(
        () => true,
        (error) => {
          if (systemCode(error) !== 'EEXIST') throw error
          return false
        },
      )
      if (!made) return
      touched.add(parent)
      // The umask of this process must not narrow them.
      if (mode !== undefined) await changeMode(at(name), mode)
    })
  }
}

/** Deletes a folder if it is empty; `there` if it is not, or can't be deleted. */
export async function removeEmptied(
  dir: string,
  { root, touched }: SwapContext,
): Promise<'gone' | 'there'> {
  const parent = posix.dirname(dir)
  try {
    await inFolder(root, parent, (at) => rmdir(at(posix.basename(dir))))
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'gone' : 'there'
  }
  touched.add(parent)
  return 'gone'
}

export async function syncAll(root: HeldRoot, dirs: ReadonlySet<string>): Promise<void> {
  for (const dir of dirs)
    await inFolder(root, dir, (at) => syncDirectory(at('.'))).catch((error) => {
      // The folder was removed after its entries changed.
      if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error))) throw error
    })
}
