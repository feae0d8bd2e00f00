/** Builds the sandbox of agents' commands from the project's setting. */
import { realpath, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandSandbox } from '../../../shared/agents/driver/tool-context.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { RunSandbox, SandboxSupport } from '../../../shared/records/projects/sandbox.ts'
import type { Git } from '../../git/index.ts'
import { isInside } from '../../journal/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Sandbox, SandboxLimits } from '../../processes/sandbox/index.ts'

import { linksIn, removeNewLinks, type WritableGitFolders } from './git-links.ts'
import { socketsIn } from './sockets.ts'

export interface Sandboxes {
  /** Returns the sandbox support of this system. */
  support(): Promise<SandboxSupport>
  /**
   * Returns the sandbox for the commands of a run in `dir`; `sandbox` is null if they run without
   * one.
   */
  of(
    taskId: TaskId,
    dir: string,
    environment: Record<string, string>,
  ): Promise<{ inForce: RunSandbox; sandbox: CommandSandbox | null }>
  /**
   * Returns the sandbox for the project's set-up command; null if the project or the system has none. The command always
   * has network access and may write to the caches of package managers, because it installs packages.
   */
  ofSetup(
    taskId: TaskId,
    dir: string,
    environment: Record<string, string>,
  ): Promise<SetupSandbox | null>
}

export interface SetupSandbox {
  /** Returns the program and arguments that run `command` in the sandbox. */
  wrap(command: string[]): [program: string, ...args: string[]]
  /** As for `CommandSandbox`. */
  afterCommand(): Promise<string[]>
}

export function createSandboxes(deps: {
  ledger: Ledger
  git: Git
  findSandbox: () => Promise<Sandbox>
  /** Read-only for commands, even if it is inside a writable folder. */
  dataDir: string
}): Sandboxes {
  const { git } = deps
  const { state } = deps.ledger
  const settingOf = (taskId: TaskId) => {
    const task = state.tasks.get(taskId)
    return (task && state.projects.get(task.projectId)?.sandbox) ?? 'off'
  }
  /** Returns what the sandboxes of commands in `dir` have in common. */
  const limitsOf = async (dir: string, environment: Record<string, string>, caches: string[]) => {
    const temporary = [environment.TMPDIR ?? tmpdir(), '/tmp', '/var/tmp']
    const dataDir = { path: deps.dataDir, writable: false }
    const dirs = await git.gitDirsOf(dir)
    const folders = dirs && writableFolders(dirs)
    const mounts = await existing([
      ...[...temporary, ...caches].map((path) => ({ path, writable: true })),
      ...((await isBelow(dir, deps.dataDir))
        ? [dataDir, { path: dir, writable: true }]
        : // A project may contain the data directory.
          [{ path: dir, writable: true }, dataDir]),
      ...(dirs ? await gitMounts(dirs, dir) : []),
    ])
    const linksBefore = folders && (await linksIn(folders))
    return {
      mounts,
      // With the token in the lease a command could start agents outside of the sandbox.
      unreadable: [
        ...(await realPathOf(join(deps.dataDir, 'lease.json'))),
        ...(await socketsIn(temporary)),
      ],
      afterCommand: async () =>
        folders && linksBefore ? removeNewLinks(folders, linksBefore) : [],
    }
  }
  return {
    support: async () => (await deps.findSandbox()).support,
    async of(taskId, dir, environment) {
      const setting = settingOf(taskId)
      if (setting === 'off')
        return { inForce: { setting, program: null, why: null }, sandbox: null }
      const { support, wrap } = await deps.findSandbox()
      if (!wrap) return { inForce: { setting, ...support }, sandbox: null }
      const network = setting === 'writes'
      const { mounts, unreadable, afterCommand } = await limitsOf(dir, environment, [])
      return {
        inForce: { setting, ...support },
        sandbox: {
          network,
          afterCommand,
          limits: `commands may write only in ${dir} and temporary folders${network ? '' : ', and have no network'}`,
          wrap: (command, stateFile) =>
            wrap(
              {
                network,
                unreadable,
                mounts: [...mounts, { path: stateFile, writable: true }],
              },
              command,
            ),
        },
      }
    },
    async ofSetup(taskId, dir, environment) {
      if (settingOf(taskId) === 'off') return null
      const { wrap } = await deps.findSandbox()
      if (!wrap) return null
      const home = environment.HOME ?? homedir()
      const caches = packageCaches.map((folder) => join(home, folder))
      const { mounts, unreadable, afterCommand } = await limitsOf(dir, environment, caches)
      return {
        wrap: (command) => wrap({ network: true, mounts, unreadable }, command),
        afterCommand,
      }
    },
  }
}

