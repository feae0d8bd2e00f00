import { accessSync, constants, readlinkSync } from 'node:fs'
import path from 'node:path'
import { lstatOf, orNull, statOf } from './file-facts.ts'
import { folderNamedBy, readGitStart, readIfPossible, withoutLineEnd } from './read-git-file.ts'

/** Returns the nearest folder from `dir` upwards that has a `.git`. */
export function nearestRepository(dir: string): string | null {
  for (let at = dir; ; at = path.dirname(at)) {
    const found = statOf(path.join(at, '.git'))
    const isOne = found?.isDirectory() ? isGitFolder(path.join(at, '.git')) : found !== null
    if (isOne) return at
    if (path.dirname(at) === at) return null
  }
}

/**
 * Git skips a `.git` folder that is no repository, by these rules exactly: otherwise Shiplog would show and watch files
 * of another repository than the one whose commands run.
 */
function isGitFolder(gitDir: string): boolean {
  if (!isHead(path.join(gitDir, 'HEAD'))) return false
  const common = withoutLineEnd(readIfPossible(path.join(gitDir, 'commondir')) ?? '')
  return ['objects', 'refs'].every((name) => canBeEntered(path.resolve(gitDir, common, name)))
}

/** Git reads no more of HEAD to decide. */
const headBytesMax = 255

function isHead(file: string): boolean {
  if (lstatOf(file)?.isSymbolicLink())
    return orNull(() => readlinkSync(file))?.startsWith('refs/') ?? false
  const text = orNull(() => readGitStart(file, headBytesMax).toString('latin1'))
  return text !== null && /^(?:ref:[ \t\n\r]*refs\/|[0-9a-fA-F]{40})/.test(text)
}

/** Git does not check that it is a folder. */
const canBeEntered = (file: string): boolean =>
  orNull(() => accessSync(file, constants.X_OK) ?? true) === true

/** Reports whether Git would find a repository in the folder itself. A `.git` file that leads nowhere is none. */
export function isRepository(dir: string): boolean {
  const dotGit = path.join(dir, '.git')
  const found = statOf(dotGit)
  if (!found?.isFile()) return found?.isDirectory() === true && isGitFolder(dotGit)
  const target = folderNamedBy(readIfPossible(dotGit) ?? '')
  return target !== undefined && isGitFolder(path.resolve(dir, target))
}
