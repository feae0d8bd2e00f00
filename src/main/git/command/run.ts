/**
 * Runs the `git` binary; no other module does. Passes argument arrays only, never uses a shell, and
 * disables everything that a repository's configuration could make Git run unnoticed. Filters (Git
 * LFS) and merge drivers of the user's own configuration still run, because without them files
 * would be written wrong.
 */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import prettyBytes from 'pretty-bytes'
import { findOnPath } from '../../processes/find-on-path.ts'
import { startProgram } from '../../processes/launcher/launcher.ts'
import { commonDirOf } from '../repository/common-dir.ts'
import { exists } from '../repository/file-facts.ts'
import {
  createConfigGuard,
  type IsAllowed,
  needsGuard,
  placeOf,
} from '../repository-config/guard.ts'
import { refuseDevices } from '../repository-config/special-files.ts'
import {
  ensureWorktree,
  worktreeRootOf as findWorktreeRoot,
  type Worktrees,
} from '../worktree-files/guard.ts'
import { inspectWorktree, repairWorktree, type WorktreeState } from '../worktree-files/state.ts'
import { createPipeRelease, type PipeRelease } from './blocking-pipes.ts'
import { collect } from './collect-output.ts'
import { watchCommittedRules } from './committed-rules.ts'
import { matchesRules } from './endless-rules.ts'
import { gitEnvironment, personalFilesIn, settings } from './environment.ts'
import { GitError, GitMissingError, ObjectsMissingError } from './errors.ts'
import { fullDiskOf, startError, writeErrorOf } from './failed-call.ts'
import { watchIdle } from './idle.ts'
import { memoryBytesMaxDefault, watchMemory } from './memory-limit.ts'
import { namedFoldersIn } from './named-folders.ts'
import { type GitResult, type GitRunOptions, line, type RunGit } from './run-git.ts'
import { blockingLock, removeOwnStaleLock } from './stale-locks.ts'

/** For lists of names: a million files of 60 characters fit. */
const stdoutBytesMaxDefault = 64 * 1024 * 1024
/** Enough for Git's advice; verbose filters must not fill memory. */
const stderrBytesMax = 16 * 1024
/** A user's `git commit` in the same repository holds a lock for far less than their sum. */
const lockRetryDelaysMs = [50, 100, 200, 400, 800]
/** A call that only reads the configuration takes milliseconds, on a busy machine a second. */
const configMsMaxDefault = 20_000

export interface RunGitOptions {
  /** Absolute. Default: `git` on the PATH. */
  gitPath?: string | undefined
  /** The environment of Shiplog; Git gets the part of it that `gitEnvironment` selects. */
  env?: NodeJS.ProcessEnv | undefined
  ceilings?: readonly string[] | undefined
  /** Folders in which Git runs only if they are worktrees. Default: none. */
  worktrees?: Worktrees | undefined
  /**
   * Reports whether the user allowed the commands of a repository's own configuration. Default:
   * none.
   */
  isAllowed?: IsAllowed | undefined
  /** Returns false after the clock jumped ahead, because then all data looks old. Default: true. */
  isClockTrusted?: (() => boolean) | undefined
  /** See `RunGit.storesOf`. Default: none. */
  storesOf?: ((dir: string) => readonly string[]) | undefined
  /** The memory that a call may use. Default: 4 GB, at most half of the machine's. */
  memoryBytesMax?: number | undefined
  /** The time limit of a call that reads nothing but the configuration and references. */
  configMsMax?: number | undefined
  /** Once it is aborted, with its reason, calls are ended, and no other starts. Default: never. */
  ending?: AbortSignal | undefined
  /** See `watchIdle`. Default: a minute. */
  idleMsMax?: number | undefined
  /** See `RunGit.scratchParent`. Default: null. */
  scratchParent?: string | null | undefined
  /** See `RunGit.dataDir`. Default: null. */
  dataDir?: string | null | undefined
}

