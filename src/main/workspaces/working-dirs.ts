/**
 * Working directories of workspaces: creates, sets up and removes worktrees, or uses the project's
 * own folder.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Masker } from '../../shared/agents/driver/masker.ts'
import type { ProjectSetup } from '../../shared/contract/projects.ts'
import { invalid, refused } from '../../shared/failure.ts'
import { type ProjectId, shortId, type TaskId } from '../../shared/records/ids.ts'
import type { LedgerEventOf } from '../../shared/records/ledger.ts'
import type { Project } from '../../shared/records/projects/projects.ts'
import type { Isolation, Workspace } from '../../shared/records/projects/workspaces.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { type Git, setUpFile } from '../git/index.ts'
import { exists, makeDirDurable } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Custody } from '../processes/custody.ts'
import { type DataLayout, storedPath } from '../sessions/session-files.ts'
import { changedByAgents } from './changed-by-agents.ts'
import type { Environments } from './environments.ts'
import { runInWorktreeOnly } from './git-request.ts'
import { goneFolderAdvice } from './moved-projects/gone-folder.ts'
import { copyProjectFiles } from './project-config.ts'
import type { Projects } from './projects.ts'
import type { Sandboxes } from './sandbox/sandboxes.ts'
import { runSetup } from './setup-command.ts'
import { changedSetupFiles } from './setup-files.ts'
import { worktreeAround, worktreeRootIn } from './worktree-roots.ts'

/** The fields of `workspace.created`, without its id and type. */
type MadeWorkingDir = Omit<LedgerEventOf<'workspace.created'>, 'type' | 'workspaceId' | 'kind'>

/** The files of another task, for a root that continues it. */
export interface StartingFiles {
  /** A commit of them, uncommitted work included. */
  commit: string
  /**
   * The base of the other task's changes, which then are this root's as well: uncommitted work stays uncommitted. Null if
   * the project has them already.
   */
  base: string | null
}

/** The result of a set-up command; null if there is none, or it ran before. */
interface SetUpOutcome {
  command: string
  /**
   * The files of the command that agents changed, or may have changed, so that it was not run.
   * Empty if it was.
   */
  changed: string[]
}

export interface WorkingDirs {
  /**
   * Creates the working directory of a task. `parent` is null for a root, which starts from the
   * project.
   */
  make(
    taskId: TaskId,
    from: {
      projectId: ProjectId
      title: string
      parent: TaskId | null
      isolation: Isolation
      /** The files that a root starts from, instead of the project's commit. */
      files?: StartingFiles | undefined
    },
  ): Promise<MadeWorkingDir>
  /**
   * Deletes the directory that `make` of this process created, if the ledger did not record it. No error if there is
   * none. One that was there before is kept, whatever the ledger says of it: its record may be damaged.
   */
  discard(taskId: TaskId): Promise<void>
  /**
   * Copies the project's files and runs its set-up command in a worktree if that has not succeeded
   * yet; calls `onBegin` when it starts.
   */
  setUp(taskId: TaskId, signal: AbortSignal, onBegin?: () => void): Promise<SetUpOutcome | null>
  /** Returns the worktree's root, which may be a parent of the working directory. */
  worktreeRoot(workspace: Workspace): string
  /** Also for a sub-agent in the worktree of its parent; null for the project's folder. */
  worktreeAround(workspace: Workspace): string | null
}

