/**
 * Finds what a request would run, write and read, at any depth, in the form that rules match. Reads
 * the file system to resolve links, and changes nothing.
 */

import { existsSync } from 'node:fs'
import { basename, isAbsolute, resolve } from 'node:path'
import type { CommandShell } from '../../../shared/agents/permissions.ts'
import { isGitName } from '../../../shared/git/git-names.ts'
import {
  findEdited,
  findPath,
  isGlobInside,
  isMisread,
  isProgramOf,
  isReadOtherwise,
  mayBeRead,
  mayBeWritten,
  type PathFound,
  type Place,
} from './places.ts'
import { type PolicyFiles, policyFilesIn } from './policy-files.ts'
import { isHarmlessVariable, type PlacedCommand } from './rules.ts'
import { isReadAlike, isReadAlikeByOldBash } from './shell/posix-syntax.ts'
import { looksBelow, onlyReads, pathIn } from './shell/reading-commands.ts'
import { readShellCommand, type Segment, type ShellReading } from './shell/segments.ts'
import type { ShellWord } from './shell/words.ts'
import { commandOfSudo, wrappedIn } from './shell/wrapped-commands.ts'

export type PermissionRequest =
  | CommandRequest
  | { kind: 'edit'; path: string; place: Place }
  | OtherRequest

interface CommandRequest {
  kind: 'command'
  command: string
  place: Place
  /** Absent for bash. */
  shell?: CommandShell
  /**
   * Other directories that the shell may be in, absolute, after the commands before; null if it may be in any. Absent:
   * it is in that of `place`.
   */
  folders?: readonly string[] | null
}

/**
 * `subject` is the path or address that the call uses; null if unknown, which always asks. `given`
 * is the subject as the agent wrote it.
 */
export interface OtherRequest {
  kind: 'other'
  tool: string
  subject: string | null
  given: string
}

/** A request in the form that rules match: everything that runs or is written, at any depth. */
export type AnalyzedRequest =
  | (Findings & {
      kind: 'command'
      behindSudo: Findings
      /** The directories that the shell may be in afterwards; null if it may be in any. */
      folders: readonly string[] | null
    })
  | { kind: 'edit'; path: string; found: PathFound; isPolicy: boolean }
  | OtherRequest

interface Findings {
  steps: Step[]
  unclear: string[]
}

export type Step =
  | (PlacedCommand & {
      kind: 'run'
      /** The program only reads, or is a shell builtin without effect. */
      harmless: boolean
      /** It would be harmless as a part of a plain command (see posix-syntax.ts), run by the shell itself. */
      isNotPlain: boolean
      /** The program only runs another command, which is a separate step. */
      transparent: boolean
      /** An argument names the repository's policy, which it may change. */
      namesPolicy: boolean
    })
  /** `isKnown`: whether the file is certain before it runs. `isPolicy`: it may be the repository's policy. */
  | {
      kind: 'write'
      path: string
      found: PathFound
      isKnown: boolean
      isPolicy: boolean
      always: boolean
    }
  | { kind: 'read'; text: string; inside: boolean; isKnown: boolean }

export function analyzeRequest(request: PermissionRequest): AnalyzedRequest {
  if (request.kind === 'other') return request
  const { place } = request
  const policy = policyFilesIn(place)
  if (request.kind === 'edit') {
    const found = findEdited(request.path, place)
    return { ...request, found, isPolicy: policy.isFile(request.path, found) }
  }
  const seen: Extract<AnalyzedRequest, { kind: 'command' }> = {
    kind: 'command',
    steps: [],
    unclear: [],
    behindSudo: { steps: [], unclear: [] },
    folders: null,
  }
  if (request.shell === 'unknown' && !isReadAlike(request.command))
    seen.unclear.push('It uses syntax that not every shell reads in the same way')
  if (request.shell === 'old-bash' && !isReadAlikeByOldBash(request.command))
    seen.unclear.push('It has a substitution that versions of bash read differently')
  const where = startOf(request, policy)
  const reading = readShellCommand(request.command)
  if (request.shell === 'unknown' && reading.redirectsAlone)
    seen.unclear.push('It has a redirection without a program, for which some shells run one')
  addSteps(reading, seen, seen.behindSudo, where, 0)
  if (makesMisread(seen.steps))
    seen.unclear.push(
      'It writes a file that a pattern may match and a program may take for an option',
    )
  return { ...seen, folders: where.folders }
}

