import { ToolError } from '../tool.ts'
import { type Matcher, type MatcherOptions, searchTimedOut } from './matcher.ts'
import { type FoundFile, folderOf, searchedFileBytesMax } from './project-files.ts'
import type { Ripgrep } from './ripgrep.ts'

/** Limit for the arguments of one process. Windows allows 32,767 characters in all, macOS 1 MB with the environment. */
const pathCharsMax = process.platform === 'win32' ? 24_000 : 256_000

/** ripgrep's exit codes. */
const foundSome = 0
const failed = 2

/**
 * Resolves with null if ripgrep can't parse the pattern or can't be started. Rejects with `ToolError` for a pattern that
 * can't match within a line.
 */
export async function createRipgrepMatcher(
  ripgrep: Ripgrep,
  pattern: string,
  {
    root,
    isSearchable,
    ignoreCase,
    signal,
    timeLimit,
  }: MatcherOptions & {
    /** The folder to which the paths of the files are relative. Absolute. */
    root: string
    /** Resolves with false for a link, a pipe or a file that is too large. */
    isSearchable: (path: string) => Promise<boolean>
  },
): Promise<Matcher | null> {
  const patternArgs = [
    ignoreCase ? '--ignore-case' : '--case-sensitive',
    '--crlf',
    `--regexp=${pattern}`,
  ]
  const run = async (args: string[], options: { cwd?: string; stdin?: string }) => {
    try {
      const ended = AbortSignal.any([signal, timeLimit])
      return await ripgrep.run([...patternArgs, ...args], { ...options, signal: ended })
    } catch (error) {
      signal.throwIfAborted()
      if (timeLimit.aborted) throw searchTimedOut()
      throw error
    }
  }

  const trial = await run(['--quiet', '-'], {}).catch((error) => {
    signal.throwIfAborted()
    if (error instanceof ToolError) throw error
    return null
  })
  if (!trial) return null
  if (/literal .*\\n.* is not allowed/.test(trial.stderr))
    throw new ToolError(
      "pattern: \\n can't match, since files are searched line by line. Search for what is on one line.",
    )
  if (trial.code === failed) return null

  return {
    async narrow(files) {
      const matched = new Set<string>()
      for (const paths of batches(await pathsFor(files, isSearchable))) {
        const args = ['--files-with-matches', '--null', '--max-depth=1']
        const { stdout } = await run(
          [...args, `--max-filesize=${searchedFileBytesMax}`, '--', ...paths],
          { cwd: root },
        )
        for (const path of stdout.toString().split('\0')) matched.add(path.replace(/^\.\//, ''))
      }
      // The searched folders also contain other files.
      return files.filter(({ path }) => matched.has(path)).map(({ path }) => path)
    },
    async match(texts, max) {
      const starts: number[] = []
      let lines = 0
      for (const text of texts) {
        starts.push(lines)
        lines += text.length
      }
      const { code, stdout } = await run(
        // Omits the text of the lines, because only their numbers are used.
        ['--text', '--line-number', '--max-columns=1', `--max-count=${max}`, '-'],
        { stdin: texts.map((text) => text.map((line) => `${line}\n`).join('')).join('') },
      )
      if (code !== foundSome) return []
      const numbers = Array.from(stdout.toString().matchAll(/^(\d+):/gm), (found) =>
        Number(found[1]),
      )
      return numbers.map((number) => {
        const text = starts.findLastIndex((start) => start < number)
        return { text, line: number - (starts[text] ?? 0) }
      })
    },
    async close() {},
  }
}

/**
 * Returns the paths to search. Of a folder, ripgrep itself skips links and large files; a file that is an argument it
 * reads whatever it is, so such a file is checked first.
 */
async function pathsFor(
  files: FoundFile[],
  isSearchable: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const paths: string[] = []
  for (const [folder, own] of Map.groupBy(files, ({ path }) => folderOf(path))) {
    const inFolder = own[0]?.filesInFolder ?? 0
    if (inFolder > 1 && own.length * extraFilesReadFactor >= inFolder) paths.push(`./${folder}`)
    else for (const { path } of own) if (await isSearchable(path)) paths.push(`./${path}`)
  }
  return paths
}

/** Searching a whole folder costs as much as checking each requested file if it has up to this many times as many. */
const extraFilesReadFactor = 4

function* batches(paths: string[]): Generator<string[]> {
  let batch: string[] = []
  let chars = 0
  for (const path of paths) {
    if (chars + path.length > pathCharsMax && batch.length > 0) {
      yield batch
      batch = []
      chars = 0
    }
    batch.push(path)
    chars += path.length + 1
  }
  if (batch.length > 0) yield batch
}
