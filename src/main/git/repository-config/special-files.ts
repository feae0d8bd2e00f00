/** Finds named pipes, devices and endless rules in the place of files of a repository that Git reads whole. */
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { endlessRuleIn } from '../command/endless-rules.ts'
import { GitError } from '../command/errors.ts'
import { orNull, statOf } from '../repository/file-facts.ts'
import { nearestRepository } from '../repository/nearest-repository.ts'
import { folderNamedBy, readIfPossible, withoutLineEnd } from '../repository/read-git-file.ts'
import type { Setting } from './configuration.ts'

/** Git reads these files without checking what they are. */
const readWhole = ['info/attributes', 'info/exclude', 'objects/info/alternates']
/** Hardly any path is deeper. The file is not looked into again while Git matches its rules. */
const rareDepth = { depth: 100, afterMs: 0 }
const fileKeys = ['core.excludesfile', 'core.attributesfile']

/**
 * Git would wait without end for a named pipe, read a device such as `/dev/zero` until memory is full, and match some rules
 * for years. `named` are the files to watch.
 */
export async function specialFilesIn(
  dir: string,
  settings: readonly Setting[],
): Promise<{ named: string[]; instead: Setting[] }> {
  const named: string[] = []
  const instead: Setting[] = []
  for (const key of fileKeys) {
    const last = settings.findLast((one) => one.key === key)
    if (!last?.own || last.value === '') continue
    const file = pathOf(dir, last.value)
    if (file !== null) named.push(file)
    const found = file === null ? null : statOf(file)
    const isHarmless = found === null ? file !== null : found.isFile() || found.isDirectory()
    // Git follows a link here.
    const target = file === null ? null : orNull(() => realpathSync(file))
    if (!isHarmless || (target !== null && (await endlessRuleIn(target, rareDepth)) !== null)) {
      const value = settings.findLast((one) => !one.own && one.key === key)?.value ?? '/dev/null'
      instead.push({ own: false, key, value })
    }
  }
  return { named, instead }
}

/** Resolves the path in a setting as Git does; null for another user's home folder, Git's own, and an optional path. */
function pathOf(dir: string, value: string): string | null {
  if (value.startsWith('~/')) return path.join(homedir(), value.slice(2))
  if (/^(?:~|[%:]\()/.test(value)) return null
  return path.resolve(nearestRepository(path.resolve(dir)) ?? dir, value)
}

/**
 * Throws GitError if such a file in Git's own folder is a device, such as `/dev/zero` by a link: Git would read it until
 * memory is full, and no setting makes it pass over the file. Also for a folder that only Git can understand.
 */
export function refuseDevices(dir: string): void {
  const top = nearestRepository(path.resolve(dir))
  if (top === null) return
  const dotGit = path.join(top, '.git')
  const target = folderNamedBy(readIfPossible(dotGit) ?? '') ?? '.git'
  const gitDir = path.resolve(top, target)
  for (const name of ['HEAD', 'commondir']) refuseDevice(path.join(gitDir, name))
  const text = (name: string) => {
    const found = readIfPossible(path.join(gitDir, name))
    return found === null ? undefined : withoutLineEnd(found)
  }
  const common = path.resolve(gitDir, text('commondir') ?? '')
  const [, reference] = /^ref:\s*(\S+)$/.exec(text('HEAD') ?? '') ?? []
  for (const name of [...readWhole, ...(reference ? [reference] : [])])
    refuseDevice(path.join(common, name))
}

function refuseDevice(file: string): void {
  const found = statOf(file)
  if (found?.isCharacterDevice() || found?.isBlockDevice())
    throw new GitError(['config', '--list'], null, `${file} is a device, not a file: remove it.`)
}
