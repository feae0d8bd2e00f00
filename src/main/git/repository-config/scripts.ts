/** Finds the scripts of a repository that its allowed commands, such as filters, would run (K8). */
import { createHash } from 'node:crypto'
import path from 'node:path'
import { filesNamedIn, pathsNamedIn } from '../../processes/named-files.ts'
import { orNull, statOf } from '../repository/file-facts.ts'
import { readGitBytes } from '../repository/read-git-file.ts'
import type { RepositoryConfig } from './configuration.ts'

/** Nobody reads more before allowing it. */
const scriptCharsMax = 64 * 1024

/** Hashing more would delay each call of Git. Such a file counts as changed with its time. */
const hashedBytesMax = 16 * 1024 * 1024

/**
 * Returns the files of the working tree that the commands name. Git runs what they contain, and an agent that may edit
 * them would choose what that is. `watched` are all paths at which such a file may appear; null if they can't be listed.
 */
export async function scriptsOf(
  commands: readonly { value: string }[],
  top: string | null,
): Promise<{ scripts: RepositoryConfig['scripts']; watched: string[] | null }> {
  if (commands.length === 0 || top === null) return { scripts: [], watched: [] }
  const text = commands.map(({ value }) => value).join('\n')
  const isInside = (file: string) => file.startsWith(`${top}${path.sep}`)
  const watched = pathsNamedIn(text, [top])?.filter(isInside) ?? null
  const named = await filesNamedIn(text, { dirs: [top], all: true })
  return {
    watched: watched && watched.length <= watchedMax ? watched : null,
    scripts: named
      .filter(isInside)
      .sort()
      .map((file) => ({
        path: path.relative(top, file).replaceAll(path.sep, '/'),
        text: textOf(file),
      })),
  }
}

/** Each is looked at before each call of Git. */
const watchedMax = 100

/** For what is no text, or too long to be read by a person, returns a hash of it. */
function textOf(file: string): string {
  const { size = 0, mtimeMs = 0 } = statOf(file) ?? {}
  if (size > hashedBytesMax) return `(${size} bytes, changed at ${new Date(mtimeMs).toISOString()})`
  const bytes = orNull(() => readGitBytes(file))
  if (bytes === null) return '(can’t be read)'
  const text = bytes.toString()
  if (text.length <= scriptCharsMax && !/[\0\uFFFD]/.test(text)) return text
  return `(SHA-256 ${createHash('sha256').update(bytes).digest('hex')})`
}