export function createRunGit({
  gitPath,
  env = process.env,
  ceilings = [],
  worktrees,
  isAllowed = () => false,
  isClockTrusted = () => true,
  storesOf = () => [],
  scratchParent = null,
  dataDir = null,
  configMsMax = configMsMaxDefault,
  memoryBytesMax = memoryBytesMaxDefault(),
  idleMsMax,
  ending,
}: RunGitOptions = {}): RunGit {
  const baseEnv = gitEnvironment(env, { ceilings })
  const program = gitPath === undefined ? createGitFinder(baseEnv) : async () => gitPath
  const repairs = new Map<string, Promise<WorktreeState>>()
  const pipes = createPipeRelease()
  const limits = { baseEnv, pipes, memoryBytesMax, idleMsMax }

  const worktreeRootOf = async (dir: string) =>
    worktrees ? findWorktreeRoot(worktrees.dir, dir) : null

  async function ensure(dir: string): Promise<void> {
    const root = await worktreeRootOf(dir)
    if (worktrees && root !== null) await ensureWorktree(root, () => repairOnce(worktrees, root))
  }

  async function checked(args: readonly string[], options: GitRunOptions): Promise<GitResult> {
    await ensure(options.cwd)
    return guarded(args, options)
  }

  const guard = createConfigGuard(asRunGit(limited), isAllowed, personalFilesIn(baseEnv))

  return asRunGit(checked)

  function asRunGit(run: (...call: Parameters<RunGit>) => Promise<GitResult>): RunGit {
    return Object.assign(run.bind(null), {
      worktreeRootOf,
      ensureWorktree: ensure,
      readConfig: (dir: string) => guard.readOf({ dir, gitDir: null, workTree: null }),
      configStamp: (dir: string) => guard.stampOf({ dir, gitDir: null, workTree: null }),
      isClockTrusted,
      storesOf,
      scratchParent,
      dataDir,
    })
  }

  async function guarded(args: readonly string[], options: GitRunOptions): Promise<GitResult> {
    if (!needsGuard(args)) {
      // The first call in a folder: Git reads HEAD and its branch.
      if (args[0] === 'rev-parse') refuseDevices(options.cwd)
      return limited(args, options)
    }
    const variables = await guard.variablesFor(placeOf(args, options), options)
    try {
      return await retried(args, { ...options, env: { ...variables, ...options.env } })
    } catch (error) {
      if (!objectsAreMissing(error)) throw error
      const { asks, unfetchable } = await guard.readOf(placeOf(args, options))
      const [from] = asks?.fetches ?? []
      const [never] = unfetchable
      if (from) throw new ObjectsMissingError(error, from)
      throw never === undefined
        ? error
        : new ObjectsMissingError(error, { remote: never, url: null })
    }
  }

  /**
   * The configuration may include a named pipe anywhere, for which Git waits without end. Each call that could wait for
   * it is preceded by one that reads only the configuration.
   */
  async function limited(args: readonly string[], options: GitRunOptions): Promise<GitResult> {
    if (args[0] === 'mailsplit') return retried(args, options)
    const limit = AbortSignal.timeout(configMsMax)
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit
    return retried(args, { ...options, signal }).catch((error) => {
      if (!limit.aborted || error !== limit.reason) throw error
      const why = `fatal: Git did not finish reading the configuration of ${options.cwd}: it may include a named pipe, a device or the same files again and again`
      throw new GitError(args, null, why)
    })
  }

  /** Concurrent calls that find the same damage share one repair, which is reported once. */
  function repairOnce(known: Worktrees, root: string): Promise<WorktreeState> {
    const running = repairs.get(root) ?? repairIfBroken(known, root)
    repairs.set(root, running)
    return running.finally(() => repairs.delete(root))
  }

  async function repairIfBroken(known: Worktrees, root: string): Promise<WorktreeState> {
    const now = inspectWorktree(root)
    return now.kind === 'broken' ? repair(known, root) : now
  }

  async function repair(known: Worktrees, root: string): Promise<WorktreeState> {
    const owner = known.ownerOf(root)
    const commonDir = owner && (await commonDirOf(asRunGit(retried), owner.repoDir))
    if (!owner || !commonDir) return inspectWorktree(root)
    const state = await repairWorktree({ commonDir, root, branch: owner.branch })
    if (state.kind !== 'whole') return state
    // Without its index, Git treats every file as deleted.
    const index = path.resolve(
      root,
      line(await retried(['rev-parse', '--git-path', 'index'], { cwd: root })),
    )
    if (!exists(index)) {
      await guarded(['read-tree', 'HEAD'], { cwd: root })
      await guarded(['update-index', '-q', '--refresh'], { cwd: root, okExitCodes: [0, 1] })
      if (exists(path.join(path.dirname(index), 'info', 'sparse-checkout')))
        await markMissingAsSparse(root)
    }
    known.onRepaired?.(root)
    return state
  }

  /**
   * Marks missing files as outside the sparse checkout, as most of them are: which ones an agent
   * deleted was in the lost index only, and files that look deleted would be deleted by an apply.
   */
  async function markMissingAsSparse(root: string): Promise<void> {
    const missing = await guarded(['ls-files', '--deleted', '-z'], { cwd: root })
    const mark = ['update-index', '--skip-worktree', '-z', '--stdin']
    await guarded(mark, { cwd: root, input: missing.stdout })
  }

  /** Returns Shiplog's store that a call works on; null for any other repository. */
  function storeOf({ cwd, env = {} }: GitRunOptions): string | null {
    const gitDir = env.GIT_DIR
    if (gitDir === undefined) return null
    return gitDir === cwd || storesOf(cwd).includes(gitDir) ? gitDir : null
  }

  async function retried(args: readonly string[], given: GitRunOptions): Promise<GitResult> {
    const signals = [given.signal, ending].filter((one) => one !== undefined)
    const options = { ...given, signal: AbortSignal.any(signals) }
    const waitedSinceMs = Date.now()
    let hasRemovedLock = false
    for (let attempt = 0; ; attempt++) {
      try {
        return await runOnce(await program(), { ...limits, retried }, args, options)
      } catch (error) {
        const delayMs = lockRetryDelaysMs[attempt]
        // A retry would append its output to that of the first attempt.
        if (options.stdoutFd !== undefined || !isLocked(error)) throw error
        if (delayMs !== undefined) {
          await sleep(delayMs, undefined, { signal: options.signal })
          continue
        }
        if (hasRemovedLock) throw error
        const lock = { cwd: options.cwd, store: storeOf(options), waitedSinceMs }
        hasRemovedLock = await removeOwnStaleLock(error, lock)
        if (!hasRemovedLock) throw error
      }
    }
  }
}

