/**
 * Finds the files that a text of commands names: paths, quoted or with patterns, also in folders that it enters; modules
 * of Python; and what package managers and make read by themselves. What a script computes, downloads or finds is not
 * found.
 */
import { glob, stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'

/** More are not legitimate, and each is looked up on the disk. */
const wordsMax = 5_000
const foldersMax = 10
const matchesMax = 100
const patternsMax = 30
/** Looked at for patterns, all together. */
const entriesMax = 10_000

const script =
  /\.(?:sh|bash|zsh|fish|py|m?js|cjs|jsx|m?ts|cts|tsx|rb|pl|php|lua|ps1|cmd|bat|exe|mk)$/i
const executable = 0o111

/** Files that are read without being named. Not where a permission is granted: `Bash(npm run test:*)`. */
const readByTools: [tool: RegExp, files: string[]][] = [
  [
    /\b(?:npm|pnpm|yarn|bun)\b[^\n;&|]{0,200}?[\s,]["']?(?:run(?:-script)?|test|start|exec)\b/,
    ['package.json'],
  ],
  [/\bg?make\b/, ['GNUmakefile', 'makefile', 'Makefile']],
  [/\bjust\b/, ['justfile', '.justfile', 'Justfile']],
]

interface Where {
  /** Absolute paths of the folders from which relative paths may count. */
  dirs: readonly string[]
  /** True: any file that is named counts. False: only what looks like a program or a script. */
  all: boolean
}

/** Returns the absolute paths of existing files, without duplicates. */
export async function filesNamedIn(text: string, { dirs, all }: Where): Promise<string[]> {
  const names = namesIn(text)
  const places = placesOf(names, dirs)
  const found = new Set<string>()
  const add = async (paths: readonly string[], counts: (file: string, mode: number) => boolean) => {
    for (const file of paths) {
      if (found.has(file)) continue
      const { mode } = (await fileAt(file)) ?? {}
      if (mode !== undefined && counts(file, mode)) found.add(file)
    }
  }
  const looksRun = (file: string, mode: number) =>
    all || script.test(file) || extname(file) === '' || (mode & executable) !== 0
  await add(resolved(names.words, places), looksRun)
  await add(await matching(names.patterns, places), looksRun)
  await add(resolved(names.run, places), () => true)
  return [...found]
}

/** Returns all absolute paths at which the text names a file, whether there is one or not, but for its patterns. */
export function pathsNamedIn(text: string, dirs: readonly string[]): string[] {
  const names = namesIn(text)
  return resolved([...names.words, ...names.run], placesOf(names, dirs))
}

/** Returns all absolute paths that the text may name as folders: `PATH=tools`, `"$ROOT/tools"`, `-Itools`. */
export const foldersNamedIn = (text: string, dirs: readonly string[]): string[] => {
  const words = wordsIn(text)
  return resolved([...words, ...words.map((word) => word.replace(/^-\w/, ''))], dirs)
}

/** Reports whether the text may name any number of files by patterns of the shell. */
export const hasPatterns = (text: string): boolean => namesIn(text).patterns.length > 0

interface Names {
  /** Words that may be paths. */
  words: string[]
  patterns: string[]
  /** Paths of what is run if it exists, whatever its name looks like. */
  run: string[]
  /** Folders that the commands enter. */
  entered: string[]
}

function namesIn(text: string): Names {
  const withoutGrants = text.replace(/\b[A-Z]\w*\([^()\n]*\)/g, ' ')
  const tools = readByTools.filter(([tool]) => tool.test(withoutGrants))
  return {
    words: wordsIn(text),
    patterns: patternsIn(withoutGrants),
    run: [...ranIn(text), ...modulesIn(text), ...tools.flatMap(([, files]) => files)],
    entered: enteredIn(text).slice(0, foldersMax),
  }
}

const placesOf = ({ entered }: Names, dirs: readonly string[]): string[] => [
  ...new Set([...dirs, ...resolved(entered, dirs)]),
]

const resolved = (names: readonly string[], dirs: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => dirs.map((dir) => resolve(dir, name)))),
]

async function fileAt(path: string) {
  const found = await stat(path).catch(() => null)
  return found?.isFile() ? found : null
}