/** Reports whether a pattern may match a file that the command itself makes: patterns are decided by the files of now. */
const makesMisread = (steps: readonly Step[]): boolean =>
  steps.some((step) => step.kind === 'write' && isMisread(basename(step.path))) &&
  steps.some(
    (step) => step.kind === 'run' && step.segment.words.some(({ kind }) => kind === 'glob'),
  )

const startOf = ({ place, folders = [] }: CommandRequest, policy: PolicyFiles): Folders => ({
  place,
  policy,
  folders: folders && [...new Set([place.cwd, ...folders])],
  words: 0,
})

interface Folders {
  place: Place
  policy: PolicyFiles
  /**
   * The directories that the shell may be in after `cd` to folders inside; null if it may be
   * outside.
   */
  folders: string[] | null
  /** How many were looked at so far. */
  words: number
}

/** Maximum nesting of commands. Deeper ones are not legitimate. */
const depthMax = 5

/** More parts of a command are not checked: each takes a look at the disk, for which every other agent waits. */
const partsMax = 2_000
/** As many take half a second. */
const wordsMax = 5_000

function addSteps(
  { segments, unclear, isPlain }: ShellReading,
  seen: Findings,
  sudo: Findings,
  where: Folders,
  depth: number,
): void {
  seen.unclear.push(...unclear)
  if (depth > depthMax) seen.unclear.push('Its commands are nested too deeply')
  if (depth > depthMax) return
  const find = (path: string): PathFound =>
    where.folders ? findPath(path, where.place, where.folders) : { inside: false }
  const inside = (path: string, isGlob: boolean) =>
    isGlob
      ? where.folders !== null && isGlobInside(path, where.place, where.folders)
      : mayBeRead(find(path))
  // Checked first, because in a loop or after a substitution it may run first.
  const targets = foldersOf(segments)
  if (targets.length > 0) where.folders = foldersBy(targets, where)
  for (const segment of segments) {
    if (seen.steps.length >= partsMax) {
      seen.unclear.push(
        `It has more than ${partsMax.toLocaleString('en')} parts, and the others are not checked`,
      )
      return
    }
    if (segment.kind !== 'command') {
      const { path } = segment
      const text = path.kind === 'dynamic' ? path.text : path.value
      if (segment.kind === 'look') {
        const isPattern = /[*?[]/.test(text)
        const isInside = path.kind !== 'dynamic' && inside(text, isPattern)
        seen.steps.push({ kind: 'read', text, inside: isInside, isKnown: path.kind === 'literal' })
        continue
      }
      // Bash replaces the `~` of `a=~/b`.
      const isText = path.kind === 'literal' && (!path.hasHome || text.startsWith('~'))
      const found: PathFound = isText ? find(text) : { inside: false }
      const isKnown = isText && (where.folders !== null || isAbsolute(text))
      const isStream =
        path.kind === 'literal' && (segment.kind === 'write' ? outputs : streams).test(text)
      if (segment.kind === 'write')
        seen.steps.push({
          kind: 'write',
          path: text,
          found,
          always: isStream,
          isKnown,
          isPolicy: !isStream && where.policy.mayBeWritten(text, found, isKnown),
        })
      // The command of a process substitution is a separate step. A quoted `<(` is a name.
      else if (path.kind !== 'dynamic' || !text.startsWith('<('))
        seen.steps.push({ kind: 'read', text, inside: isStream || mayBeRead(found), isKnown })
      continue
    }
    const { words, assignments } = segment
    where.words += words.length
    if (where.words > wordsMax) {
      seen.unclear.push(
        `It has more than ${wordsMax.toLocaleString('en')} words, and the others are not checked`,
      )
      return
    }
    const wrapped = wrappedIn(words)
    if (wrapped.kind === 'opaque') seen.unclear.push(wrapped.reason)
    // What looks at files within another program needs a rule: where its command ends depends on that program's version.
    const within = (reading: Omit<ShellReading, 'isPlain'>) => ({ ...reading, isPlain: false })
    if (wrapped.kind === 'runs') addSteps(within(wrapped.reading), seen, sudo, where, depth + 1)
    const underSudo = commandOfSudo(words)
    if (underSudo.kind === 'opaque') sudo.unclear.push(underSudo.reason)
    if (underSudo.kind === 'runs')
      addSteps(within(underSudo.reading), sudo, sudo, { ...where }, depth + 1)
    const isOwn = words[0]?.kind === 'literal' && isProgramOf(where.place, words[0].value)
    const reads = (all: readonly ShellWord[]) =>
      onlyReads(all, inside) && !(where.place.apart !== undefined && looksBelow(all))
    // Shells and programs do much by their variables.
    const onlyLooks =
      assignments.length === 0 && !isOwn && (reads(words) || changesFolder(segment, where))
    const harmless = onlyLooks && isPlain
    const transparent =
      wrapped.kind === 'runs' &&
      !isOwn &&
      (wrapped.own === null || reads(wrapped.own)) &&
      assignments.every(isHarmlessVariable)
    const namesPolicy = words.some((word) =>
      where.policy.mayBeNamed(word, (path) =>
        where.folders || isAbsolute(path) ? find(path) : null,
      ),
    )
    const isInside = words.map(
      (word) =>
        word.kind !== 'dynamic' &&
        !(word.kind === 'literal' && word.hasHome) &&
        !word.value.split('/').some(isGitName) &&
        inside(pathIn(word.value), word.kind === 'glob') &&
        (word.kind === 'glob' || mayBeWritten(find(pathIn(word.value)))),
    )
    seen.steps.push({
      kind: 'run',
      segment,
      harmless,
      isNotPlain: onlyLooks && !isPlain,
      transparent,
      namesPolicy,
      isInside,
      isReadOtherwise: words.some(
        (word) =>
          word.kind === 'glob' && (!where.folders || isReadOtherwise(word.value, where.folders)),
      ),
      runsInside: where.folders?.every((one) => mayBeRead(findPath(one, where.place))) ?? false,
    })
  }
}

const streams = /^\/dev\/(null|stdin|stdout|stderr|fd\/\d+)$/
/** Those that hold no file which was opened to be read. */
const outputs = /^\/dev\/(null|stdout|stderr)$/

/** More are not legitimate. */
const foldersMax = 30

/** Returns the target of `cd` to a folder without `..`; null for anything else. */
function folderOf(segment: Segment): (string | null)[] {
  if (segment.kind !== 'command') return []
  const [name, to, ...more] = segment.words
  if (name?.kind !== 'literal' || !['cd', 'pushd', 'popd'].includes(name.value)) return []
  if (name.value !== 'cd' || more.length > 0 || to?.kind !== 'literal' || to.hasHome) return [null]
  // To zsh, `+1` is a folder that was entered before, or one of the variable `dirstack`.
  const isPlain = /^[\p{L}\p{N}_./@]/u.test(to.value) && !to.value.split('/').includes('..')
  return [isPlain ? to.value : null]
}

/** Returns the target of every `cd`, also of those that a command such as `eval` runs. */
function foldersOf(segments: Segment[], depth = 0): (string | null)[] {
  if (depth > depthMax) return []
  return segments.flatMap((segment) => {
    if (segment.kind !== 'command') return []
    const wrapped = wrappedIn(segment.words)
    const inner = wrapped.kind === 'runs' ? foldersOf(wrapped.reading.segments, depth + 1) : []
    return [...folderOf(segment), ...inner]
  })
}

/** Returns all folders that the shell may enter, because each `cd` may run any number of times, in any order. */
function foldersBy(
  targets: (string | null)[],
  { place, folders }: Pick<Folders, 'place' | 'folders'>,
): string[] | null {
  if (folders === null) return null
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
  return [...all]
}

/** Reports whether a segment is `cd` to a folder inside the working directory. */
function changesFolder(
  segment: Extract<Segment, { kind: 'command' }>,
  { folders }: Folders,
): boolean {
  const [to] = folderOf(segment)
  return typeof to === 'string' && folders !== null
}
