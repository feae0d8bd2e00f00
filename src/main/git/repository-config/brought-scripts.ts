/** Finds scripts of allowed commands that a call of Git is about to write itself (K8). */
import path from 'node:path'
import { GitError } from '../command/errors.ts'
import { type CheckedOut, fields, type RunGit } from '../command/run-git.ts'
import type { Named, ReadConfig } from './configuration.ts'
import { isModuleIn } from './loaded-modules.ts'

/**
 * Reports whether the files that a call writes include one that the repository's commands would run: Git starts the
 * filters of later files in the middle of the call, and nobody has seen that script. True as well if that is unknown.
 */
export async function bringsScripts(
  git: RunGit,
  { asks, named }: Pick<ReadConfig, 'asks' | 'named'>,
  { cwd, env, checksOut }: { cwd: string; env?: NodeJS.Dict<string>; checksOut: CheckedOut },
): Promise<boolean> {
  if (!asks || asks.commands.length === 0) return false
  if (named === null) return true
  const { from, to } = checksOut
  const args =
    from === null
      ? ['ls-tree', '-r', '-z', '--full-tree', '--name-only', to]
      : ['diff-tree', '-r', '-z', '--no-renames', '--name-only', from, to]
  try {
    const { stdout } = await git(args, { cwd, env })
    const isNamed = isAmong(named)
    return fields(stdout).some(isNamed)
  } catch (error) {
    if (error instanceof GitError) return true
    throw error
  }
}

/** Upper and lower case are the same on some disks. */
function isAmong({ paths, folders, pythonDirs }: Named): (name: string) => boolean {
  const below = new Set(folders.map((one) => one.toLowerCase()))
  const all = new Set(paths.flatMap((one) => withParents(one.toLowerCase())))
  const isModule = isModuleIn(new Set(pythonDirs.map((one) => one.toLowerCase())))
  return (given) => {
    const name = given.toLowerCase()
    return all.has(name) || isModule(name) || withParents(name).some((one) => below.has(one))
  }
}

function withParents(name: string): string[] {
  const all: string[] = []
  for (let at = name; at !== '.' && at !== ''; at = path.posix.dirname(at)) all.push(at)
  return all
}
