/**
 * Runs the `git` binary: argument arrays only, never a shell, and with whatever a repository's
 * configuration could make Git do behind our back switched off. Filters (Git LFS) and merge drivers
 * that the person configured still run: without them files would come out wrong.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { GitError, GitMissingError } from './errors.ts'
import { lockInTheWay, takeAwayOwnLock } from './left-locks.ts'

interface GitRunOptions {
  /** Absolute. */
  cwd: string
  env?: Record<string, string> | undefined
  /** Given on standard input, which is closed otherwise. */
  input?: string | Uint8Array | undefined
  signal?: AbortSignal | undefined
  /** Exit codes that are answers; any other throws a GitError. Only 0 by default. */
  okExitCodes?: readonly number[] | undefined
  /** Output beyond it ends Git: `cut` answers with what there is, else a GitError is thrown. */
  stdoutBytesMax?: number | undefined
  cut?: boolean | undefined
  /** An open file that takes standard output, so that memory stays bounded whatever its size. */
  stdoutFd?: number | undefined
}

interface GitResult {
  exitCode: number
  stdout: Buffer
  stderr: string
  /** True when `cut` was asked for and needed. */
  truncated: boolean
}

export type RunGit = (args: readonly string[], options: GitRunOptions) => Promise<GitResult>

/** Lists of names: a million files of 60 characters fit. */
const stdoutBytesMaxDefault = 64 * 1024 * 1024
/** Enough for Git's advice; a filter that chatters must not fill memory. */
const stderrBytesMax = 16 * 1024
/** A person's `git commit` in the same repository holds a lock for far less than their sum. */
const lockRetryDelaysMs = [50, 100, 200, 400, 800]
/** Git removes its lock files on SIGTERM; a filter below it may not listen. */
const killDelayMs = 2000

/** `-c` settings of every call. */
const settings = [
  'core.quotepath=off',
  // What a repository could have Git execute.
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'commit.gpgSign=false',
  // What would fail a snapshot, or start work in the background.
  'core.safecrlf=false',
  'core.splitIndex=false',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'i18n.commitEncoding=UTF-8',
  'color.ui=false',
].flatMap((setting) => ['-c', setting])

/** Git's own names for "which repository": set when Shiplog was started from a hook or an alias. */
const repositoryVariables = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NAMESPACE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]
/** What would change the meaning of our arguments or the form of the output. */
const behaviourVariables = [
  'GIT_ATTR_SOURCE',
  'GIT_DIFF_OPTS',
  'GIT_EXTERNAL_DIFF',
  'GIT_GLOB_PATHSPECS',
  'GIT_ICASE_PATHSPECS',
  'GIT_NOGLOB_PATHSPECS',
]

/** A copy of `env` in which Git finds the repository by folder alone. Agents' shells need it as well. */
function withoutRepositoryVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const copy = { ...env }
  for (const name of repositoryVariables) delete copy[name]
  return copy
}

export function createRunGit({
  gitPath = 'git',
  env = process.env,
}: {
  gitPath?: string | undefined
  env?: NodeJS.ProcessEnv | undefined
} = {}): RunGit {
  const baseEnv: NodeJS.ProcessEnv = {
    ...withoutRepositoryVariables(env),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // A `git status` of ours must never be what blocks the person's own command.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PAGER: 'cat',
  }
  for (const name of behaviourVariables) delete baseEnv[name]

  return async (args, options) => {
    const waitedSinceMs = Date.now()
    let tookAway = false
    for (let attempt = 0; ; attempt++) {
      try {
        return await runOnce(gitPath, baseEnv, args, options)
      } catch (error) {
        const delayMs = lockRetryDelaysMs[attempt]
        // What was already written to the file would be followed by a second try's output.
        if (options.stdoutFd !== undefined || !isLocked(error)) throw error
        if (delayMs !== undefined) {
          await sleep(delayMs, undefined, { signal: options.signal })
          continue
        }
        if (tookAway) throw error
        tookAway = await takeAwayOwnLock(error, { cwd: options.cwd, waitedSinceMs })
        if (!tookAway) throw error
      }
    }
  }
}