/**
 * Finds Git by its absolute path. The name alone would also be looked for in the working directory: on Windows, or if
 * the PATH has a relative entry. An installation that was moved is found again.
 */
function createGitFinder(env: NodeJS.ProcessEnv): () => Promise<string> {
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1]
  let found: string | null = null
  return async () => {
    if (found === null || !exists(found)) found = await findOnPath(path ?? '', 'git')
    if (found === null) throw new GitMissingError('git', null)
    return found
  }
}

/**
 * Git's messages if it may not fetch objects that a partial clone lacks: the newer ones, then the
 * older ones.
 */
const objectsAreMissing = (error: unknown): error is GitError =>
  error instanceof GitError &&
  /lazy fetching disabled|from promisor remote|transport '[^']*' not allowed|unable to read (?:sha1 file of|[0-9a-f]{40})|missing blob object/.test(
    error.stderr,
  )

/** Another process holds a lock, or is creating a worktree and has written only part of its administrative files. */
function isLocked(error: unknown): boolean {
  return (
    blockingLock(error) !== null ||
    (error instanceof GitError && /failed to read .*\/commondir/.test(error.stderr))
  )
}

/** Such a commit exhausts its stack, at some thousand folders. */
const endedUnasked =
  'fatal: it crashed, or another program ended it; a commit may hold folders nested deeper than Git can handle'

