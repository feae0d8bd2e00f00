/** Finds what a repository configures for an installed agent: files that it runs, or that allow it something (K8). */
import { createHash } from 'node:crypto'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { parseEnv } from 'node:util'
import type { InstalledAgent } from '../../../../shared/agents/installed-agents.ts'
import { readDataFile, systemCode } from '../../../journal/index.ts'
import { isEnvFile, isKnownData, isSkippedFolder, locationsOf } from './locations.ts'
import { runsCode } from './runs-code.ts'

export interface ConfigurationFile {
  /** From the top of the repository, with `/`. */
  path: string
  /** The hash of its path and content, in hex. */
  sha256: string
  /** As it is shown. */
  text: string
}

interface Configuration {
  files: ConfigurationFile[]
  /** Files that can't be shown, so nobody can allow them. `why`: a sentence without its subject. */
  unshowable: { path: string; why: string }[]
}

/** Nobody reads more before they allow it; it is also what an entry of the record holds. */
const bytesMax = 200 * 1024
const filesMax = 300
const foldersMax = 1_000
const namesMax = 5_000

interface Place {
  /** The working directory of the agent. Absolute. */
  cwd: string
  program: InstalledAgent
  /** All files below a folder of a repository, with `/`, as Git knows them. Absent: nested ones are not looked for. */
  listFiles?: (dir: string) => Promise<readonly string[]>
  /** Values of variables that are not shown. */
  isSecret: (name: string, value: string) => boolean
}

/** Reads the files at each call, without a cache. Rejects with the system's error for a folder that can't be read. */
export async function findConfiguration(place: Place): Promise<Configuration> {
  const cwd = await realpath(place.cwd)
  const top = await topOf(cwd)
  const { paths, nested } = locationsOf(place.program)
  const found = new Map<string, Read>()
  const unshowable = new Map<string, Configuration['unshowable'][number]>()
  let walkedFolders = 0

  function refuse(path: string, why: string): void {
    unshowable.set(path, { path, why })
  }

  /** `path`: from the top. */
  async function look(path: string): Promise<void> {
    if (found.has(path) || unshowable.has(path)) return
    if (found.size + unshowable.size >= filesMax)
      return refuse(path, `is one of more than ${filesMax} files`)
    const at = await targetOf(join(top, path))
    if (at === null) return
    const below = slashed(relative(top, at.real))
    if (/^\.\.(?:\/|$)/.test(below) || isAbsolute(below))
      return refuse(path, `is a link that leads out of the repository, to ${at.real}`)
    if (at.kind === 'folder') {
      if (isSkippedFolder(path)) return
      // A link to a folder above it would never end.
      walkedFolders++
      if (walkedFolders > foldersMax)
        return refuse(path, `is one of more than ${foldersMax} folders`)
      for (const name of (await readdir(at.real)).sort()) await look(`${path}/${name}`)
      return
    }
    if (isKnownData(path)) return
    if (at.kind === 'other') return refuse(path, 'is no regular file')
    const read = await readText(at.real, at.bytes)
    if (typeof read === 'string') return refuse(path, read)
    if (runsCode(path, read.text)) found.set(path, read)
  }

  for (const level of levelsOf(cwd, top))
    for (const one of paths) {
      const path = slashed(join(level, one)).replace(/\/$/, '')
      const isFolder = one.endsWith('/')
      const target = await targetOf(join(top, path))
      if (target !== null && (target.kind === 'folder') === isFolder) await look(path)
      // A link in place of a file, or what is neither, is reported.
      else if (target?.kind === 'other') await look(path)
    }
  if (nested && place.listFiles) {
    const below = slashed(relative(top, cwd))
    for (const name of await place.listFiles(cwd))
      if (nested.test(name)) await look(below === '' ? name : `${below}/${name}`)
  }
  for (const [path, { text }] of [...found])
    for (const name of await scriptsIn({ path, text, top, cwd })) {
      if (found.has(name) || unshowable.has(name)) continue
      const at = await targetOf(join(top, name))
      if (at?.kind !== 'file') continue
      const read = await readText(at.real, at.bytes)
      if (typeof read === 'string') refuse(name, read)
      else found.set(name, read)
    }
  const total = [...found.values()].reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (total > bytesMax)
    for (const path of [...found.keys()])
      refuse(path, `belongs to ${kilobytes(total)} of configuration, more than can be read at once`)
  return {
    files: [...found].map(([path, { bytes, text }]) => ({
      path,
      sha256: hashOf(path, bytes),
      text: isEnvFile(path) ? withoutSecrets(text, place.isSecret) : text,
    })),
    unshowable: [...unshowable.values()],
  }
}

