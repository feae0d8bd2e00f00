/**
 * Finds what a request would run, write and read, at any depth, in the form that rules match. Reads
 * the file system to resolve links, and changes nothing.
 */

import { basename, isAbsolute } from 'node:path'
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
  unknownPath,
} from './places.ts'
import { type PolicyFiles, policyFilesIn } from './policy-files.ts'
import { isHarmlessVariable, type PlacedCommand } from './rules.ts'
import { isReadAlike, isReadAlikeByOldBash } from './shell/posix-syntax.ts'
import { looksBelow, onlyReads, pathIn } from './shell/reading-commands.ts'
import { readShellCommand, type Segment, type ShellReading } from './shell/segments.ts'
import type { ShellWord } from './shell/words.ts'
import { commandOfSudo, wrappedIn } from './shell/wrapped-commands.ts'
import { depthMax, entersFolder, foldersAfter } from './shell-folders.ts'

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
  /** The shell is that of an installed agent, which may take over a user's settings of it. */
  hasSettings?: boolean
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
      /** Another program runs it. */
      isWithin: boolean
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

const startOf = (
  { place, folders = [], shell, hasSettings }: CommandRequest,
  policy: PolicyFiles,
): Folders => ({
  place,
  policy,
  hasSettings: hasSettings === true || shell === 'unknown',
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
  hasSettings: boolean
  /** How many were looked at so far. */
  words: number
}

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
  // Checked first, because in a loop or after a substitution it may run first.
  where.folders = foldersAfter(segments, where)
  for (const segment of segments) {
    if (seen.steps.length >= partsMax) {
      seen.unclear.push(
        `It has more than ${partsMax.toLocaleString('en')} parts, and the others are not checked`,
      )
      return
    }
    if (segment.kind !== 'command') {
      const step = stepOnFile(segment, where)
      if (step) seen.steps.push(step)
      continue
    }
    const { words } = segment
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
    seen.steps.push(stepOfCommand(segment, { wrapped, isPlain, isWithin: depth > 0, where }))
  }
}

const find = (path: string, { place, folders }: Folders): PathFound =>
  folders || isAbsolute(path) ? findPath(path, place, folders ?? [place.cwd]) : unknownPath

const isInside = (path: string, isGlob: boolean, where: Folders): boolean =>
  isGlob
    ? where.folders !== null && isGlobInside(path, where.place, where.folders)
    : mayBeRead(find(path, where))

/** Null for what is a step of its own already. */
function stepOnFile(
  { kind, path }: Exclude<Segment, { kind: 'command' }>,
  where: Folders,
): Step | null {
  const text = path.kind === 'dynamic' ? path.text : path.value
  if (kind === 'look') {
    const inside = path.kind !== 'dynamic' && isInside(text, /[*?[]/.test(text), where)
    return { kind: 'read', text, inside, isKnown: path.kind === 'literal' }
  }
  // Bash replaces the `~` of `a=~/b`.
  const isText = path.kind === 'literal' && (!path.hasHome || text.startsWith('~'))
  const found: PathFound = isText ? find(text, where) : unknownPath
  const isKnown = found.inside || !found.isUnknown
  const isStream = path.kind === 'literal' && (kind === 'write' ? outputs : streams).test(text)
  if (kind === 'write') {
    const isPolicy = !isStream && where.policy.mayBeWritten(text, found, isKnown)
    return { kind, path: text, found, always: isStream, isKnown, isPolicy }
  }
  // The command of a process substitution. A quoted `<(` is a name.
  if (path.kind === 'dynamic' && text.startsWith('<(')) return null
  return { kind: 'read', text, inside: isStream || mayBeRead(found), isKnown }
}

function stepOfCommand(
  segment: Extract<Segment, { kind: 'command' }>,
  {
    wrapped,
    isPlain,
    isWithin,
    where,
  }: {
    wrapped: ReturnType<typeof wrappedIn>
    isPlain: boolean
    isWithin: boolean
    where: Folders
  },
): Step {
  const { words, assignments } = segment
  const { place, folders, policy } = where
  const isOwn = words[0]?.kind === 'literal' && isProgramOf(place, words[0].value)
  const reads = (all: readonly ShellWord[]) =>
    onlyReads(all, (path, isGlob) => isInside(path, isGlob, where)) &&
    !(place.apart !== undefined && looksBelow(all))
  const isEntering = entersFolder(segment) && folders !== null
  // Shells and programs do much by their variables.
  const onlyLooks = assignments.length === 0 && !isOwn && (reads(words) || isEntering)
  return {
    kind: 'run',
    segment,
    harmless: onlyLooks && isPlain,
    isNotPlain: onlyLooks && !isPlain,
    isWithin,
    transparent:
      wrapped.kind === 'runs' &&
      !isOwn &&
      (wrapped.own === null || reads(wrapped.own)) &&
      assignments.every(isHarmlessVariable),
    namesPolicy: words.some((word) =>
      policy.mayBeNamed(word, (path) => (folders || isAbsolute(path) ? find(path, where) : null)),
    ),
    isInside: words.map(
      (word) =>
        word.kind !== 'dynamic' &&
        !(word.kind === 'literal' && word.hasHome) &&
        !word.value.split('/').some(isGitName) &&
        isInside(pathIn(word.value), word.kind === 'glob', where) &&
        (word.kind === 'glob' || mayBeWritten(find(pathIn(word.value), where))),
    ),
    isReadOtherwise: words.some(
      (word) => word.kind === 'glob' && (!folders || isReadOtherwise(word.value, folders)),
    ),
    runsInside: folders?.every((one) => mayBeRead(findPath(one, place))) ?? false,
  }
}

const streams = /^\/dev\/(null|stdin|stdout|stderr|fd\/\d+)$/
/** Those that hold no file which was opened to be read. */
const outputs = /^\/dev\/(null|stdout|stderr)$/
