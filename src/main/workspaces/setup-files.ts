/**
 * The files that a set-up command can be seen to run: those that it names, what its package manager reads, and
 * what the named ones name in turn. An agent that changed one of them would choose what runs in the next
 * worktree without being asked. What a script computes, downloads or finds by itself is not seen.
 */
import { stat } from 'node:fs/promises'
import { dirname, join, matchesGlob, normalize } from 'node:path'
import { readDataFile } from '../journal/index.ts'

/** What tools read that are called without naming it. */
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

/** More is no set-up that a person has read. */
const filesReadMax = 200
const fileBytesMax = 256 * 1024

/**
 * Which of `changed` (paths below `root`, `/` as separator) the command can be seen to run. Whether more was
 * named than is looked at can't be told: then all of `changed` count.
 */
export async function changedSetupFiles(
  command: string,
  root: string,
  changed: readonly string[],
): Promise<string[]> {
  const seen = new Set<string>()
  const toRead: { text: string; dir: string }[] = [{ text: command, dir: '.' }]
  for (let next = toRead.pop(); next; next = toRead.pop()) {
    const named = pathsIn(next.text, next.dir)
    const patterns = named.filter((path) => isPattern(path, next.text === command))
    const matching = changed.filter((path) => patterns.some((one) => mayMatch(path, one)))
    for (const path of [...named, ...matching]) {
      if (seen.has(path)) continue
      const text = await textOf(join(root, path))
      if (text === null && !changed.includes(path)) continue
      seen.add(path)
      if (seen.size > filesReadMax) return [...changed]
      if (text !== null) toRead.push({ text, dir: dirname(path) })
    }
  }
  const tools = readByTools.filter(([tool]) => tool.test(command)).map(([, files]) => files)
  // Below the root as well: the packages of a workspace have files of their own.
  const isToolFile = (path: string) =>
    endsOf(path).some((end) => tools.some((files) => files.test(end)))
  return changed.filter((path) => seen.has(path) || isToolFile(path))
}

/** In a script a bare `*` is mostly that of a comment or a `case`, and would match every file. */
const isPattern = (path: string, inCommand: boolean): boolean =>
  /[*?[{]/.test(path) && (inCommand || /[\p{L}\p{N}]/u.test(path))

/** A pattern that can't be read counts as matching. */
function mayMatch(path: string, pattern: string): boolean {
  try {
    return matchesGlob(path, pattern)
  } catch {
    return true
  }
}

/**
 * Every word that could be a path: from the root, and from the folder of the file that names it. What stands
 * before a slash may be a variable (`"$PWD/set-up.sh"`), so each end of a word counts as well.
 */
function pathsIn(text: string, dir: string): string[] {
  const quoted = [...text.matchAll(/"([^"\n]+)"|'([^'\n]+)'/g)].map(
    ([, one, other]) => one ?? other ?? '',
  )
  const words = text.match(/(?:[\p{L}\p{M}\p{N}_@.+~*?{},[\]/-]|\\[^\n])+/gu) ?? []
  const spelled = [...quoted, ...words].map((word) => word.replace(/\\(.)/g, '$1'))
  return [...new Set(spelled.flatMap(endsOf))]
    .flatMap((word) => [normalize(word), normalize(join(dir, word))])
    .map((path) => path.replaceAll('\\', '/').replace(/\/$/, ''))
    .filter((path) => path !== '.' && !path.startsWith('..') && !path.startsWith('/'))
}

/** `a/b/c`, `b/c` and `c`. */
function endsOf(word: string): string[] {
  const parts = word.split('/')
  return parts.map((_, from) => parts.slice(from).join('/')).filter((end) => end !== '')
}

async function textOf(path: string): Promise<string | null> {
  try {
    const found = await stat(path)
    return found.isFile() && found.size <= fileBytesMax
      ? (await readDataFile(path)).toString()
      : null
  } catch {
    return null
  }
}
