/**
 * Reads the commands that a repository's own configuration makes Git run, and the remotes from
 * which missing objects of a partial clone would be fetched (K8). The user's own configuration
 * (system, global) is trusted.
 */

import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import path from 'node:path'
import { nullForGitError } from '../command/errors.ts'
import { fields, type GitRunOptions, type RunGit } from '../command/run-git.ts'
import { exists, orNull } from '../repository/file-facts.ts'
import { readGitDir } from '../repository/git-dir.ts'
import { nearestRepository } from '../repository/nearest-repository.ts'
import type { Place, ReadConfig, RepositoryConfig, Setting } from './configuration.ts'
import { type Ask, fetchesIn, promisorsIn } from './fetches.ts'
import { assertReviewable, listBytesMax, tooLarge } from './reviewable.ts'
import { scriptsOf } from './scripts.ts'
import { refuseDevices, specialFilesIn } from './special-files.ts'

/**
 * A name may be empty. The commands that Git LFS would start come last, because LFS is the user's
 * filter with the user's programs.
 */
const commandKey =
  /^(?:filter\.(.*)\.(?:clean|smudge|process)|merge\.(.*)\.driver|lfs\.(?:extension\..*\.(?:clean|smudge)|customtransfer\..*\.(?:path|args)))$/s
const lfsKey = /^lfs\./
/** Programs of Git 2.54 that `core.hooksPath` does not disable. */
const hookKey = /^hook\.(.*)\.(?:command|event)$/s
const filterParts = ['clean', 'smudge', 'process', 'required'] as const
/** Git's own three-way merge of text, as if the repository had no merge driver. */
const plainMerge = 'git merge-file --quiet %A %O %B'
/** Commands that run on a connection to a server: Git LFS connects in the middle of a checkout. */
const programKey = /^(?:core\.(?:sshcommand|gitproxy|askpass)|credential\.(?:.*\.)?helper)$/s
/** Regular expressions for the headings of hunks: some take years to match, or all memory to compile. */
const headingKey = /^diff\..*\.x?funcname$/s
/** The headings of files without a driver, in both kinds of regular expressions. */
const plainHeading = '^[[:alpha:]_$].*'
/** `minimal` takes minutes or hours where others take seconds: it looks for the shortest difference of any files. */
const algorithmKey = /^diff\.(?:.*\.)?algorithm$/s
/** How many files are compared with how many: without a limit, a large move takes hours. */
const renameLimitKey = /^(?:diff|merge)\.renamelimit$/
const gitsRenameLimit = '1000'
const identityKey = /^(?:user|author|committer)\.(?:name|email)$/
const proxyKey = /^(?:remote\.(?:.*)\.proxy|http\.(?:.*\.)?proxy)$/s

/**
 * Reads the configuration of the repository at `place`. `personalFiles` are the user's files found before; if they are
 * complete, one Git process is enough. Throws GitError.
 */
export async function readRepositoryConfig(
  git: RunGit,
  place: Place,
  personalFiles: Iterable<string> = [],
): Promise<ReadConfig> {
  const { dir, gitDir, workTree } = place
  refuseDevices(dir)
  const call = (args: readonly string[], options: Partial<GitRunOptions> = {}) =>
    git([...(gitDir === null ? [] : ['--git-dir', gitDir]), ...args], { cwd: dir, ...options })
  const ask = async (...args: string[]) => (await call(args)).stdout
  const list = async () => {
    const args = ['config', '--list', '-z', '--show-scope', '--show-origin']
    const { stdout, truncated } = await call(args, { stdoutBytesMax: listBytesMax, cut: true })
    if (truncated) throw tooLarge(dir)
    return stdout
  }
  const isOutside = gitDir === null && isOutsideRepositories(dir)
  const likely = isOutside ? [path.join(dir, 'HEAD')] : await likelyFiles(place)
  const expected = likely && [...likely, ...personalFiles]
  const before = expected && fingerprintOf(dir, expected)
  const bytes = await list()
  const parts = fields(bytes)
  const settings: Setting[] = []
  const files = new Set<string>()
  const foundPersonal = new Set<string>()
  let includes = false
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [scope = '', origin = '', entry = ''] = parts.slice(at, at + 3)
    if (scope === 'command') continue
    const own = scope === 'local' || scope === 'worktree'
    const end = entry.indexOf('\n')
    // A key without a value means true.
    const key = end < 0 ? entry : entry.slice(0, end)
    settings.push({ own, key, value: end < 0 ? 'true' : entry.slice(end + 1) })
    const file = path.resolve(dir, origin.replace(/^file:/, ''))
    ;(own ? files : foundPersonal).add(file)
    if (!own) continue
    includes ||= /^include(?:if\..+)?\.path$/s.test(key)
  }
  const promisors = promisorsIn(settings)
  assertReviewable(dir, settings.filter(isToReview), promisors)
  // The list has no settings of a file that does not exist yet.
  if (settings.some(({ own, key }) => own && key === 'extensions.worktreeconfig')) {
    const file = (await ask('rev-parse', '--git-path', 'config.worktree')).toString()
    files.add(path.resolve(dir, file.replace(/\n$/, '')))
  }
  const special = await specialFilesIn(dir, settings)
  for (const file of special.named) files.add(file)
  const commands = commandsIn(settings)
  const top = gitDir === null ? await topOf(ask, dir, settings) : workTree
  const { scripts, watched, named, isPythonForeign } = await scriptsOf(commands, top)
  for (const file of watched ?? []) files.add(file)
  const { fetches, unfetchable } = await fetchesIn(ask, settings, promisors)
  return {
    unfetchable,
    named,
    isPythonForeign,
    asks: await listing(ask, { dir, commands, fetches, scripts }),
    withoutCommands: commands.length > 0 ? withoutCommands(settings, commands) : [],
    always: [
      ...withoutHooks(settings),
      ...personalPrograms(settings),
      ...personalSettings(settings, headingKey, plainHeading),
      ...personalSettings(settings, renameLimitKey, gitsRenameLimit),
      ...personalSettings(settings, algorithmKey, 'default'),
      ...special.instead,
      ...(await wrongIgnoreCase(dir, settings)),
    ],
    forFetching: fetches.length > 0 ? personalSettings(settings, proxyKey, '') : [],
    remotes: remotesIn(settings),
    ownRemotes: remotesIn(settings.filter(({ own, key }) => own && key.endsWith('.url'))).map(
      ({ name }) => name,
    ),
    identity: new Set(settings.flatMap(({ key }) => (identityKey.test(key) ? [key] : []))),
    personalFiles: [...foundPersonal],
    autocrlf: autocrlfIn(settings),
    // An included file may appear, or apply to another branch, without a change of any of these
    // files.
    fingerprint:
      includes || watched === null || (files.size === 0 && !isOutside) ? null : await fingerprint(),
  }

  /** Returns null if a file changed while the configuration was being read. */
  async function fingerprint(): Promise<ReadConfig['fingerprint']> {
    const all = [...files, ...foundPersonal]
    if (expected && all.every((file) => expected.includes(file))) {
      const now = () => fingerprintOf(dir, expected)
      const then = now()
      return then === before ? { then, now } : null
    }
    const now = () => fingerprintOf(dir, all)
    const then = now()
    return bytes.equals(await list()) ? { then, now } : null
  }
}