/** A word may begin with a variable (`$CLAUDE_PROJECT_DIR/…`), so what follows its first slash counts as well. */
function wordsIn(text: string): string[] {
  const quoted = [...text.matchAll(/"((?:[^"\\\n]|\\.){1,500})"|'([^'\n]{1,500})'/g)].map(
    ([, one, other]) => one ?? other ?? '',
  )
  const words = text.match(/(?:[\p{L}\p{M}\p{N}_@.+~,/-]|\\[^\n])+/gu) ?? []
  const parts = words.flatMap((word) => [...word.split(','), ...withoutOptions(word)])
  const spelled = [...quoted, ...words, ...parts].map((word) => word.replace(/\\(.)/g, '$1'))
  return [...new Set(spelled.flatMap((word) => [word, word.slice(word.indexOf('/') + 1)]))]
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, wordsMax)
}

/** `sed -nftools/x.sed`: the value of an option, which may follow others in the same word. */
const withoutOptions = (word: string): string[] =>
  /^-[a-zA-Z]/.test(word)
    ? [2, 3, 4].map((at) => word.slice(at)).filter((value) => value.length > 1)
    : []

/** Patterns of the shell with a name in them, which is at most one folder at a time. */
const patternsIn = (text: string): string[] =>
  [...new Set(text.match(/[\p{L}\p{M}\p{N}_@.+~*?{},[\]/-]+/gu) ?? [])]
    .filter((word) => /[*?[{]/.test(word) && /[\p{L}\p{N}]/u.test(word) && !word.includes('**'))
    .slice(0, patternsMax)

async function matching(patterns: readonly string[], dirs: readonly string[]): Promise<string[]> {
  const found: string[] = []
  let entries = 0
  const exclude = () => ++entries > entriesMax
  for (const pattern of patterns)
    for (const dir of dirs)
      try {
        for await (const name of glob(pattern, { cwd: dir, exclude })) {
          found.push(resolve(dir, name))
          if (found.length >= matchesMax) return found
        }
        if (entries > entriesMax) return found
      } catch {
        // The pattern is none.
      }
  return found
}

const captured = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].flatMap(([, one]) => one ?? [])),
]

/** `cd tools`, `make -C tools`. */
const enteredIn = (text: string): string[] =>
  captured(
    text,
    /(?:\b(?:cd|pushd)|(?:^|\s)(?:-C|--(?:prefix|dir|cwd|directory)))(?:=|\s+|["']\s*,\s*["'])["']?([^\s"';&|,]+)/g,
  )

/** Files that are run or loaded whatever their names look like, with those that Node finds for them. */
const ranIn = (text: string): string[] =>
  [...new Set([...givenIn(text), ...interpretedIn(text), ...inputsIn(text)])]
    .slice(0, wordsMax)
    .flatMap((name) => moduleEndings.map((ending) => name + ending))

/** https://nodejs.org/api/modules.html#all-together, and the order of Bun. */
const moduleEndings = ['', '.js', '.cjs', '.mjs', '.ts', '/index.js', '/index.cjs', '/index.ts']

/** `bash setup.txt`, `node tools/check`, `. config.env`, also as `"bash", "setup.txt"`. */
const interpretedIn = (text: string): string[] =>
  captured(text, interpreted).flatMap((words) =>
    words.split(/[\s,"']+/).filter((word) => word !== '' && !word.startsWith('-')),
  )
const interpreters =
  '(?:ba|z|da|k|c|tc)?sh|fish|source|\\.|node(?:js)?|bun|deno|tsx|ts-node|python[\\d.]*|pypy\\d?|ruby|perl|php|lua|osascript|pwsh|powershell'
/** Their first words: options, with or without values, come before the file. */
const interpreted = new RegExp(
  `(?:^|[\\s"';&|(/])(?:${interpreters})["']?((?:[\\s,]+["']?[^\\s"';&|,<>()]+["']?){1,6})`,
  'g',
)

/** `bash < commands.txt`. */
const inputsIn = (text: string): string[] => captured(text, /<["']?[\s,]*["']?([^\s"';&|<>()]+)/g)

/** `make -f rules`, also as `"-f", "rules"`. */
const givenIn = (text: string): string[] =>
  captured(
    text,
    /(?:^|[\s"'])(?:-[frc]|--(?:file|makefile|config|require|import|loader|init-file|rcfile|script))(?:=|\s+|["']\s*,\s*["'])["']?([^\s"';&|,]+)/g,
  )

/** `python3 -m tools.check`. */
const modulesIn = (text: string): string[] =>
  captured(text, /(?:^|[\s"'])-m["']?[\s,]+["']?([A-Za-z_][\w.]*)/g).flatMap((name) => {
    const path = name.replaceAll('.', '/')
    return [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`]
  })