const hashOf = (path: string, bytes: Uint8Array): string =>
  createHash('sha256').update(`${path}\0`).update(bytes).digest('hex')

const slashed = (path: string): string => path.replaceAll(sep, '/')

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1024)} KB`

/** The folder with `.git` that `cwd` is in; `cwd` itself outside of a repository, whose parents are the person's. */
async function topOf(cwd: string): Promise<string> {
  for (let dir = cwd; ; dir = dirname(dir)) {
    if (await exists(join(dir, '.git'))) return dir
    if (dir === dirname(dir)) return cwd
  }
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** From the working directory up to the top, as paths from the top. */
function levelsOf(cwd: string, top: string): string[] {
  const parts = relative(top, cwd).split(sep).filter(Boolean)
  return Array.from({ length: parts.length + 1 }, (_, up) =>
    parts.slice(0, parts.length - up).join('/'),
  )
}

interface Target {
  kind: 'file' | 'folder' | 'other'
  real: string
  bytes: number
}

/** Null: there is nothing, or a link to nothing. */
async function targetOf(path: string): Promise<Target | null> {
  try {
    const found = await stat(path)
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
    return { kind, real: await realpath(path), bytes: found.size }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) return null
    throw error
  }
}

interface Read {
  bytes: Uint8Array
  text: string
}

/** A sentence without its subject: why it can't be shown. */
async function readText(file: string, size: number): Promise<Read | string> {
  if (size > bytesMax) return `has ${kilobytes(size)}, more than can be shown`
  let bytes: Buffer
  try {
    bytes = await readDataFile(file)
  } catch (error) {
    return `can't be read (${systemCode(error) ?? (error as Error).message})`
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? 'is no text' : { bytes, text }
  } catch {
    return 'is no text'
  }
}

/** The values of secrets are no code, and don't belong into the record. */
function withoutSecrets(text: string, isSecret: Place['isSecret']): string {
  let shown = text
  for (const [name, value] of Object.entries(parseEnv(text)))
    if (value && isSecret(name, value)) shown = shown.replaceAll(value, '[hidden]')
  return shown
}

const script = /\.(?:sh|bash|zsh|fish|py|m?js|cjs|jsx|m?ts|cts|tsx|rb|pl|php|lua|ps1|cmd|bat|exe)$/i
const executable = 0o111

/** Scripts of the repository that a configuration names: what it runs with them changes as they do. */
async function scriptsIn(named: {
  path: string
  text: string
  top: string
  cwd: string
}): Promise<string[]> {
  const { top, cwd } = named
  const dirs = [...new Set([cwd, top, dirname(join(top, named.path))])]
  const scripts = new Set<string>()
  for (const word of wordsIn(named).slice(0, namesMax))
    for (const dir of dirs) {
      const file = resolve(dir, word)
      const path = slashed(relative(top, file))
      if (path === '' || /^\.\.(?:\/|$)/.test(path) || isAbsolute(path)) continue
      const found = await stat(file).catch(() => null)
      if (found?.isFile() && (script.test(file) || (found.mode & executable) !== 0))
        scripts.add(path)
    }
  return [...scripts]
}

/** What may be a path, also without its first part: that may be a variable (`$CLAUDE_PROJECT_DIR/…`). */
function wordsIn({ path, text }: { path: string; text: string }): string[] {
  const whole = /\.jsonc?$/i.test(path) ? `${text}\n${stringsIn(text).join('\n')}` : text
  const words = whole.match(/[\p{L}\p{M}\p{N}_@.+~/-]+/gu) ?? []
  return [...new Set(words.flatMap((word) => [word, word.slice(word.indexOf('/') + 1)]))].filter(
    (word) => /[\p{L}\p{N}]/u.test(word),
  )
}

/** With their escapes resolved. */
function stringsIn(json: string): string[] {
  const strings: string[] = []
  try {
    JSON.parse(json, (key, value) => {
      strings.push(key)
      if (typeof value === 'string') strings.push(value)
    })
  } catch {
    // With comments, or broken: its words are read as they are.
  }
  return strings
}
