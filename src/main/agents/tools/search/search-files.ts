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

/** For more matches a narrower pattern is more useful. */
const matchesMax = 200

/** A line that is longer is shown cut around its beginning. */
const lineCharsMax = 300
/** The part of a line that is searched for secrets: a whole line of a minified file is of no use. */
const maskedCharsMax = 4_000

/** Files that are read and matched at once. Each is at most `searchedFileBytesMax`. */
const filesAtOnce = 16

interface Found {
  lines: string[]
  files: number
  truncated: boolean
}

/**
 * Searches text files line by line: `path:line: text`, one match a line. Binary and very large files are passed over.
 * ripgrep finds the files; each is then opened inside the working directory, and what is shown was matched in there.
 * `ripgrep`: the path of its executable, null for none; the installed one unless given.
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
    // ripgrep has no lookaround and no backreferences; JavaScript has, and reads each file by itself.
    const matcher =
      (executable &&
        (await createRipgrepMatcher(createRipgrep(executable), pattern, {
          ...{ ...options, root, isSearchable },
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
    const wanted = matchesMax - found.lines.length
    // One more than wanted shows whether there are more.
    const matches = await matcher.match(texts, wanted + 1)
    const shown = matches.slice(0, wanted)
    found.files += new Set(shown.map(({ text }) => text)).size
    for (const { text, line } of shown) {
      const whole = texts[text]?.[line - 1]?.slice(0, maskedCharsMax) ?? ''
      // Cut after secrets were hidden: half of one is not found any more.
      found.lines.push(`${files[text]}:${line}: ${mask.text(whole).slice(0, lineCharsMax)}`)
    }
    if (matches.length > wanted) return { ...found, truncated: true }
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

/** Without line ends and byte order mark. */
function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}
