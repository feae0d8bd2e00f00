import { diskErrors } from '../../../shared/records/disk-errors.ts'
import { explainErrno } from '../../../shared/text/explain-errno.ts'

/**
 * Git failed with an unexpected exit code. `stderr` is its error output, truncated at
 * `stderrBytesMax`.
 */
export class GitError extends Error {
  readonly kind = 'git'
  readonly args: readonly string[]
  /** Null if it was ended by a signal or never started. */
  readonly exitCode: number | null
  readonly stderr: string
  /** The disk error that Git reported, such as ENOSPC; null for any other failure. */
  readonly code: string | null

  /** `code`: the disk error, where Git does not report it; `isOutput`: of the file for Git's output. */
  constructor(
    args: readonly string[],
    exitCode: number | null,
    stderr: string,
    { code: found = null, isOutput = false }: { code?: string | null; isOutput?: boolean } = {},
  ) {
    const subcommand = args.slice(0, 2).join(' ')
    const failed = `git ${subcommand} failed (${exitCode ?? 'ended early'}): ${summarize(stderr)}`
    const code = found ?? diskCodeIn(stderr)
    const remedy = code === null ? remedyFor(stderr) : `Git could not write: ${explainErrno(code)}.`
    // Git prints nothing of use about its output.
    super(remedy === null ? failed : isOutput && found ? remedy : `${remedy} ${failed}`)
    this.name = 'GitError'
    this.args = args
    this.exitCode = exitCode
    this.stderr = stderr
    this.code = code
  }
}

/**
 * Finds the system's error text at the end of a line; Git runs with `LC_ALL=C`, so it is in
 * English.
 */
function diskCodeIn(stderr: string): string | null {
  const lines = stderr.split('\n')
  // Git prints its own text after a partial write, without the system's error.
  if (lines.some((line) => line.endsWith(' write error. Out of diskspace'))) return 'ENOSPC'
  const found = diskErrors.find(({ message }) =>
    lines.some((line) => line.endsWith(`: ${message}`)),
  )
  return found?.code ?? null
}

