/** Finds a repository's configuration of an installed agent: files that it runs, or that grant it permissions (K8). */
import { createHash } from 'node:crypto'
import { readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { InstalledAgent } from '../../../../shared/agents/installed-agents.ts'
import { isNotUtf8 } from '../../../journal/files/raw-path.ts'
import { readDataFile, systemCode } from '../../../journal/index.ts'
import { filesNamedIn } from '../../../processes/named-files.ts'
import { withoutSecrets } from './env-secrets.ts'
import { isEnvFile, isKnownData, isSkippedFolder, locationsOf } from './locations.ts'
import { runsCode } from './runs-code.ts'

export interface ConfigurationFile {
  /** Relative to the top of the repository, with `/` as separator. */
  path: string
  /** The hash of its path and content, in hex. */
  sha256: string
  /** The content for people, without the values of secrets. */
  text: string
}

interface Configuration {
  files: ConfigurationFile[]
  /** Files that can't be shown, so nobody can allow them. `why` is a sentence without its subject. */
  unshowable: { path: string; why: string }[]
}

/** Nobody reads more before allowing it, and an entry of the record holds no more. */
const bytesMax = 200 * 1024
const filesMax = 300
const foldersMax = 1_000

interface Place {
  /** The working directory of the agent. Absolute. */
  cwd: string
  program: InstalledAgent
  /** Lists all files below a folder of a repository as Git does, with `/`. Absent if nested files are not searched. */
  listFiles?: (dir: string) => Promise<readonly string[]>
  /** Reports whether Git would find a repository in the folder itself. */
  isRepository: (dir: string) => boolean
  /** Reports whether the value of a variable must not be shown. */
  isSecret: (name: string, value: string) => boolean
}

/** Reads the files at each call, without a cache. Rejects with the system's error for a folder that can't be read. */
export async function findConfiguration(place: Place): Promise<Configuration> {
  const cwd = await realpath(place.cwd)
  const top = await topOf(cwd, place.isRepository)
  const { paths, nested } = locationsOf(place.program)
  const found = new Map<string, TextFile>()
  const unshowable = new Map<string, Configuration['unshowable'][number]>()
  let walkedFolders = 0

  function refuse(path: string, why: string): void {
    unshowable.set(path, { path, why })
  }

  /** `path` is relative to the top; `level` is the folder in which the agent looks for it. */
  async function addPath(path: string, level: string): Promise<void> {
    if (found.has(path) || unshowable.has(path)) return
    if (found.size + unshowable.size >= filesMax)
      return refuse(path, `is one of more than ${filesMax} files`)
    // It was read as another name, of which there may be a file as well: the agent reads the one, and this the other.
    if (isNotUtf8(path)) return refuse(path, 'has a name that is not UTF-8')
    const target = await targetOf(join(top, path))
    if (target === null) return
    if (isNotUtf8(target.real)) return refuse(path, leadsToOtherName)
    const below = slashed(relative(top, target.real))
    if (/^\.\.(?:\/|$)/.test(below) || isAbsolute(below))
      return refuse(path, `is a link that leads out of the repository, to ${target.real}`)
    if (target.kind === 'folder') {
      if (isSkippedFolder(path)) return
      // Bounded, because a link to a parent folder would never end.
      walkedFolders++
      if (walkedFolders > foldersMax)
        return refuse(path, `is one of more than ${foldersMax} folders`)
      for (const name of (await readdir(target.real)).sort())
        await addPath(`${path}/${name}`, level)
      return
    }
    if (isKnownData(path.slice(level.length).replace(/^\//, ''))) return
    if (target.kind === 'other') return refuse(path, 'is no regular file')
    const read = await readText(target.real, target.bytes)
    if (typeof read === 'string') return refuse(path, read)
    if (runsCode(path, read.text)) found.set(path, read)
  }

  for (const level of levelsOf(cwd, top))
    for (const one of paths) {
      const path = slashed(join(level, one)).replace(/\/$/, '')
      const isFolder = one.endsWith('/')
      const target = await targetOf(join(top, path))
      if (target !== null && (target.kind === 'folder') === isFolder) await addPath(path, level)
      // Neither a file nor a folder: `addPath` reports it.
      else if (target?.kind === 'other') await addPath(path, level)
    }
  if (nested && place.listFiles) {
    const below = slashed(relative(top, cwd))
    for (const name of await place.listFiles(cwd))
      if (nested.test(name)) {
        const path = below === '' ? name : `${below}/${name}`
        const at = path.slice(0, path.length - name.length + name.search(nested))
        await addPath(path, at.replace(/\/$/, ''))
      }
  }
  for (const [path, { text }] of [...found])
    for (const name of await scriptsIn({ path, text, top, cwd })) {
      if (found.has(name) || unshowable.has(name)) continue
      const target = await targetOf(join(top, name))
      if (target?.kind !== 'file') continue
      if (isNotUtf8(target.real)) {
        refuse(name, leadsToOtherName)
        continue
      }
      const read = await readText(target.real, target.bytes)
      if (typeof read === 'string') refuse(name, read)
      else found.set(name, whatRuns(name, read))
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

const leadsToOtherName = 'is a link to a file whose name is not UTF-8'

const hashOf = (path: string, bytes: Uint8Array): string =>
  createHash('sha256').update(`${path}\0`).update(bytes).digest('hex')

const slashed = (path: string): string => path.replaceAll(sep, '/')

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1024)} KB`

/**
 * Returns the working tree that contains `cwd`. If it is in none, agents search all folders above: then the outermost one
 * that is neither the file system's root nor the user's home folder, whose configuration is the user's own, or contains it.
 */
async function topOf(cwd: string, isRepository: Place['isRepository']): Promise<string> {
  const home = await realpath(homedir()).catch(homedir)
  let top = cwd
  for (let dir = cwd; dir !== dirname(dir); dir = dirname(dir)) {
    if (isRepository(dir)) return dir
    if (!`${home}${sep}`.startsWith(`${dir}${sep}`)) top = dir
  }
  return top
}

/** Returns the folders from the working directory up to the top, as paths relative to the top. */
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

/** Returns null if nothing is at `path`, or a link to nothing. */
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

interface TextFile {
  bytes: Uint8Array
  text: string
}

/** Returns the file, or the reason why it can't be shown, as a sentence without its subject. */
async function readText(file: string, size: number): Promise<TextFile | string> {
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

/** Finds files of the repository that a configuration runs. They must be allowed too, because it runs their content. */
async function scriptsIn({
  path,
  text,
  top,
  cwd,
}: {
  path: string
  text: string
  top: string
  cwd: string
}): Promise<string[]> {
  const whole = /\.jsonc?$/i.test(path) ? `${text}\n${stringsIn(text).join('\n')}` : text
  const dirs = [...new Set([cwd, top, dirname(join(top, path))])]
  const found = await filesNamedIn(whole, { dirs, all: false })
  return found
    .map((file) => slashed(relative(top, file)))
    .filter((one) => one !== '' && !/^\.\.(?:\/|$)/.test(one) && !isAbsolute(one))
}

/** Only the scripts of `package.json` are run. Its other parts change often. */
function whatRuns(path: string, read: TextFile): TextFile {
  if (!/(?:^|\/)package\.json$/.test(path)) return read
  try {
    const text = JSON.stringify({ scripts: JSON.parse(read.text).scripts }, null, 2)
    return { bytes: Buffer.from(text), text }
  } catch {
    return read
  }
}

/** Returns the keys and strings of a JSON text with their escapes resolved. */
function stringsIn(json: string): string[] {
  const strings: string[] = []
  try {
    JSON.parse(json, (key, value) => {
      strings.push(key)
      if (typeof value === 'string') strings.push(value)
    })
  } catch {
    // JSON with comments, or malformed: the caller reads the words of the text itself.
  }
  return strings
}