async function runOnce(
  gitPath: string,
  {
    baseEnv,
    pipes,
    memoryBytesMax,
    idleMsMax,
    retried,
  }: {
    retried: (args: readonly string[], options: GitRunOptions) => Promise<GitResult>
    baseEnv: NodeJS.ProcessEnv
    pipes: PipeRelease
    memoryBytesMax: number
    idleMsMax: number | undefined
  },
  args: readonly string[],
  options: GitRunOptions,
): Promise<GitResult> {
  const { signal, okExitCodes = [0], waitsForServer = false } = options
  signal?.throwIfAborted()
  const stdout = collect(options.stdoutBytesMax ?? stdoutBytesMaxDefault)
  const stderr = collect(stderrBytesMax)
  const program = startProgram(
    {
      file: gitPath,
      args: ['--no-pager', ...settings, ...args],
      cwd: options.cwd,
      env: { ...baseEnv, ...options.env },
      input: options.input,
      stdinFd: options.stdinFd,
      stdoutFd: options.stdoutFd,
    },
    { onStdout: stdout.add, onStderr: stderr.add },
  )
  const end = () => program.terminate()
  signal?.addEventListener('abort', end, { once: true })
  stdout.onOverflow(end)
  let endedBecause: string | null = null
  const endBecause = (why: string) => {
    endedBecause = why
    end()
  }
  const stopLooking = watchMemory(() => program.pid, {
    bytesMax: memoryBytesMax,
    onExceeded: () =>
      endBecause(
        `it needed more than ${prettyBytes(memoryBytesMax)} of memory: a commit may hold more paths than any memory, or a file of .git be a link to a device`,
      ),
  })
  const stopWatching = watchIdle(
    () => program.pid,
    () =>
      endBecause(
        waitsForServer
          ? 'the server did not answer for a quarter of an hour, or a program waits for an answer of yours that it can’t get here: try the command in a terminal'
          : `it waited for a minute without doing anything: a network drive may not answer, or a file that it reads be a named pipe (\`find FOLDER -type p\` lists those in a folder; the repository may name other folders in .git/config and .git/objects/info/alternates)`,
      ),
    { idleMsMax, waitsForServer },
  )
  const stopReading = matchesRules(args)
    ? watchCommittedRules(
        (asked, more) => retried([...placeIn(args), ...asked], { ...inPlaceOf(options), ...more }),
        { dir: options.cwd, commit: options.checksOut?.to ?? 'HEAD' },
        endBecause,
      )
    : () => {}
  const stopReleasing = pipes.watch(options.cwd, namedFoldersIn(args, options.env), {
    matchesRules: matchesRules(args),
    onEndless: endBecause,
  })
  let exitCode: number | null
  try {
    exitCode = await program.ended
  } catch (error) {
    throw await startError(gitPath, args, options.cwd, error)
  } finally {
    stopReleasing()
    stopReading()
    stopWatching()
    stopLooking()
    signal?.removeEventListener('abort', end)
  }
  signal?.throwIfAborted()
  if (endedBecause !== null) throw new GitError(args, null, `fatal: ${endedBecause}`)

  const said = stderr.bytes().toString()
  const errorOutput = exitCode === null && said === '' ? endedUnasked : said
  if (stdout.overflowed()) {
    if (!options.cut) throw new GitError(args, null, 'its output is larger than Shiplog accepts')
    return { exitCode: 0, stdout: stdout.bytes(), stderr: errorOutput, truncated: true }
  }
  if (exitCode === null || !okExitCodes.includes(exitCode)) {
    const { stdoutFd } = options
    const isOutput =
      stdoutFd !== undefined && errorOutput.includes('write failure on standard output')
    const code = isOutput ? writeErrorOf(stdoutFd) : fullDiskOf(errorOutput, options.cwd)
    throw new GitError(args, exitCode, errorOutput, { code, isOutput })
  }
  return { exitCode, stdout: stdout.bytes(), stderr: errorOutput, truncated: false }
}

/** The arguments by which a call names its repository. */
const placeIn = (args: readonly string[]): readonly string[] =>
  args[0] === '--git-dir' ? args.slice(0, 2) : []

const inPlaceOf = ({ cwd, env, signal }: GitRunOptions): GitRunOptions => ({ cwd, env, signal })
