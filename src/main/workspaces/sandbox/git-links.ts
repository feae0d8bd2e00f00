/**
 * Finds and removes symbolic links in the parts of a repository that a sandboxed command may write. Git creates none
 * there, but follows them: the reflog of a branch, appended to by a Git outside of the sandbox, may be any file. Names are
 * bytes, and folders are made readable: a command chooses both, and Git follows the links nevertheless.
 */
import { chmod, readdir, readlink, realpath, stat, unlink } from 'node:fs/promises'
import { rawJoin, systemCode } from '../../journal/index.ts'
import { entryIn } from '../../open-folders/open-folders.ts'
import { type VisitedFolder, walkFolders } from '../../open-folders/walk-folders.ts'

/** The bytes of absolute paths, one character each, with those of their targets, as written. */
type Links = ReadonlyMap<string, string>

/** Absolute paths of the folders of a repository that a command may write. */
export interface WritableGitFolders {
  /** `refs`, `logs` and the worktree's own: searched whole. */
  whole: readonly string[]
  /** `objects`: it has thousands of files, and only its folders can be followed. */
  objects: string
}

interface FoundLink {
  /** Absolute. */
  path: Buffer
  target: Buffer
  /** A path that leads to it during the call, whatever becomes of the folders above it. */
  held: Buffer
}

export async function linksIn(folders: WritableGitFolders): Promise<Links> {
  const found = new Map<string, string>()
  await eachLink(folders, { opens: false }, async ({ path, target }) => {
    found.set(path.toString('latin1'), target.toString('latin1'))
  })
  return found
}

/** Removes the links that were not there `before`. Resolves with their paths. */
export async function removeNewLinks(
  folders: WritableGitFolders,
  before: Links,
): Promise<string[]> {
  const removed: string[] = []
  await eachLink(folders, { opens: true }, async ({ path, target, held }) => {
    if (before.get(path.toString('latin1')) === target.toString('latin1')) return
    await unlink(held).catch(unlessMissing)
    removed.push(path.toString())
  })
  return removed
}

/** `opens`: makes the folders readable and writable for their owner. */
async function eachLink(
  { whole, objects }: WritableGitFolders,
  { opens }: { opens: boolean },
  onLink: (link: FoundLink) => Promise<void>,
): Promise<void> {
  for (const folder of whole) await eachBelow(folder, { opens, isEntered: () => true }, onLink)
  const isEntered = (below: string) => below === 'info' || below === 'pack'
  await eachBelow(objects, { opens, isEntered }, onLink)
}

async function eachBelow(
  folder: string,
  { opens, isEntered }: { opens: boolean; isEntered: (below: string) => boolean },
  onLink: (link: FoundLink) => Promise<void>,
): Promise<void> {
  const top = await realpath(folder).catch(() => null)
  if (top === null) return
  const enter = async ({ held, below }: VisitedFolder): Promise<Buffer[]> => {
    if (opens) await openToOwner(held)
    const entries = await readdir(held, { withFileTypes: true, encoding: 'buffer' }).catch(() => [])
    for (const { name } of entries.filter((entry) => entry.isSymbolicLink())) {
      const path = rawJoin(rawJoin(top, below()), name)
      const link = entryIn(held, name)
      const target = await readlink(link, { encoding: 'buffer' }).catch(() => Buffer.alloc(0))
      await onLink({ path, target, held: link })
    }
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .filter((name) => isEntered(rawJoin(below(), name).toString('latin1')))
  }
  for (let triesLeft = 3; triesLeft > 0; triesLeft--) {
    const isWhole = await walkFolders(top, { enter, leave: async () => undefined }).then(
      () => true,
      (error) => {
        if (!isFromMove(error) || triesLeft === 1) throw error
        return false
      },
    )
    if (isWhole) return
  }
}

/** Another command or Git moved or deleted a folder meanwhile. */
const isFromMove = (error: unknown): boolean => ['ESTALE', 'ENOENT'].includes(systemCode(error))

async function openToOwner(held: Buffer): Promise<void> {
  const { mode } = await stat(held)
  if ((mode & 0o700) !== 0o700) await chmod(held, (mode & 0o7777) | 0o700).catch(() => undefined)
}

function unlessMissing(error: unknown): void {
  if (systemCode(error) !== 'ENOENT') throw error
}
