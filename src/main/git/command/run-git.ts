/** The interface of a `git` process for the rest of this folder, and functions that read its output. */
import type { ReadConfig } from '../repository-config/configuration.ts'

/** The files that a call writes: those of `to`, or that differ from `from` if it has those now. Commits or trees. */
export interface CheckedOut {
  from: string | null
  to: string
}

export interface GitRunOptions {
  /** Absolute. */
  cwd: string
  /** Added to the environment of the call; undefined removes a variable. */
  env?: Record<string, string | undefined> | undefined
  /** Passed on standard input, which is closed otherwise. */
  input?: string | Uint8Array | undefined
  /** An open file to use as standard input instead. */
  stdinFd?: number | undefined
  /** Stated by every call that writes files of a working tree: its filters must not run a script that comes with them. */
  checksOut?: CheckedOut | undefined
  signal?: AbortSignal | undefined
  /** The call is one to a server. It is ended when nothing has happened for a quarter of an hour (Linux only). */
  waitsForServer?: boolean | undefined
  /** Exit codes that are results; any other throws a GitError. Default: only 0. */
  okExitCodes?: readonly number[] | undefined
  /**
   * More output ends Git: with `cut` the output so far is returned, otherwise a GitError is thrown.
   */
  stdoutBytesMax?: number | undefined
  cut?: boolean | undefined
  /** An open file to use as standard output, so that memory stays bounded at any size. */
  stdoutFd?: number | undefined
}

export interface GitResult {
  exitCode: number
  stdout: Buffer
  stderr: string
  /** True when `cut` was requested and the output was cut. */
  truncated: boolean
}

export interface RunGit {
  (args: readonly string[], options: GitRunOptions): Promise<GitResult>
  /** Returns the root of the Shiplog worktree that contains a folder; null elsewhere. */
  worktreeRootOf(dir: string): Promise<string | null>
  /**
   * Repairs the worktree that contains `dir` if it is broken; throws WorktreeBrokenError if it
   * can't.
   */
  ensureWorktree(dir: string): Promise<void>
  /** Returns the configuration of the repository that contains a folder. */
  readConfig(dir: string): Promise<ReadConfig>
  /**
   * Returns a value that changes with that configuration; null if it was not read yet, or changes
   * can't be detected.
   */
  configStamp(dir: string): Promise<string | null>
  /** Reports whether data may be removed because of its age. */
  isClockTrusted(): boolean
  /**
   * Returns Shiplog's stores (`store/`) for the repository that contains a folder, the one for new
   * objects first. If empty, objects are written to that repository.
   */
  storesOf(dir: string): readonly string[]
  /** The folder for temporary files; null for the system's. */
  scratchParent: string | null
  /** The data directory, which is part of no working tree (`data-dir.ts`); null for none. */
  dataDir: string | null
}

/** Returns a `git` with more variables in the environment of every call. */
export function withVariables(git: RunGit, variables: Record<string, string>): RunGit {
  return Object.assign(
    (args: readonly string[], options: GitRunOptions) =>
      git(args, { ...options, env: { ...variables, ...options.env } }),
    {
      worktreeRootOf: git.worktreeRootOf,
      ensureWorktree: git.ensureWorktree,
      readConfig: git.readConfig,
      isClockTrusted: git.isClockTrusted,
      configStamp: git.configStamp,
      storesOf: git.storesOf,
      scratchParent: git.scratchParent,
      dataDir: git.dataDir,
    },
  )
}

/** Returns standard output as text, without the newline at its end. */
export function line(result: GitResult): string {
  const text = result.stdout.toString()
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

/** Splits `-z` output into its fields. */
export function fields(stdout: Buffer): string[] {
  const parts = stdout.toString().split('\0')
  if (parts.at(-1) === '') parts.pop()
  return parts
}

/**
 * For comparisons of a working tree: Git would otherwise run `git status` in each submodule, with
 * that submodule's settings.
 */
export const notIntoSubmodules = ['--ignore-submodules=dirty'] as const
