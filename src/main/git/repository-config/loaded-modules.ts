/** Finds what an interpreter loads for a script by names without a path or an ending (K8). */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { exists, orNull } from '../repository/file-facts.ts'

interface Loaded {
  /** Absolute paths at which a file would be loaded, whether there is one or not. */
  paths: string[]
  /** Folders in which Python looks for every module, those of its own library too: any new one is loaded. */
  pythonDirs: string[]
}

/** More are not legitimate, and each is looked up on the disk. */
const namesMax = 200
const placesMax = 10

/** https://nodejs.org/api/modules.html#all-together */
const nodeEndings = [
  ...['', '.js', '.cjs', '.mjs', '.json', '.ts', '.cts', '.mts', '.tsx', '.jsx'],
  ...['/package.json', '/index.js', '/index.cjs', '/index.mjs', '/index.json', '/index.ts'],
]
const nodeFile = /\.[cm]?[jt]sx?$/i
const otherEnding = /\.(?:rb|pl|pm|php|lua)$/i
const pythonModule = /\.(?:py|pyc|pyd|so)$/i
const runsPython = /\b(?:python|pypy)[\d.]*\b/i

export const mentionsPython = (command: string): boolean => runsPython.test(command)

/** Reports whether Python runs the file. */
const isPython = (file: string, text: string, command: string): boolean =>
  /\.pyw?$/i.test(file) ||
  /^#!.*python/.test(text) ||
  (path.extname(file) === '' && mentionsPython(command) && !text.startsWith('#!'))

/** Returns what a script loads. `top` is the root of the working tree, `roots` are folders of the Python scripts before it. */
export function loadedBy(
  file: string,
  text: string,
  { top, roots, command }: { top: string; roots: readonly string[]; command: string },
): Loaded {
  const dir = path.dirname(file)
  if (isPython(file, text, command)) {
    const dirs = [...new Set([dir, ...roots])]
    return { paths: [...importedIn(text, dirs), ...dirs.flatMap(modulesIn)], pythonDirs: [dir] }
  }
  const isPackage = path.basename(file) === 'package.json'
  if (isPackage || nodeFile.test(file)) {
    const packages = [...new Set([top, dir])].map((from) => path.join(from, 'node_modules'))
    const found = quotedIn(text).flatMap((name) => {
      if (name.startsWith('.') || isPackage) return [path.resolve(dir, name)]
      return /^[@\w][\w.@/-]*$/.test(name) ? packages.map((from) => path.join(from, name)) : []
    })
    return {
      paths: found.flatMap((one) => nodeEndings.map((ending) => one + ending)),
      pythonDirs: [],
    }
  }
  if (!otherEnding.test(file)) return { paths: [], pythonDirs: [] }
  const used = [...text.matchAll(/(?:^|[;{}])[ \t\f\v]*(?:use|require)\s+([\w:]+)/gm)].map(
    ([, name = '']) => name.replaceAll('::', '/'),
  )
  const names = [...quotedIn(text), ...used]
  const endings = ['', path.extname(file), ...(/\.p[lm]$/i.test(file) ? ['.pm'] : [])]
  const added = addedPlaces(text).flatMap((name) => [
    path.resolve(dir, name),
    path.resolve(top, name),
  ])
  const places = [...new Set([dir, path.join(dir, 'lib'), top, path.join(top, 'lib'), ...added])]
  return {
    paths: places.flatMap((place) =>
      names.flatMap((name) =>
        [name, name.replaceAll('.', '/')].flatMap((one) =>
          endings.map((ending) => path.resolve(place, one + ending)),
        ),
      ),
    ),
    pythonDirs: [],
  }
}

/** Folders in which Perl, Ruby or Lua shall look too: `use lib "$FindBin::Bin/own"`. */
const addedPlaces = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => /\buse\s+lib\b|@INC\b|\$:|\bLOAD_PATH\b|\bpackage\.path\b/.test(line))
    .flatMap((line) => [
      ...quotedIn(line),
      ...(/\bqw\W([^)}\]/]+)/.exec(line)?.[1]?.split(/\s+/) ?? []),
    ])
    // What follows the first slash, if it begins with a variable.
    .flatMap((name) => [name, name.slice(name.indexOf('/') + 1)])
    .map((name) => name.replace(/\/?\?\.lua$/, ''))
    .slice(0, placesMax)

/** Files that are run if only their folder is named (`python3 tools`), or that choose what a package manager runs. */
export function entriesOf(command: string, folders: readonly string[], top: string): string[] {
  const packages = /\b(?:np[mx]|pnp[mx]|yarn|bunx?)\b/.test(command)
    ? ['.npmrc', '.yarnrc', '.yarnrc.yml', 'package.json']
    : []
  const make = /\bmake\b/.test(command) ? ['GNUmakefile', 'makefile', 'Makefile'] : []
  return [
    ...[top, ...folders].flatMap((dir) =>
      [...packages, ...make].map((name) => path.join(dir, name)),
    ),
    ...folders.flatMap((dir) =>
      ['__main__.py', 'index.js', 'package.json'].map((name) => path.join(dir, name)),
    ),
    // `perl -MName`
    ...[...command.matchAll(/(?:^|\s)-[a-zA-Z]*M([\w:]+)/g)].flatMap(([, name = '']) =>
      folders.map((dir) => path.join(dir, `${name.replaceAll('::', '/')}.pm`)),
    ),
  ]
}

/** Reports whether Python would load the file at a path of the working tree as a module of one of the folders. */
export function isModuleIn(folders: ReadonlySet<string>): (name: string) => boolean {
  return (name) => {
    const dir = path.posix.dirname(name)
    if (!pythonModule.test(name)) return false
    return (
      folders.has(dir) ||
      (/^__init__\./i.test(path.posix.basename(name)) && folders.has(path.posix.dirname(dir)))
    )
  }
}

const quotedIn = (text: string): string[] =>
  [
    ...new Set([...text.matchAll(/["'`]([^"'`\s]{1,200})["'`]/g)].map(([, name = '']) => name)),
  ].slice(0, namesMax)

/** Every module in the folder: those of Python's own library import others, whose names are in no text here. */
function modulesIn(dir: string): string[] {
  const names = orNull(() => readdirSync(dir)) ?? []
  return names.flatMap((name) => {
    const file = path.join(dir, name)
    if (pythonModule.test(name)) return [file]
    const own = path.join(file, '__init__.py')
    return exists(own) ? [own] : []
  })
}

/** `from a.b import c`, `import a.b`: each package on the way is loaded as well. */
function importedIn(text: string, dirs: readonly string[]): string[] {
  const statement =
    /^[ \t]*(?:from[ \t]+(\.*)((?:\w[\w.]*)?)[ \t]+import[ \t]+\(?([\w, \t*]*)|import[ \t]+([\w., \t]+))/gm
  const found = new Set<string>()
  const add = (base: string) => {
    found.add(`${base}.py`)
    found.add(path.join(base, '__init__.py'))
  }
  for (const [, dots = '', from = '', names = '', plain = ''] of text.matchAll(statement)) {
    for (const dir of dirs) {
      const start = path.resolve(dir, ...Array(Math.max(0, dots.length - 1)).fill('..'))
      const modules =
        plain === '' ? [from] : plain.split(',').map((one) => one.trim().split(/\s/)[0] ?? '')
      for (const name of modules) {
        let base = start
        for (const part of name.split('.').filter(Boolean)) {
          base = path.join(base, part)
          add(base)
        }
        if (plain === '') for (const one of names.match(/\w+/g) ?? []) add(path.join(base, one))
      }
    }
    if (found.size > 4 * namesMax) break
  }
  return [...found]
}
