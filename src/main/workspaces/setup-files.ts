/**
 * Finds the files that a set-up command visibly runs: those in its text, those that its package
 * manager reads, and those that these refer to in turn. An agent that changed one of them could
 * choose what runs in the next worktree without the user's permission. Files that a script
 * computes, downloads or finds are not detected.
 */
import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, posix, relative, sep } from 'node:path'
import { mapConcurrently } from '../git/index.ts'
import { matchesInTime } from '../globs/bounded-glob.ts'
import { readDataFile } from '../journal/index.ts'

const { dirname, normalize } = posix

/** Files that tools read without a reference in the command. */
const readByTools: [tool: RegExp, files: RegExp][] = [
  [
    /\b(?:npm|npx|pnpm|yarn|bun|corepack|node)\b/,
    /^(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-.*|\.pnpmfile\.cjs|yarn\.lock|\.yarn.*|\.npmrc|bun.*|\.yarn\/.*)$/,
  ],
  [/\bg?make\b/, /^(?:GNUmakefile|[Mm]akefile|.*\.mk)$/],
  [/\bjust\b/, /^\.?justfile$/i],
  [
    /\b(?:pip3?|uv|poetry|pipenv|python3?|tox|hatch)\b/,
    /^(?:requirements.*|pyproject\.toml|setup\.(?:py|cfg)|uv\.lock|poetry\.lock|Pipfile.*|tox\.ini)$/,
  ],
  [/\bcargo\b/, /^(?:Cargo\.(?:toml|lock)|build\.rs|\.cargo\/.*|rust-toolchain.*)$/],
  [/\b(?:bundle|rake|gem)\b/, /^(?:Gemfile.*|Rakefile|.*\.gemspec|\.bundle\/.*)$/],
  [/\bgo\b/, /^go\.(?:mod|sum|work)$/],
  [/\b(?:composer|php)\b/, /^composer\.(?:json|lock)$/],
  [/gradle|\bmvn/, /^(?:.*\.gradle(?:\.kts)?|gradle.*|pom\.xml|\.mvn\/.*)$/],
  [/\bdocker\b/, /^(?:Dockerfile.*|(?:docker-)?compose.*)$/],
  [/\b(?:task|mise|rake|direnv|nix)\b/, /^(?:Taskfile.*|\.?mise.*|\.envrc|flake\..*|.*\.nix)$/],
]

/** Nobody has reviewed a set-up with more files. */
const filesReadMax = 200
const fileBytesMax = 256 * 1024
/** Words checked on the disk: about one second. */
const namesMax = 20_000

interface SetupFiles {
  /** The worktree's own folder. */
  root: string
  /** The folder in which the command runs: the root or a folder in it. */
  cwd: string
  /** Paths below `root`, with `/`. */
  changed: readonly string[]
}

/**
 * Returns those of `changed` that the command visibly runs, as paths from `cwd`. If the command
 * refers to more files than the limits, or by a link to a name that is not UTF-8, all of `changed` count.
 */
export async function changedSetupFiles(
  command: string,
  { root, cwd, changed }: SetupFiles,
): Promise<string[]> {
  const below = relative(root, cwd).replaceAll(sep, '/') || '.'
  const seen = await changedAndRun(command, { root, below, changed })
  return seen.map((path) => posix.relative(below, path))
}

