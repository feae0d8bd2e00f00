import path from 'node:path'
import { exists, lstatOf, statOf } from './file-facts.ts'
import { readIfPossible } from './read-git-file.ts'

/** Returns the nearest folder from `dir` upwards that has a `.git`. */
export function nearestRepository(dir: string): string | null {
  for (let at = dir; ; at = path.dirname(at)) {
    const found = statOf(path.join(at, '.git'))
    const isOne = found?.isDirectory() ? isGitFolder(path.join(at, '.git')) : found !== null
    if (isOne) return at
    if (path.dirname(at) === at) return null
  }
}

/** Git skips a `.git` folder that is no repository. */
function isGitFolder(gitDir: string): boolean {
  const needed = exists(path.join(gitDir, 'commondir')) ? [] : ['objects', 'refs']
  return (
    isHead(path.join(gitDir, 'HEAD')) && needed.every((name) => exists(path.join(gitDir, name)))
  )
}

function isHead(file: string): boolean {
  if (lstatOf(file)?.isSymbolicLink()) return true
  const text = readIfPossible(file)
  return text !== null && /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(text)
}

/** Reports whether Git would find a repository in the folder itself. A `.git` file that leads nowhere is none. */
export function isRepository(dir: string): boolean {
  const dotGit = path.join(dir, '.git')
  const found = statOf(dotGit)
  if (!found?.isFile()) return found?.isDirectory() === true && isGitFolder(dotGit)
  const [, target] = /^gitdir: (.+?)[\r\n]*$/s.exec(readIfPossible(dotGit) ?? '') ?? []
  return target !== undefined && isGitFolder(path.resolve(dir, target))
}