/** Failures whose message from Git lacks the remedy, with the remedy for each. */
const remedies: readonly [RegExp, (first: string, second: string) => string][] = [
  [
    /invalid path '([^'\n]+)'/,
    (name) =>
      `A commit contains ${JSON.stringify(name)}, a name that Git writes nowhere, so its files can't be checked out. Take it out of the commit, or apply the other changes.`,
  ],
  [
    /(?:could not open|failed to open|unable to (?:open|index|stat|read)|open\()[^'"\n]*['"]([^\n]+)['"][^'"\n]*: Permission denied/,
    (file) => `You may not read ${file}. Change its permissions, or those of its folder.`,
  ],
  [
    /unknown repository extensions? found:\s+(\S+)/,
    (name) =>
      `The repository uses an extension that this version of Git does not know: ${name}. Install a newer Git.`,
  ],
  [
    /expected git repo version <= \d+, found (\d+)/i,
    (version) =>
      `The repository has format ${version}, which this version of Git does not know. Install a newer Git.`,
  ],
  [
    /failed to encode '(.+)' from (\S+) to UTF-8/,
    (file, encoding) =>
      `Git can't store ${file}: .gitattributes declares it as ${encoding}, but its content is not. Change the file, or its working-tree-encoding.`,
  ],
  [
    /unable to normalize alternate object path: (.+)/,
    (folder) =>
      `The repository borrows objects from ${folder}, which is missing. Put it back, or fetch what is missing (.git/objects/info/alternates names it).`,
  ],
  [
    /^(?:.+: )?([^\s:]+): (?:command )?not found$/m,
    (program) =>
      `Git needs the program ${program}, which its configuration names and which is not on the PATH. Install it, or start Shiplog where it is on the PATH.`,
  ],
]

function remedyFor(stderr: string): string | null {
  for (const [pattern, remedy] of remedies) {
    const found = pattern.exec(stderr)
    if (found) return remedy(found[1] ?? '', found[2] ?? '')
  }
  return null
}

/** For a promise's `catch`: returns null for a GitError, and throws any other error. */
export function nullForGitError(error: unknown): null {
  if (error instanceof GitError) return null
  throw error
}

/**
 * A folder of Shiplog's is no longer a worktree and could not be repaired. Its message is that of
 * Git outside a repository, which would apply if no repository enclosed the folder.
 */
export class WorktreeBrokenError extends GitError {
  readonly root: string

  constructor(root: string, why: string) {
    super([], null, `fatal: not a git repository: ${root}: ${why}`)
    this.message = `${root} is no longer a Git worktree: ${why}. Its files are untouched; nothing was changed.`
    this.name = 'WorktreeBrokenError'
    this.root = root
  }
}

/**
 * A partial clone lacks objects that are needed, and fetching them was not allowed yet, or failed.
 */
export class ObjectsMissingError extends GitError {
  constructor(cause: GitError, { remote, url }: { remote: string; url: string | null }) {
    super(cause.args, cause.exitCode, cause.stderr)
    const what = 'This is a partial clone, and some of what is needed is not in it.'
    const how =
      url === null
        ? `Its remote "${remote}" names a program for fetching, or the repository has settings of "http." that could send your credentials elsewhere. Neither is used for you: fetch what is missing yourself with Git`
        : `It would have to be fetched from ${url} (remote "${remote}"). Start an agent in the project to be asked whether Git may fetch it, or fetch it yourself with Git`
    this.message = `${what} ${how} (${summarize(cause.stderr)}).`
    this.name = 'ObjectsMissingError'
  }
}

/**
 * Objects were pruned while they were needed, several times in a row, because a `gc` without a
 * grace period runs concurrently.
 */
export class ObjectsVanishedError extends GitError {
  constructor(cause: GitError) {
    super(cause.args, cause.exitCode, cause.stderr)
    this.message = `Git deleted objects of the repository while Shiplog needed them, or they are damaged. If a "git gc --prune=now" is running there, wait until it ends and try again; else see "git fsck". Nothing was changed. Git says: ${summarize(cause.stderr)}.`
    this.name = 'ObjectsVanishedError'
  }
}

/**
 * Shiplog is ending, and a call of Git had not finished for long, or came later. No GitError, because none of its callers
 * may take it for an answer of Git and ask on.
 */
export class GitEndedError extends Error {
  readonly kind = 'git-ended'

  constructor() {
    super('Shiplog is ending, and did not wait longer for Git. What had been recorded is kept.')
    this.name = 'GitEndedError'
  }
}

/** No Git executable was found. */
export class GitMissingError extends Error {
  readonly kind = 'git-missing'
  readonly gitPath: string

  constructor(gitPath: string, cause: unknown) {
    super(
      `Git could not be started (tried "${gitPath}"). Install Git 2.33 or newer from https://git-scm.com and make sure that it is on the PATH.`,
      { cause },
    )
    this.name = 'GitMissingError'
    this.gitPath = gitPath
  }
}

/**
 * A worktree can't be created as requested; nothing was created. The message contains the remedy.
 */
export class WorktreeRefusedError extends Error {
  readonly kind = 'worktree-refused'
  readonly reason:
    | 'branch-exists'
    | 'branch-in-use'
    | 'bad-branch-name'
    | 'linked-folder'
    | 'no-repository'
    | 'path-exists'
    | 'unknown-commit'

  constructor(reason: WorktreeRefusedError['reason'], message: string) {
    super(message)
    this.name = 'WorktreeRefusedError'
    this.reason = reason
  }
}

/** A folder to be removed is not a worktree that may be deleted; nothing was deleted. */
export class NotAWorktreeError extends Error {
  readonly kind = 'not-a-worktree'
  readonly path: string

  constructor(path: string, why: string) {
    super(`${path} was not removed: ${why}`)
    this.name = 'NotAWorktreeError'
    this.path = path
  }
}

/** Returns the error lines, without hints and warnings. */
function summarize(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const errorLines = lines.filter((line) => /^(fatal|error): /.test(line))
  const chosen = errorLines.length > 0 ? errorLines : lines
  const remedy = /\.lock': File exists/.test(stderr) ? [lockRemedy] : []
  return [...chosen.slice(0, 3), ...remedy].join('; ') || 'it gave no reason'
}

const lockRemedy = 'if no Git command is running there, a killed one left this file: delete it'
