/** The version of the installed Git. */
import path from 'node:path'
import { line, type RunGit } from './run-git.ts'

const versions = new WeakMap<RunGit, Promise<[number, number]>>()

/** Returns `[2, 39]` for `git version 2.39.5 (Apple Git-154)`. Read once. */
export function version(git: RunGit): Promise<[number, number]> {
  const known = versions.get(git) ?? readVersion(git)
  versions.set(git, known)
  known.catch(() => versions.delete(git))
  return known
}

async function readVersion(git: RunGit): Promise<[number, number]> {
  // The directory that this process was started in may be gone, or closed to its user.
  const anyDir = path.parse(process.execPath).root
  const text = line(await git(['--version'], { cwd: anyDir }))
  const found = /(\d+)\.(\d+)/.exec(text)
  return [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)]
}