/** Below the home folder: without them nearly every installation of packages would fail. */
const packageCaches = [
  '.npm',
  '.cache',
  '.yarn',
  '.bun/install/cache',
  '.local/share/pnpm',
  '.pnpm-store',
  '.cargo/registry',
  '.cargo/git',
  'go/pkg/mod',
  '.gradle/caches',
  '.m2/repository',
  '.nuget/packages',
  '.bundle/cache',
  '.composer/cache',
  'Library/Caches',
  'Library/pnpm',
]

type GitDirs = NonNullable<Awaited<ReturnType<Git['gitDirsOf']>>>

/** Null in the repository's own folder, where commands can't write any of them. */
const writableFolders = ({ gitDir, commonDir }: GitDirs): WritableGitFolders | null =>
  gitDir === commonDir
    ? null
    : {
        whole: [join(commonDir, 'refs'), join(commonDir, 'logs'), gitDir],
        objects: join(commonDir, 'objects'),
      }

/**
 * Returns the Git folders that a commit from the worktree writes. Configuration, hooks and the
 * files that locate the repository stay read-only, because they specify programs that Git runs for
 * the user, outside the sandbox. In the repository's own folder all of `.git` is read-only: in a folder where files can
 * be created, no sandbox can keep a new one (`commondir`) or another worktree's away.
 */
async function gitMounts(
  { gitDir, commonDir }: GitDirs,
  dir: string,
): Promise<SandboxLimits['mounts']> {
  if (gitDir === commonDir) return [{ path: commonDir, writable: false }]
  // Git reads it where `extensions.worktreeConfig` is set. A file that is missing could be created.
  await writeFile(join(gitDir, 'config.worktree'), '', { flag: 'a' }).catch(() => {})
  return [
    ...['objects', 'refs', 'logs'].map((name) => ({ path: join(commonDir, name), writable: true })),
    // A separate mount can't be renamed together with the protected files in it.
    { path: gitDir, writable: true },
    ...['config', 'hooks', 'info'].map((name) => ({
      path: join(commonDir, name),
      writable: false,
    })),
    ...['config.worktree', 'commondir', 'gitdir'].map((name) => ({
      path: join(gitDir, name),
      writable: false,
    })),
    { path: join(dir, '.git'), writable: false },
  ]
}

/**
 * Resolves paths and omits missing ones, because a sandbox can't be created with a missing folder.
 */
async function existing(mounts: SandboxLimits['mounts']): Promise<SandboxLimits['mounts']> {
  const found = await Promise.all(
    mounts.map(({ path, writable }) =>
      realpath(path).then(
        (real) => [{ path: real, writable }],
        () => [],
      ),
    ),
  )
  return found.flat()
}

/** Reports whether `path` is in the folder, links resolved. A later mount overrides an earlier one above it. */
async function isBelow(path: string, folder: string): Promise<boolean> {
  const [inner = path] = await realPathOf(path)
  const [outer = folder] = await realPathOf(folder)
  return isInside(outer, inner)
}

const realPathOf = (path: string): Promise<string[]> =>
  realpath(path).then(
    (real) => [real],
    () => [],
  )