/** Returns the root of the working tree, in which the commands of a repository run. */
async function topOf(ask: Ask, dir: string, settings: readonly Setting[]): Promise<string | null> {
  if (!settings.some(({ own, key }) => own && key === 'core.worktree'))
    return nearestRepository(path.resolve(dir))
  // Git fails where there is none.
  const top = await ask('rev-parse', '--show-toplevel').catch(nullForGitError)
  return top?.toString().replace(/\n$/, '') ?? null
}

/** A bare repository, which an older Git would use, has a HEAD. */
const isOutsideRepositories = (dir: string): boolean =>
  nearestRepository(path.resolve(dir)) === null && !exists(path.join(dir, 'HEAD'))

/**
 * Returns the files with a repository's own settings, unless they include others; null if only Git
 * can answer.
 */
async function likelyFiles({ dir, gitDir }: Place): Promise<string[] | null> {
  if (gitDir !== null) {
    const named = path.resolve(dir, gitDir)
    return [path.join(named, 'config'), path.join(named, 'config.worktree')]
  }
  const found = readGitDir(dir)
  return found && [path.join(found.commonDir, 'config'), path.join(found.gitDir, 'config.worktree')]
}

function remotesIn(settings: readonly Setting[]): ReadConfig['remotes'] {
  return settings.flatMap(({ key, value }) => {
    const [, name] = /^remote\.(.*)\.(?:push)?url$/s.exec(key) ?? []
    return name === undefined || value === '' ? [] : [{ name, url: value }]
  })
}

