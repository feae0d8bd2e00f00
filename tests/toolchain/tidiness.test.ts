import { homedir } from 'node:os'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectFiles, readProjectFile } from './tracked-files.ts'

const files = projectFiles()
const textFiles = files.filter(
  (path) => !/\.(png|ico|icns|gif|woff2?)$|^package-lock\.json$/.test(path),
)

/** A longer file has more than one subject. A page of stories is a list, which may be longer. */
const sourceLinesMax = 400
const storyLinesMax = 500

/** More than about twenty files are a list that a reader searches, not a folder that they know. Stories lie beside. */
const folderFilesMax = 22

const linesMaxOf = (path: string): number =>
  path.includes('.stories.') ? storyLinesMax : sourceLinesMax

describe('the repository', () => {
  it('has no source file that should be two', () => {
    const tooLong = files
      .filter((path) => /^src\/.*\.tsx?$/.test(path))
      .map((path) => ({ path, lines: readProjectFile(path).trimEnd().split('\n').length }))
      .filter(({ path, lines }) => lines > linesMaxOf(path))
      .map(
        ({ path, lines }) =>
          `${path}: ${lines} lines, over ${linesMaxOf(path)}. Split it along a seam that has a name: one decision, format or view a file.`,
      )
    expect(tooLong.join('\n')).toBe('')
  })

  it('has no folder of files that should have folders', () => {
    const sources = files.filter(
      (path) => /^src\/.*\.tsx?$/.test(path) && !path.includes('.stories.'),
    )
    const crowded = [...Map.groupBy(sources, (path) => posix.dirname(path))]
      .filter(([, inFolder]) => inFolder.length > folderFilesMax)
      .map(
        ([folder, { length }]) =>
          `${folder}: ${length} files, over ${folderFilesMax}. Put those of one subject into a folder with its name.`,
      )
    expect(crowded.join('\n')).toBe('')
  })

  it('has no folder or file named for what is left over', () => {
    const vague = /(^|\/)(utils?|helpers?|managers?|misc|common)(\/|\.[a-z.]+$)/
    expect(files.filter((path) => path.startsWith('src/') && vague.test(path))).toEqual([])
  })

  it('names every source file in small letters, with hyphens', () => {
    const otherwise = files.filter(
      (path) => /^src\/.*\.tsx?$/.test(path) && /[A-Z_]/.test(path.split('/').at(-1) ?? ''),
    )
    expect(otherwise).toEqual([])
  })

  it('sets up nothing where a module is loaded: in a worker that runs several test files, that is once', () => {
    const shared = files.filter(
      (path) => /^tests\/.*\.ts$/.test(path) && !/\.(test|spec)\.ts$/.test(path),
    )
    const hook = /^(before|after)(All|Each)\(/m
    expect(shared.filter((path) => hook.test(readProjectFile(path)))).toEqual([])
  })

  it('has no comment that begins with "Of": it leaves out what the comment is about', () => {
    expect(linesOf(/\.(tsx?|mjs)$/, /^\s*(\/\/|\/\*\*) Of /)).toEqual([])
  })

  it('has no comment or title of a test in words that are out of use', () => {
    const outOfUse =
      /^\s*(\/\/|\*|\/\*\*|it\(|harm:).*\b(anew|afresh|nought|whoever|for ever|to be told|hears? of|all the same)\b/i
    expect(linesOf(/^(src|tests|bench|scripts)\/.*\.(tsx?|mjs)$/, outOfUse)).toEqual([])
    expect(linesOf(/^src\/.*\.tsx?$/, /^\s*(\/\/|\*|\/\*\*) .*\bgoes on\b/i)).toEqual([])
  })

  it('names no place on the machine where it was written', () => {
    const places = [process.cwd(), ...(homedir() === '/' ? [] : [homedir()])]
    const naming = textFiles.filter((path) => {
      const text = readProjectFile(path)
      return places.some((place) =>
        new RegExp(`${place.replaceAll('.', '\\.')}(?![\\w-])`).test(text),
      )
    })
    expect(naming).toEqual([])
  })
})

/** `path:line` of each line that matches. */
function linesOf(paths: RegExp, pattern: RegExp): string[] {
  return files
    .filter((path) => paths.test(path))
    .flatMap((path) =>
      readProjectFile(path)
        .split('\n')
        .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}`] : [])),
    )
}