async function changedAndRun(
  command: string,
  { root, below, changed }: { root: string; below: string; changed: readonly string[] },
): Promise<string[]> {
  const isChanged = new Set(changed)
  const realRoot = await realpath(root)
  const seen = new Set<string>()
  const inspected = new Set<string>()
  const toRead: { text: string; dir: string }[] = [{ text: command, dir: below }]
  for (let next = toRead.pop(); next; next = toRead.pop()) {
    const named = pathsIn(next.text, ['.', below, next.dir])
    const patterns = named.filter((path) => isPattern(path, next.text === command))
    const matching = changed.filter((path) => patterns.some((one) => mayMatch(path, one)))
    const toInspect = [...new Set([...named, ...matching])].filter((path) => !inspected.has(path))
    for (const path of toInspect) inspected.add(path)
    if (inspected.size > namesMax) return [...changed]
    const found = await mapConcurrently(toInspect, (path) => inspect(join(root, path), realRoot))
    if (found.some(({ isUnreadable }) => isUnreadable)) return [...changed]
    for (const [at, path] of toInspect.entries()) {
      const { text = null, real = null } = found[at] ?? {}
      // A link counts as changed if its target has changed.
      const names = real === null || real === path ? [path] : [path, real]
      if (text === null && !names.some((name) => isChanged.has(name))) continue
      for (const name of names) seen.add(name)
      if (seen.size > filesReadMax) return [...changed]
      if (text === null) continue
      for (const dir of new Set(names.map(dirname))) toRead.push({ text, dir })
    }
  }
  const tools = readByTools.filter(([tool]) => tool.test(command)).map(([, files]) => files)
  // Also below the root, because the packages of a workspace have their own files.
  const isToolFile = (path: string) =>
    endsOf(path).some((end) => tools.some((files) => files.test(end)))
  return changed.filter((path) => seen.has(path) || isToolFile(path))
}

/** A bare `*` counts only in the command: in a script it is mostly part of a comment or a `case`. */
const isPattern = (path: string, inCommand: boolean): boolean =>
  /[*?[{]/.test(path) && (inCommand || /[\p{L}\p{N}]/u.test(path))

/** A pattern that is invalid, or takes too long to match, counts as matching. */
function mayMatch(path: string, pattern: string): boolean {
  try {
    return matchesInTime(path, pattern)
  } catch {
    return true
  }
}

/**
 * Returns every word that could be a path below the root, resolved from each of `dirs`: the root,
 * the command's folder, and the folder of the file that contains the word. A word may begin with a
 * variable (`"$PWD/set-up.sh"`), so each suffix after a slash counts as well.
 */
function pathsIn(text: string, dirs: readonly string[]): string[] {
  const quoted = [...text.matchAll(/"([^"\n]+)"|'([^'\n]+)'/g)].map(
    ([, one, other]) => one ?? other ?? '',
  )
  // With what stands for bytes that are not UTF-8: Git's lists have the same in such a name.
  const words = text.match(/(?:[\ufffd\p{L}\p{M}\p{N}_@.+~*?{},[\]/-]|\\[^\n])+/gu) ?? []
  const spelled = [...quoted, ...words].map((word) => word.replace(/\\(.)/g, '$1'))
  return [...new Set(spelled.flatMap(endsOf))]
    .flatMap((word) => dirs.map((dir) => normalize(posix.join(dir, word))))
    .map((path) => path.replace(/\/$/, ''))
    .filter((path) => path !== '.' && !/^\.\.(?:\/|$)/.test(path) && !path.startsWith('/'))
}

/** `a/b/c`, `b/c` and `c`. */
function endsOf(word: string): string[] {
  const parts = word.split('/')
  return parts.map((_, from) => parts.slice(from).join('/')).filter((end) => end !== '')
}

interface Found {
  /** Null for a folder, a file that is too long, or a missing one. */
  text: string | null
  /** The target of a link, below the root with `/`; null outside it, or if there is no file. */
  real: string | null
  /** It leads to a file, but no text says where: a name there is not UTF-8. */
  isUnreadable?: boolean
}

async function inspect(path: string, realRoot: string): Promise<Found> {
  try {
    const bytes = await realpath(path, { encoding: 'buffer' })
    const realPath = bytes.toString()
    if (!bytes.equals(Buffer.from(realPath))) return { text: null, real: null, isUnreadable: true }
    const below = relative(realRoot, realPath).replaceAll(sep, '/')
    const real = /^\.\.(?:\/|$)/.test(below) || isAbsolute(below) ? null : below
    const found = await stat(realPath)
    const isRead = found.isFile() && found.size <= fileBytesMax
    const text = isRead ? (await readDataFile(realPath)).toString() : null
    return { text, real }
  } catch {
    return { text: null, real: null }
  }
}