/** Returns environment variables, because `-c` can't set a name that contains `=`. */
export function asVariables(settings: readonly Setting[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) }
  for (const [n, { key, value }] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${n}`] = key
    variables[`GIT_CONFIG_VALUE_${n}`] = value
  }
  return variables
}

/** Returns the last value in the user's own configuration. */
const personal = (settings: readonly Setting[], key: string): string | undefined =>
  settings.findLast((one) => !one.own && one.key === key)?.value

function autocrlfIn(settings: readonly Setting[]): ReadConfig['autocrlf'] {
  const value = settings.findLast(({ key }) => key === 'core.autocrlf')?.value.toLowerCase()
  if (value === 'input') return 'input'
  return value !== undefined && isTrue(value) ? 'true' : null
}

function commandsIn(settings: readonly Setting[]): { key: string; value: string }[] {
  const last = new Map<string, string>()
  for (const { own, key, value } of settings) if (own && commandKey.test(key)) last.set(key, value)
  return [...last]
    .filter(([key, value]) => value !== '' && personal(settings, key) !== value)
    .map(([key, value]) => ({ key, value }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

function withoutCommands(
  settings: readonly Setting[],
  commands: readonly { key: string }[],
): Setting[] {
  const filters = new Set<string>()
  const instead: Setting[] = []
  const set = (key: string, value: string) => instead.push({ own: false, key, value })
  const lfsFilters = commands.some(({ key }) => lfsKey.test(key)) ? lfsFiltersIn(settings) : []
  for (const filter of lfsFilters)
    for (const part of filterParts)
      set(`filter.${filter}.${part}`, part === 'required' ? 'false' : '')
  for (const { key } of commands) {
    const [, filter, driver] = commandKey.exec(key) ?? []
    if (filter !== undefined && lfsFilters.includes(filter)) continue
    if (filter !== undefined) filters.add(filter)
    if (driver !== undefined) set(key, personal(settings, key) ?? plainMerge)
  }
  for (const filter of filters) {
    for (const part of filterParts) {
      const key = `filter.${filter}.${part}`
      // A `process` setting, even an empty one, overrides `clean` and `smudge`.
      if (part !== 'required' && !settings.some((one) => one.key === key)) continue
      // A required filter without a command would make every call fail.
      set(key, personal(settings, key) ?? (part === 'required' ? 'false' : ''))
    }
  }
  return instead
}

/** Returns the names of the filters that run Git LFS, which would start the repository's commands. */
function lfsFiltersIn(settings: readonly Setting[]): string[] {
  const names = settings.flatMap(({ key, value }) =>
    /\blfs\b/.test(value) ? (/^filter\.(.*)\.[a-z]+$/s.exec(key)?.[1] ?? []) : [],
  )
  return [...new Set(names)]
}

/**
 * A repository that was copied from another system may be configured for a disk that ignores case
 * when this one does not: then Git would miss the new name of a file that was renamed in case only.
 */
async function wrongIgnoreCase(dir: string, settings: readonly Setting[]): Promise<Setting[]> {
  const value = settings.findLast(({ key }) => key === 'core.ignorecase')?.value ?? 'false'
  const root = isTrue(value) ? nearestRepository(path.resolve(dir)) : null
  if (root === null || exists(path.join(root, '.GIT'))) return []
  return [{ own: false, key: 'core.ignorecase', value: 'false' }]
}

const isTrue = (value: string): boolean => /^(?:true|yes|on|1)$/i.test(value)

function withoutHooks(settings: readonly Setting[]): Setting[] {
  const names = settings.flatMap(({ key }) => hookKey.exec(key)?.[1] ?? [])
  return [...new Set(names)].map((name) => ({
    own: false,
    key: `hook.${name}.enabled`,
    value: 'false',
  }))
}

const isToReview = ({ own, key }: Setting): boolean =>
  own && [commandKey, hookKey, programKey, headingKey].some((one) => one.test(key))

function personalPrograms(settings: readonly Setting[]): Setting[] {
  const instead: Setting[] = []
  const keys = new Set(
    settings.filter((one) => one.own && programKey.test(one.key)).map((one) => one.key),
  )
  for (const key of keys) {
    if (key.endsWith('helper')) continue
    const otherwise = key === 'core.sshcommand' ? 'ssh' : ''
    instead.push({ own: false, key, value: personal(settings, key) ?? otherwise })
  }
  if ([...keys].some((key) => key.endsWith('helper'))) {
    // An empty helper clears the list; the user's own are added again after it.
    instead.push({ own: false, key: 'credential.helper', value: '' })
    const isHelper = /^credential\.(?:.*\.)?helper$/s
    instead.push(...settings.filter((one) => !one.own && isHelper.test(one.key)))
  }
  return instead
}

/** Replaces the repository's own values by those of the user. */
function personalSettings(
  settings: readonly Setting[],
  which: RegExp,
  otherwise: string,
): Setting[] {
  const keys = settings.filter((one) => one.own && which.test(one.key)).map((one) => one.key)
  return [...new Set(keys)].map((key) => ({
    own: false,
    key,
    value: personal(settings, key) ?? otherwise,
  }))
}

async function listing(
  ask: Ask,
  found: Omit<RepositoryConfig, 'sha256'> & { dir: string },
): Promise<RepositoryConfig | null> {
  const { dir, commands, scripts, fetches } = found
  if (commands.length === 0 && fetches.length === 0) return null
  const place = (await ask('rev-parse', '--git-common-dir')).toString().replace(/\n$/, '')
  const all = [
    path.resolve(dir, place),
    commands,
    fetches,
    ...(scripts.length > 0 ? [scripts] : []),
  ]
  const sha256 = createHash('sha256').update(JSON.stringify(all)).digest('hex')
  return { commands, scripts, fetches, sha256 }
}

function fingerprintOf(dir: string, files: readonly string[]): string {
  // Files in a `.git` folder can refer to a configuration elsewhere.
  const place = readGitDir(dir)
  // A repository created in a folder between the two is used by Git from then on.
  const nearest = nearestRepository(path.resolve(dir))
  const folders = new Set([dir, nearest ?? dir].map((folder) => path.join(folder, '.git')))
  const marks = [...folders, ...files].map((file) => {
    const found = orNull(() => statSync(file, { bigint: true }))
    return found && !found.isDirectory()
      ? `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`
      : `${found?.dev}:${found?.ino}`
  })
  return [nearest, place?.gitDir, place?.commonDir, ...marks].join(' ')
}
