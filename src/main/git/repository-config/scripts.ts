/** Finds the scripts of a repository that its allowed commands, such as filters, would run (K8). */
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { filesNamedIn, hasPatterns, pathsNamedIn } from '../../processes/named-files.ts'
import { orNull, statOf } from '../repository/file-facts.ts'
import { readGitBytes } from '../repository/read-git-file.ts'
import type { RepositoryConfig } from './configuration.ts'

/** Nobody reads more before allowing it: of one file, and of all together. */
const scriptCharsMax = 64 * 1024
const shownCharsMax = 256 * 1024

/** Hashing more would delay each call of Git. Such a file counts as changed with its time. */
const hashedBytesMax = 16 * 1024 * 1024

/** Each is looked at before each call of Git. */
const watchedMax = 500
/** Nobody reviews more. */
const scriptsMax = 50

/**
 * Returns the files of the working tree that the commands name, that these name in turn, and the modules beside them. Git
 * runs what they contain, and an agent that may edit them would choose what that is. `watched` are all paths at which
 * such a file may appear; null if they can't be listed. `named` are these, relative to the working tree with `/`, also
 * without one; null if the commands may name any file.
 */
export async function scriptsOf(
  commands: readonly { value: string }[],
  top: string | null,
): Promise<{
  scripts: RepositoryConfig['scripts']
  watched: string[] | null
  named: string[] | null
}> {
  const command = commands.map(({ value }) => value).join('\n')
  if (commands.length === 0 || top === null) {
    const named = pathsNamedIn(command, [path.sep]).map((file) => below(path.sep, file))
    return { scripts: [], watched: [], named: hasPatterns(command) ? null : named }
  }
  const isInside = (file: string) => file.startsWith(`${top}${path.sep}`)
  const watched = new Set(pathsNamedIn(command, [top]))
  const texts = new Map<string, string>()
  let shownChars = 0
  const toRead = (await filesNamedIn(command, { dirs: [top], all: true })).filter(isInside)
  for (let file = toRead.pop(); file !== undefined; file = toRead.pop()) {
    if (texts.has(file)) continue
    const text = textOf(file)
    shownChars += text.length
    texts.set(file, shownChars <= shownCharsMax ? text : hashed(text))
    if (texts.size > scriptsMax) break
    const dirs = [top, path.dirname(file)]
    for (const named of pathsNamedIn(text, dirs)) watched.add(named)
    toRead.push(...(await filesNamedIn(text, { dirs, all: false })).filter(isInside))
    toRead.push(...modulesBeside(file, text))
  }
  const canWatch = !hasPatterns(command)
  const inside = [...watched, ...texts.keys()].filter(isInside)
  const named = canWatch ? inside.map((file) => below(top, file)) : null
  if (texts.size > scriptsMax) return { scripts: [tooMany()], watched: null, named: null }
  return {
    watched: canWatch && inside.length <= watchedMax ? [...new Set(inside)] : null,
    named,
    scripts: [...texts]
      .map(([file, text]) => ({ path: below(top, file), text }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  }
}

const below = (top: string, file: string): string =>
  path.relative(top, file).replaceAll(path.sep, '/')

/** Never the same, so that it is never allowed. */
const tooMany = (): RepositoryConfig['scripts'][number] => ({
  path: '(too many files)',
  text: `The commands run more than ${scriptsMax} files of the repository, which can’t be reviewed: they are not run. ${randomUUID()}`,
})

/** Languages whose files load others by a name without a path or an ending. */
const loadsModules = /\.(?:py|[cm]?[jt]s|rb|pl|pm|php|lua)$/

/** Returns the files of the same language beside it whose names are in its text. */
function modulesBeside(file: string, text: string): string[] {
  const ending = path.extname(file)
  if (!loadsModules.test(ending)) return []
  const dir = path.dirname(file)
  const names = orNull(() => readdirSync(dir)) ?? []
  const words = new Set(text.match(/[\w-]+/g))
  return names
    .filter((name) => path.extname(name) === ending && words.has(path.basename(name, ending)))
    .map((name) => path.join(dir, name))
}

/** For what is no text, or too long to be read by a user, returns a hash of it. */
function textOf(file: string): string {
  const { size = 0, mtimeMs = 0 } = statOf(file) ?? {}
  if (size > hashedBytesMax) return `(${size} bytes, changed at ${new Date(mtimeMs).toISOString()})`
  const bytes = orNull(() => readGitBytes(file))
  if (bytes === null) return '(can’t be read)'
  const text = bytes.toString()
  if (text.length <= scriptCharsMax && !/[\0\uFFFD]/.test(text)) return text
  return hashed(bytes)
}

const hashed = (content: string | Buffer): string =>
  `(SHA-256 ${createHash('sha256').update(content).digest('hex')})`
