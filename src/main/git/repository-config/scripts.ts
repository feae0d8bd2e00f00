/** Finds the scripts of a repository that its allowed commands, such as filters, would run (K8). */
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import {
  filesNamedIn,
  foldersNamedIn,
  hasPatterns,
  pathsNamedIn,
} from '../../processes/named-files.ts'
import { orNull, statOf } from '../repository/file-facts.ts'
import { readGitBytes } from '../repository/read-git-file.ts'
import type { RepositoryConfig, Scripts } from './configuration.ts'
import { entriesOf, loadedBy, mentionsPython } from './loaded-modules.ts'

/** Nobody reads more before allowing it: of one file, and of all together. */
const scriptCharsMax = 64 * 1024
const shownCharsMax = 256 * 1024

/** Hashing more would delay each call of Git. Such a file counts as changed with its time. */
const hashedBytesMax = 16 * 1024 * 1024

/** Each is looked at before each call of Git. */
const watchedMax = 500
/** Nobody reviews more. */
const scriptsMax = 50
const foldersMax = 10
const installed = 'node_modules'
const packageName = 'package.json'

/**
 * Returns the files of the working tree that the commands name, that these name in turn, and the modules that they load.
 * Git runs what they contain, and an agent that may edit them would choose what that is.
 */
export async function scriptsOf(
  commands: readonly { value: string }[],
  top: string | null,
): Promise<Scripts> {
  const command = commands.map(({ value }) => value).join('\n')
  if (commands.length === 0 || top === null) return withoutTree(command)
  const isInside = (file: string) => file.startsWith(`${top}${path.sep}`)
  const places = foldersIn(command, [top]).filter(isInside)
  if (/\b(?:p?npx|bunx)\b/.test(command)) places.push(path.join(top, installed, '.bin'))
  const dirs = [top, ...places]
  const entries = entriesOf(command, places, top)
  const folders = new Set([...pathsNamedIn(command, [top]), ...foldersNamedIn(command, [top])])
  const watched = new Set([...pathsNamedIn(command, dirs), ...entries])
  const texts = new Map<string, string>()
  const pythonDirs = new Set<string>()
  // A program that is found in a named folder has no path in the command.
  const toRead = [...(await filesNamedIn(command, { dirs, all: true })), ...entries]
  let shownChars = 0
  let isFixed = !hasPatterns(command)
  for (let file = toRead.pop(); file !== undefined; file = toRead.pop()) {
    if (texts.has(file) || !isInside(file) || statOf(file)?.isFile() !== true) continue
    const text = textOf(file)
    shownChars += text.length
    texts.set(file, shownChars <= shownCharsMax ? text : hashed(text))
    if (texts.size > scriptsMax)
      return { scripts: [tooMany()], watched: null, named: null, isPythonForeign: false }
    // What is installed is shown and compared, but nobody reviews all that it loads.
    if (below(top, file).split('/').includes(installed) && path.basename(file) !== packageName)
      continue
    const from = [top, path.dirname(file)]
    const entered = linesIn(text, entering)
    for (const folder of foldersNamedIn(entered, from)) folders.add(folder)
    const around = [...from, ...foldersIn(entered, from).filter(isInside)]
    const loaded = loadedBy(file, text, { top, roots: [...pythonDirs], command })
    for (const dir of loaded.pythonDirs) pythonDirs.add(dir)
    // Run from the root as a module (`python3 -m`), or as text, it loads modules from there.
    if (loaded.pythonDirs.length > 0 && loadsFromRoot.test(command)) pythonDirs.add(top)
    for (const named of [...pathsNamedIn(text, around), ...loaded.paths]) watched.add(named)
    toRead.push(...(await filesNamedIn(text, { dirs: around, all: false })))
    toRead.push(...(await filesNamedIn(linesIn(text, sourcing), { dirs: around, all: true })))
    toRead.push(...loaded.paths, ...modulesBeside(file, text))
    isFixed &&= !hasPatterns(text)
  }
  const inside = [...watched, ...texts.keys()].filter(isInside)
  const canWatch = isFixed && pythonDirs.size === 0 && inside.length <= watchedMax
  return {
    watched: canWatch ? [...new Set(inside)] : null,
    named: hasPatterns(command)
      ? null
      : {
          paths: inside.map((file) => below(top, file)),
          folders: [...folders].filter(isInside).map((dir) => below(top, dir)),
          pythonDirs: [...pythonDirs].map((dir) => below(top, dir) || '.'),
        },
    isPythonForeign: mentionsPython(command) && pythonDirs.size === 0,
    scripts: [...texts]
      .map(([file, text]) => ({ path: below(top, file), text }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  }
}

/** The scripts of a tree that is about to be written, in which each file that is named is a new one. */
function withoutTree(command: string): Scripts {
  const root = path.sep
  const relative = (files: readonly string[]) => files.map((file) => below(root, file))
  const paths = relative([...pathsNamedIn(command, [root]), ...entriesOf(command, [], root)])
  const folders = [...paths, ...relative(foldersNamedIn(command, [root])), installed]
  return {
    scripts: [],
    watched: [],
    named: hasPatterns(command) ? null : { paths, folders, pythonDirs: [] },
    isPythonForeign: mentionsPython(command),
  }
}

const loadsFromRoot = /(?:^|\s)-[a-zA-Z]*[mc](?:\s|$)/
/** Lines of a script that choose folders in which programs are found. */
const entering = /PATH\b(?:(?!PATH\b).)*=|\b(?:cd|pushd)\b|\s-[CI]/
/** Lines that run another file whatever its name looks like, in a folder that is computed. */
const sourcing = /(?:^|[\s;&|(])(?:\.|source)\s/

const linesIn = (text: string, which: RegExp): string =>
  text
    .split('\n')
    .filter((line) => which.test(line))
    .join('\n')

/** Folders that exist. Where one appears later, its path is watched like a file's. */
const foldersIn = (text: string, dirs: readonly string[]): string[] =>
  foldersNamedIn(text, dirs)
    .filter((dir) => statOf(dir)?.isDirectory() === true)
    .slice(0, foldersMax)

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