/** Somebody holds a lock, or is just making a worktree and has written half of Git's note of it. */
function isLocked(error: unknown): boolean {
  return (
    lockInTheWay(error) !== null ||
    (error instanceof GitError && /failed to read .*\/commondir/.test(error.stderr))
  )
}

async function runOnce(
  gitPath: string,
  baseEnv: NodeJS.ProcessEnv,
  args: readonly string[],
  options: GitRunOptions,
): Promise<GitResult> {
  const { signal, okExitCodes = [0] } = options
  signal?.throwIfAborted()
  const child = spawn(gitPath, ['--no-pager', ...settings, ...args], {
    cwd: options.cwd,
    env: { ...baseEnv, ...options.env },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', options.stdoutFd ?? 'pipe', 'pipe'],
    windowsHide: true,
  })
  const stdout = collect(child, 'stdout', options.stdoutBytesMax ?? stdoutBytesMaxDefault)
  const stderr = collect(child, 'stderr', stderrBytesMax)
  // Git that ends before it has read everything says so by its exit code.
  child.stdin?.on('error', () => {})
  child.stdin?.end(options.input)

  const end = () => terminate(child)
  signal?.addEventListener('abort', end, { once: true })
  stdout.onOverflow(end)
  let exitCode: number | null
  try {
    exitCode = await closed(child)
  } catch (error) {
    throw await startError(gitPath, args, options.cwd, error)
  } finally {
    signal?.removeEventListener('abort', end)
  }
  signal?.throwIfAborted()

  const said = stderr.bytes().toString()
  if (stdout.overflowed()) {
    if (!options.cut) throw new GitError(args, null, 'its output is larger than Shiplog reads')
    return { exitCode: 0, stdout: stdout.bytes(), stderr: said, truncated: true }
  }
  if (exitCode === null || !okExitCodes.includes(exitCode)) {
    throw new GitError(args, exitCode, said)
  }
  return { exitCode, stdout: stdout.bytes(), stderr: said, truncated: false }
}

function collect(child: ChildProcess, name: 'stdout' | 'stderr', bytesMax: number) {
  const chunks: Buffer[] = []
  let size = 0
  let overflowed = false
  let tell = () => {}
  child[name]?.on('data', (chunk: Buffer) => {
    const room = bytesMax - size
    if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    size += chunk.length
    if (size > bytesMax && !overflowed) {
      overflowed = true
      tell()
    }
  })
  return {
    bytes: () => Buffer.concat(chunks),
    overflowed: () => overflowed,
    onOverflow: (listener: () => void) => {
      tell = listener
    },
  }
}

function closed(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code))
  })
}

function terminate(child: ChildProcess): void {
  child.kill('SIGTERM')
  const timer = setTimeout(() => {
    child.kill('SIGKILL')
    // A filter that outlives Git would hold the pipes open, and with them this call.
    child.stdout?.destroy()
    child.stderr?.destroy()
  }, killDelayMs)
  child.once('close', () => clearTimeout(timer))
}

/** Node says ENOENT for a missing program and for a missing working directory alike. */
async function startError(
  gitPath: string,
  args: readonly string[],
  cwd: string,
  error: unknown,
): Promise<Error> {
  const isDirectory = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isDirectory) return new GitError(args, null, `fatal: ${cwd} is not a folder`)
  return new GitMissingError(gitPath, error)
}

/** Standard output as text, without the newline that ends it. */
export function line(result: GitResult): string {
  const text = result.stdout.toString()
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

/** The fields of `-z` output. */
export function fields(stdout: Buffer): string[] {
  const parts = stdout.toString().split('\0')
  if (parts.at(-1) === '') parts.pop()
  return parts
}
