/** Finds the folders that a shell may be in after the `cd` of a command. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { findPath, type Place } from './places.ts'
import type { Segment } from './shell/segments.ts'
import { wrappedIn } from './shell/wrapped-commands.ts'

/** Maximum nesting of commands. Deeper ones are not legitimate. */
export const depthMax = 5

/** More are not legitimate. */
const foldersMax = 30

interface Shell {
  place: Place
  folders: string[] | null
  /** A user's settings may say what else the name of a folder means, if there is none of that name. */
  hasSettings: boolean
}

/**
 * Returns all folders that the shell may enter from `folders`, because each `cd` may run any number of times, in any order;
 * null if it may be outside of the working directory.
 */
export function foldersAfter(
  segments: Segment[],
  { place, folders, hasSettings }: Shell,
): string[] | null {
  const targets = targetsIn(segments)
  if (folders === null || targets.length === 0) return folders
  const all = new Set(folders)
  for (const folder of all) {
    for (const target of targets) {
      if (target === null) return null
      const next = resolve(folder, target)
      if (!findPath(next, place).inside) return null
      if (folder === place.cwd || existsSync(next)) all.add(next)
    }
    if (all.size > foldersMax) return null
  }
  const mayBeElsewhere = (target: string | null) => !isFolderIn([...all], target ?? '')
  return hasSettings && targets.some(mayBeElsewhere) ? null : [...all]
}

/**
 * Reports whether it is a folder in one of `folders`, and in all of them if a variable has its name. Where there is none, shells
 * look for it in the folders of `CDPATH`, with `cdable_vars` take it for a variable (`cd HOME`), and the `cd` of zoxide goes
 * to any folder of a similar name.
 */
function isFolderIn(folders: readonly string[], target: string): boolean {
  if (/^\.{0,2}\//.test(target) || /^\.{1,2}$/.test(target)) return true
  const isThere = (folder: string) => existsSync(`${resolve(folder, target)}/.`)
  const [name = ''] = target.split('/')
  return process.env[name] === undefined ? folders.some(isThere) : folders.every(isThere)
}

/** Reports whether a segment is `cd` to a folder without `..`. */
export const entersFolder = (segment: Segment): boolean => typeof targetOf(segment)[0] === 'string'

/** Returns the target of every `cd`, also of those that a command such as `eval` runs. */
function targetsIn(segments: Segment[], depth = 0): (string | null)[] {
  if (depth > depthMax) return []
  return segments.flatMap((segment) => {
    if (segment.kind !== 'command') return []
    const wrapped = wrappedIn(segment.words)
    const inner = wrapped.kind === 'runs' ? targetsIn(wrapped.reading.segments, depth + 1) : []
    return [...targetOf(segment), ...inner]
  })
}

/** Returns the target of `cd` to a folder without `..`; null for any other change of the folder. */
function targetOf(segment: Segment): (string | null)[] {
  if (segment.kind !== 'command') return []
  const [name, to, ...more] = segment.words
  if (name?.kind !== 'literal' || !['cd', 'pushd', 'popd'].includes(name.value)) return []
  if (name.value !== 'cd' || more.length > 0 || to?.kind !== 'literal' || to.hasHome) return [null]
  // To zsh, `+1` is a folder that was entered before, or one of the variable `dirstack`.
  const isPlain = /^[\p{L}\p{N}_./@]/u.test(to.value) && !to.value.split('/').includes('..')
  return [isPlain ? to.value : null]
}