export function createWorkingDirs(deps: {
  ledger: Ledger
  git: Git
  layout: DataLayout
  projects: Projects
  environments: Environments
  custody: Custody
  sandboxes: Pick<Sandboxes, 'ofSetup'>
  secrets: Pick<Masker, 'text'>
}): WorkingDirs {
  const { ledger, git, layout, projects, environments, custody, secrets } = deps

  /** The worktrees that this process created and that no event records yet. */
  const created = new Map<
    TaskId,
    { repoDir: string; path: string; branch: string; branchAt: string }
  >()
  ledger.subscribe((records) => {
    for (const { event } of records)
      if (event.type === 'workspace.created') created.delete(event.workspaceId)
  })

  /**
   * The branch name may become public when pushed. The ledger's title is already masked, so it
   * gives the same name.
   */
  const branchOf = (taskId: TaskId, title: string) => branchFor(taskId, secrets.text(title))

  function placeFor(taskId: TaskId, project: Project): string {
    return join(layout.worktrees, folderName(project.name, project.id), shortId(taskId))
  }

  const worktreeRoot = (workspace: Workspace) => worktreeRootIn(layout, workspace)

  async function make(
    taskId: TaskId,
    from: Parameters<WorkingDirs['make']>[1],
  ): Promise<MadeWorkingDir> {
    const project = projects.known(from.projectId)
    const parent = from.parent ? ledger.state.tasks.get(from.parent) : undefined
    const start = parent?.workspace?.path ?? project.dir
    if (from.isolation === 'in-place') {
      const baseCommit = project.git ? await git.head(start) : null
      const branch = project.git ? await git.currentBranch(start) : null
      return {
        isolation: 'in-place',
        path: storedPath(layout, start),
        branch,
        baseCommit,
        baseBranch: branch,
      }
    }
    return makeWorktree(taskId, from, project, start, parent)
  }

  async function makeWorktree(
    taskId: TaskId,
    { title, files }: Parameters<WorkingDirs['make']>[1],
    project: Project,
    start: string,
    parent: Task | undefined,
  ): Promise<MadeWorkingDir> {
    await refuseUntrustedSetup(project.id)
    const found = await git.inspectProject(start)
    if (found.kind !== 'repository') {
      return invalid(
        'project',
        found.kind === 'missing' && start === project.dir
          ? goneFolderAdvice(project, start)
          : found.kind === 'missing'
            ? `${start} is missing: put it back, and try again.`
            : `${start} is no longer a Git repository with commits (${found.kind}), so no worktree can be created from it.`,
      )
    }
    // A sub-agent starts from its parent's state, uncommitted work included; a root from its
    // commit. Its branch will refer to that commit, so it must be in the user's repository.
    const snapshot = () => git.commitSnapshot(start, { into: 'repository' })
    const repoDir = found.topLevel
    const continued = files && (await workOf(repoDir, files))
    const branchAt =
      continued?.head ?? files?.commit ?? (parent ? (await snapshot()).commit : found.head)
    const baseCommit = continued?.base ?? branchAt
    const branch = branchOf(taskId, title)
    const root = placeFor(taskId, project)
    await makeDirDurable(join(layout.worktrees, folderName(project.name, project.id)))
    const at = { repoDir, path: root, branch }
    await git.deleteUnusedBranch(at)
    if (continued) await git.restoreWorktree({ ...at, ...continued, onlyThatBranch: true })
    else await git.createWorktree({ ...at, from: branchAt })
    created.set(taskId, { ...at, branchAt })
    await git.pinBase({ repoDir, taskId, commit: baseCommit })
    await refuseCommandsOfWorktree(project.dir, root).catch(async (error) => {
      await discard(taskId)
      throw error
    })
    const below = relative(found.topLevel, start)
    const workingDir = join(root, below)
    // A project that is a folder of its repository may hold only untracked files.
    await mkdir(workingDir, { recursive: true })
    return {
      isolation: 'worktree',
      path: storedPath(layout, workingDir),
      branch,
      baseCommit,
      baseBranch: found.branch,
    }
  }

  /** Null if the changes have no base that the repository still has: then they can't be told from its files. */
  async function workOf(repoDir: string, { commit, base }: StartingFiles) {
    if (base === null || (await git.resolveCommit(repoDir, base)) === null) return null
    const head = await git.committedBase({ dir: repoDir, commit })
    return head === null ? null : { base, head, final: commit }
  }

  /**
   * Without a filter that the repository needs, an agent would change and commit other files than
   * it should.
   */
  async function refuseCommandsOfWorktree(projectDir: string, root: string): Promise<void> {
    const { commands, scripts } = await runInWorktreeOnly(git, { projectDir, root })
    if (commands.length === 0 && scripts.length > 0)
      refused(
        'setup-not-trusted',
        `The repository's Git configuration runs ${scripts.join(', ')}, whose text is another one in the new worktree than in the project's folder, and you allowed only that one. Commit it there, or bring it to what the agent starts from, then start again.`,
      )
    if (commands.length === 0) return
    refused(
      'setup-not-trusted',
      `The repository's Git configuration has commands only for Shiplog's worktrees or branches (includeIf), and Shiplog can't ask you about those: ${commands.join('; ')}. If you want them to run, set them in .git/config without a condition, or in your own configuration (git config --global), then start again; if not, remove the include.`,
    )
  }

  async function discard(taskId: TaskId) {
    const made = created.get(taskId)
    created.delete(taskId)
    if (!made || ledger.state.tasks.get(taskId)?.workspace) return
    await git.removeWorktree(made)
    await git.unpinBase(made.repoDir, taskId)
  }

  async function refuseUntrustedSetup(projectId: ProjectId): Promise<ProjectSetup> {
    const config = await projects.setup(projectId)
    if (config.trusted) return config
    if (config.git) {
      return refused(
        'setup-not-trusted',
        `The Git configuration of the project requests something that you have not allowed yet: ${[config.git.commands, ...config.git.fetches.map(({ url }) => `fetching from ${url}`)].filter(Boolean).join('; ')}`,
      )
    }
    return refused(
      'setup-not-trusted',
      `The project requests to run a command in each new worktree, which you have not allowed yet: ${config.setup}`,
    )
  }

  async function setUp(
    taskId: TaskId,
    signal: AbortSignal,
    onBegin: () => void = () => undefined,
  ): Promise<SetUpOutcome | null> {
    const task = ledger.state.tasks.get(taskId)
    if (task?.workspace?.isolation !== 'worktree') return null
    const { path } = task.workspace
    // Stored in Git's folder of the worktree, so that it is deleted with it: a recreated worktree
    // has none.
    const done = await git.privateFile(path, setUpFile)
    if (await exists(done)) return null
    onBegin()
    const config = await refuseUntrustedSetup(task.projectId)
    await copyProjectFiles(task.projectDir, path, config.copy)
    if (!config.setup) {
      await writeFile(done, '')
      return null
    }
    const root = worktreeRoot(task.workspace)
    const changed = await changedSetupFiles(config.setup, {
      root,
      cwd: path,
      changed: await changedByAgents({ state: ledger.state, git }, task, root),
    })
    // Not run on the user's permission: the agent can run it itself, within its own permissions.
    if (changed.length > 0) return { command: config.setup, changed }
    const { env } = await environments.of(taskId, path)
    const running = await custody.begin(taskId, config.setup)
    try {
      await runSetup(config.setup, {
        cwd: path,
        env: { ...env, ...running.environment },
        signal,
        running,
        sandbox: await deps.sandboxes.ofSetup(taskId, path, env),
      })
    } finally {
      await running.ended()
    }
    await writeFile(done, '')
    return { command: config.setup, changed: [] }
  }

  return {
    make,
    discard,
    setUp,
    worktreeRoot,
    worktreeAround: (workspace) => worktreeAround(layout, workspace),
  }
}

const branchFor = (taskId: TaskId, title: string): string =>
  `shiplog/${slug(title)}-${shortId(taskId)}`

/** Two projects may have the same name: the id distinguishes them, the name is for people. */
const folderName = (name: string, projectId: ProjectId): string =>
  `${slug(name)}-${shortId(projectId)}`

/** Keeps letters of any script, because a branch may be named after its task. */
function slug(text: string): string {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const name = [...words.join('-')].slice(0, slugCharsMax).join('')
  return name.replace(/-+$/, '') || 'work'
}

/** Windows limits paths to 260 characters, most of which Git and the project need. */
const slugCharsMax = 32
