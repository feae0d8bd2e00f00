import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { ToolContext } from '../../../../shared/agents/driver/tool-context.ts'
import { decodeText } from '../files/text-file.ts'
import type { ConfinedPath, FilesInside } from '../inside/index.ts'
import type { Tool } from '../tool.ts'
import { createLineMatcher } from './line-matcher.ts'
import { type Matcher, searchTimeMsMax } from './matcher.ts'
import {
  type FilesOfGit,
  type FoundFile,
  projectFiles,
  searchedFileBytesMax,
} from './project-files.ts'
import { createRipgrep, findRipgrep } from './ripgrep.ts'
import { createRipgrepMatcher } from './ripgrep-matcher.ts'

/** For more matches, an agent should narrow the pattern. */
const matchesMax = 200

/** Longer lines are shown only up to this length. */
const lineCharsMax = 300
/** The part of a line that is masked. More is not shown, and lines of minified files are long. */
const maskedCharsMax = 4_000

/** Files that are read and matched at once. Each is at most `searchedFileBytesMax`. */
const filesAtOnce = 16

interface Found {
  lines: string[]
  files: number
  truncated: boolean
}

/**
 * Searches text files line by line and returns `path:line: text`, one match per line. Skips binary and very large files.
 * ripgrep finds the files; each is then opened inside the working directory and matched again. `ripgrep` is the path of
 * the executable, null for none; by default the installed one.
 */
export function createSearchFiles(
  inside: FilesInside,
  filesOfGit: FilesOfGit,
  ripgrep?: string | null,
): Tool<'search_files'> {
  return async (input, context) => {
    const { pattern, path, glob, ignoreCase = false } = input
    const { signal, workingDir } = context
    const candidates = await projectFiles(inside, workingDir, { path, glob, signal, filesOfGit })
    const { absolute: root } = await inside.confine(workingDir, '.')
    const timeLimit = AbortSignal.timeout(searchTimeMsMax)
    const executable = ripgrep === undefined ? await findRipgrep() : ripgrep
    const options = { ignoreCase, signal, timeLimit }
    const isSearchable = (file: string) =>
      inside.lstat({ absolute: join(root, file), relative: file }).then(hasSearchableForm, isNot)
    // JavaScript's expressions have lookaround and backreferences, which ripgrep lacks, but are slower.
    const matcher =
      (executable &&
        (await createRipgrepMatcher(createRipgrep(executable), pattern, {
          ...options,
          root,
          isSearchable,
        }))) ||
      createLineMatcher(pattern, options)
    try {
      const found = await searchAll(inside, context, root, candidates.files, matcher)
      const truncated = found.truncated || candidates.truncated
      const note = truncated ? '[there is more; narrow it down with pattern, path or glob]' : ''
      return {
        outcome: 'ok',
        output: [...found.lines, note].filter(Boolean).join('\n') || '[no matches]',
        detail: { kind: 'matches', count: found.lines.length, files: found.files, truncated },
      }
    } finally {
      await matcher.close()
    }
  }
}

async function searchAll(
  inside: FilesInside,
  { mask }: ToolContext,
  root: string,
  candidates: FoundFile[],
  matcher: Matcher,
): Promise<Found> {
  const found: Found = { lines: [], files: 0, truncated: false }
  const matched = await matcher.narrow(candidates)
  for (let from = 0; from < matched.length; from += filesAtOnce) {
    const files = matched.slice(from, from + filesAtOnce)
    const texts = await Promise.all(
      files.map((file) => searchableLines(inside, { absolute: join(root, file), relative: file })),
    )
    const remaining = matchesMax - found.lines.length
    // One more than can be shown, to find out whether there are more.
    const matches = await matcher.match(texts, remaining + 1)
    const shown = matches.slice(0, remaining)
    found.files += new Set(shown.map(({ text }) => text)).size
    for (const { text, line } of shown) {
      const whole = texts[text]?.[line - 1]?.slice(0, maskedCharsMax) ?? ''
      // Masked before it is truncated, because half a secret would not be found.
      found.lines.push(`${files[text]}:${line}: ${mask.text(whole).slice(0, lineCharsMax)}`)
    }
    if (matches.length > remaining) return { ...found, truncated: true }
  }
  return found
}

/** Omits files that can't be searched: binary, too large, deleted, moved, or not readable. */
async function searchableLines(inside: FilesInside, path: ConfinedPath): Promise<string[]> {
  try {
    const before = await inside.lstat(path)
    if (!hasSearchableForm(before)) return []
    const text = await inside.withOpened(path, async (handle, stats) =>
      hasSearchableForm(stats) ? decodeText(await handle.readFile()) : null,
    )
    return text === null ? [] : linesOf(text)
  } catch {
    return []
  }
}

const hasSearchableForm = (stats: Stats): boolean =>
  stats.isFile() && stats.size <= searchedFileBytesMax
const isNot = () => false

/** Returns the lines without line ends and byte order mark. */
function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}
