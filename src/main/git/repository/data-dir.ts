/**
 * The data directory may be inside a working tree: of a home folder, or of a project that somebody keeps it in. It is
 * no part of that tree. A state of the files that contained it would contain all earlier states, and the tokens of
 * running processes, and applying such changes would overwrite the record.
 */
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { RunGit } from '../command/run-git.ts'

/** The part of a working tree that is the data directory; nothing if it is elsewhere. */
interface DataDirIn {
  /** Options of `git ls-files --others`, which then does not enter it. */
  exclude: string[]
  /** Reports whether a name relative to the folder, as Git prints it, is in it. */
  holds(name: Buffer | string): boolean
}

const elsewhere: DataDirIn = { exclude: [], holds: () => false }

/** `folder`: the root of the working tree, or a folder in it that names are relative to. */
export async function dataDirIn(
  { dataDir }: Pick<RunGit, 'dataDir'>,
  folder: string,
  topLevel = folder,
): Promise<DataDirIn> {
  const [root, above, place] = await Promise.all([folder, topLevel, dataDir].map(realPathOf))
  if (!place || !root) return elsewhere
  const within = below(root, place)
  if (within === null || within === '') return elsewhere
  const start = Buffer.from(`${within}/`)
  const fromTop = above ? below(above, place) : null
  return {
    exclude: fromTop ? [`--exclude=/${asPattern(fromTop)}/`] : [],
    holds: (name) => Buffer.from(name).subarray(0, start.length).equals(start),
  }
}

/**
 * Returns the paths that lead into the data directory. Compares folders and not names, because a disk may take other
 * letters for the same name.
 */
export async function pathsInDataDir(
  { dataDir }: Pick<RunGit, 'dataDir'>,
  topLevel: string,
  names: readonly string[],
): Promise<string[]> {
  const place = dataDir === null ? null : await identityOf(dataDir)
  if (place === null) return []
  const known = new Map<string, Promise<boolean>>([['.', Promise.resolve(false)]])
  const isIn = (folder: string): Promise<boolean> => {
    const found =
      known.get(folder) ??
      identityOf(path.join(topLevel, folder)).then(
        (identity) => identity === place || isIn(path.posix.dirname(folder)),
      )
    known.set(folder, found)
    return found
  }
  const inside: string[] = []
  for (const name of names) if (await isIn(name)) inside.push(name)
  return inside
}

/** Returns `place` relative to `folder`, with `/`; empty for the folder itself, null outside. */
function below(folder: string, place: string): string | null {
  const parts = path.relative(folder, place).split(path.sep)
  return parts[0] === '..' || path.isAbsolute(parts.join(path.sep)) ? null : parts.join('/')
}

const realPathOf = async (folder: string | null): Promise<string | null> =>
  folder === null ? null : realpath(folder).catch(() => null)

const identityOf = (folder: string): Promise<string | null> =>
  stat(folder, { bigint: true }).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => null,
  )

/** Escapes what an ignore rule gives a meaning to. */
const asPattern = (name: string): string => name.replace(/[\\*?[\] ]/g, '\\$&')
