/**
 * WorkspaceService: projects, working directories, their changes, their removal, and their
 * permanent record. It does not depend on agents: it stops runs through `RunStopper`.
 */

import type { ApplyOutcome } from '../../shared/agents/tools.ts'
import type { ChangeSelection } from '../../shared/contract/changes/changes.ts'
import type { KeptLeftovers, WorkspaceSummary } from '../../shared/contract/workspace.ts'
import { refused } from '../../shared/failure.ts'
import { descendantsOf } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { type ArchiveReader, createArchiveReader } from '../archive/archive-reader.ts'
import type { KeptDependencies } from '../archive/last-kept.ts'
import type { Git } from '../git/index.ts'
import { exists } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Custody } from '../processes/custody.ts'
import type { Sandbox } from '../processes/sandbox/index.ts'
import type { LearningMasker } from '../secrets/masker.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createRestoreArchived, type RestoredWorkspaces } from './archived/restore.ts'
import { createArchivedRoots } from './archived/roots.ts'
import { createArchivedSubAgents } from './archived/sub-agents.ts'
import { createArchivedWorktrees } from './archived/worktrees.ts'
import { createFindAppliedStates } from './changes/applied-states.ts'
import { type ApplyChanges, createApplyChanges } from './changes/apply.ts'
import { type CompareTarget, createCompareTarget } from './changes/compare.ts'
import { createDiffWorkspace, type DiffWorkspace } from './changes/diff.ts'
import { createFinalStates } from './changes/final-state.ts'
import { createKeepPatchStatus } from './changes/patch-status.ts'
import { createSaveChanges } from './changes/save.ts'
import { createEnvironments, type Environments } from './environments.ts'
import { createFileUpdates, type FileUpdates } from './file-updates/file-updates.ts'
import type { SettledUpdate } from './file-updates/settle.ts'
import { createFindFiles, type FindFiles } from './files/find-files.ts'
import { filesDirOf } from './has-working-dir.ts'
import { createLeftovers } from './leftovers/leftovers.ts'
import { createWorkspaceLocks } from './locks.ts'
import type { ProjectNotice } from './moved-projects/moves.ts'
import type { RunStopper } from './ports.ts'
import { createProjects, type Projects } from './projects.ts'
import { createRemoval, type RemovalOptions } from './removal.ts'
import { createRollForward, type OnRolledForward } from './roll-forward.ts'
import { createSandboxes, type Sandboxes } from './sandbox/sandboxes.ts'
import { createTreeRemoval } from './tree-removal.ts'
import { createWorkingDirs, type WorkingDirs } from './working-dirs.ts'
import { createWorkspaceList } from './workspace-list.ts'

export interface WorkspaceService {
  readonly projects: Projects
  readonly workingDirs: WorkingDirs
  readonly records: ArchiveReader
  readonly diff: DiffWorkspace
  readonly compareTarget: CompareTarget
  readonly apply: ApplyChanges
  /** Undoes the newest apply of a task's changes, unless the files have changed since. */
  readonly undoApply: FileUpdates['undo']
  /** Returns HEAD of a directory; null outside Git. */
  head(dir: string): Promise<string | null>
  currentBranch(dir: string): Promise<string | null>
  readonly environments: Environments
  readonly sandboxes: Sandboxes
  /** Returns the task's working folder. Throws FailureError if it is missing. */
  folderOf(taskId: TaskId): string
  readonly findFiles: FindFiles
  /**
   * Returns a commit with the final files of the task, uncommitted ones included; null if none is
   * kept.
   */
  lastState(taskId: TaskId): Promise<string | null>
  list(archived: boolean): Promise<WorkspaceSummary[]>
  /**
   * Removes a workspace and all below it, deepest first. Resolves with the removed workspaces (R1);
   * the removal of the whole tree is recorded before anything else is done. Throws FailureError
   * `unknown-worktree` if Git does not have a worktree registered, unless `discardUnknownWorktree`
   * is set.
   */
  remove(taskId: TaskId, options?: RemovalOptions): Promise<TaskId[]>
  /**
   * Returns the files of its worktree, and of those below it, in the trash, after they were sorted
   * (R3).
   */
  leftovers(taskId: TaskId): Promise<KeptLeftovers[]>
  /**
   * Moves the leftovers back into the worktree of a restored root. Throws FailureError if the workspace is not in use.
   */
  restoreLeftovers(taskId: TaskId): Promise<void>
  /**
   * Restores a removed root from the archive with the resumable sub-agents below it, or one such
   * sub-agent of a root in use, worktrees included (R6). Throws FailureError.
   */
  restore(taskId: TaskId): Promise<RestoredWorkspaces>
  /** Moves an archived root to the trash; resolves with its tasks (R6). */
  trash(taskId: TaskId): Promise<TaskId[]>
  /** Moves an archived root from the trash back to the archive. */
  untrash(taskId: TaskId): Promise<void>
  /**
   * Completes what must precede all other work: an earlier process's updates of files and moves to the trash.
   * Problems are reported, never thrown (R5).
   */
  settle(): Promise<void>
  /**
   * Completes the removals and restores that an earlier process began. Until it resolves, these workspaces are as
   * during a removal or restore of this process. After an abort no further one begins; the next start completes the
   * rest. Problems are reported, never thrown (R5).
   */
  rollForward(signal: AbortSignal): Promise<void>
  /**
   * Runs `work` while no other call removes, archives, restores or deletes that workspace's session
   * directory.
   */
  exclusively<T>(workspaceId: TaskId, work: () => Promise<T>): Promise<T>
  /** Resolves when no removal, apply or sorting of leftovers is in progress. */
  settled(): Promise<void>
}

interface WorkspaceServiceDependencies {
  ledger: Ledger
  git: Git
  layout: DataLayout
  sessions: Sessions
  turnStore: KeptDependencies['turnStore']
  stopper: RunStopper
  secrets: LearningMasker
  custody: Custody
  /** The environment of Shiplog itself. */
  hostEnv: NodeJS.ProcessEnv
  /** Variables for the `git` that runs in a shell. */
  shellGit: Record<string, string>
  findSandbox: () => Promise<Sandbox>
  clock: () => number
  onProblem: (text: string, error: unknown) => void
  /** Called with a side effect of a successful call that the user should check. */
  onWarning: (text: string) => void
  /** Called for a failure that has no consequences. */
  onIgnored?: (what: string, error: unknown) => void
  /** Called if a project has moved, or another repository is in its folder. */
  onProjectNotice: (notice: ProjectNotice) => void
  /** Called if an interrupted update of files was completed, or could not be. */
  onSettled: (settled: SettledUpdate) => void
  onRolledForward: OnRolledForward
}

export function createWorkspaceService(deps: WorkspaceServiceDependencies): WorkspaceService {
  const { ledger, git } = deps
  const { state } = ledger
  const locks = createWorkspaceLocks()
  const projects = createProjects(deps)
  const environments = createEnvironments({ ...deps, projects })
  const sandboxes = createSandboxes({ ...deps, dataDir: deps.layout.dataDir })
  const workingDirs = createWorkingDirs({ ...deps, projects, environments, sandboxes })
  const records = createArchiveReader(deps)
  const finalStates = createFinalStates({ state, records, git, workingDirs })
  const diff = createDiffWorkspace({ git, finalStates })
  const keepPatchStatus = createKeepPatchStatus({ ...deps, records, finalStates, locks })
  const fileUpdates = createFileUpdates({ ...deps, keepPatchStatus })
  const findAppliedStates = createFindAppliedStates({ state, records })
  const apply = createApplyChanges({
    ...deps,
    finalStates,
    findAppliedStates,
    fileUpdates,
    keepPatchStatus,
    locks,
  })
  const leftovers = createLeftovers({ ...deps, workingDirs, locks })
  const saveChanges = createSaveChanges({ ...deps, records, workingDirs, leftovers })
  const worktrees = createArchivedWorktrees({ ...deps, state, workingDirs, leftovers })
  const archivedRoots = createArchivedRoots({
    ...deps,
    worktrees,
    relist: projects.relist,
    locks,
  })
  const restoring = createRestoreArchived({
    ...deps,
    roots: archivedRoots,
    subAgents: createArchivedSubAgents({ ...deps, records, worktrees }),
    leftovers,
    locks,
  })
  const removal = createTreeRemoval({
    state,
    removal: createRemoval({ ...deps, saveChanges, workingDirs, leftovers, locks }),
    stopper: deps.stopper,
    locks,
  })

  async function settle(): Promise<void> {
    // First, because half-written files must not be mistaken for the user's work.
    for (const settled of await fileUpdates.settle()) deps.onSettled(settled)
    await archivedRoots.settleTrash().catch((error) => {
      deps.onProblem('The trash and the ledger could not be reconciled', error)
    })
  }

  /** Restores are serialized per tree, because two sub-agents may have the same parent to restore. */
  const inTree = <T>(taskId: TaskId, work: () => Promise<T>): Promise<T> =>
    locks.workspace(state.tasks.get(taskId)?.rootId ?? taskId, work)
  const rollForward = createRollForward({ ...deps, state, removal, restoring, leftovers, inTree })

  /** Also returns the files that are not applied: a patch contains no ignored files. */
  async function applyAndListRest(
    taskId: TaskId,
    selection?: ChangeSelection,
  ): Promise<ApplyOutcome> {
    const outcome = await apply(taskId, selection)
    const task = state.tasks.get(taskId)
    if (outcome.kind !== 'applied' || !task || selection) return outcome
    // The changes are applied, so a failure to list the rest must not fail the call.
    const notCarried = await leftovers.notCarried(task).catch(() => [])
    return notCarried.length > 0 ? { ...outcome, notCarried } : outcome
  }

  async function lastState(taskId: TaskId): Promise<string | null> {
    const task = state.tasks.get(taskId)
    if (!task || !state.projects.get(task.projectId)?.git) return null
    const { workspace, projectDir } = task
    const dir =
      workspace?.removal === null ? await filesDirOf({ git, workingDirs }, workspace) : null
    if (dir !== null) return (await git.commitSnapshot(dir)).commit
    return (await exists(projectDir)) ? git.keptCommit(projectDir, taskId) : null
  }

  /** Called at each turn, so it starts no Git process outside a repository. */
  async function ifInRepository(
    dir: string,
    query: (dir: string) => Promise<string | null>,
  ): Promise<string | null> {
    try {
      return (await git.isInRepository(dir)) ? await query(dir) : null
    } catch {
      return null
    }
  }

  return {
    projects,
    environments,
    sandboxes,
    workingDirs,
    records,
    diff,
    compareTarget: createCompareTarget({ git, finalStates, findAppliedStates }),
    apply: (taskId, selection) =>
      locks.workspace(taskId, () => applyAndListRest(taskId, selection)),
    undoApply: (taskId) =>
      locks.workspace(taskId, () => {
        const dir = state.tasks.get(taskId)?.fileUpdates?.at(-1)?.dir
        // A removal of that folder holds its lock until it is deleted.
        return dir ? locks.folder(dir, () => fileUpdates.undo(taskId)) : fileUpdates.undo(taskId)
      }),
    head: (dir) => ifInRepository(dir, git.head),
    currentBranch: (dir) => ifInRepository(dir, git.currentBranch),
    folderOf(taskId) {
      const { title, workspace } = state.tasks.get(taskId) ?? {}
      if (workspace && workspace.removal === null) return workspace.path
      return refused('removed', `"${title}" has no folder now; its changes are kept as a patch.`)
    },
    findFiles: createFindFiles({ ...deps, dataDir: deps.layout.dataDir }),
    lastState,
    list: createWorkspaceList({ state, records }),
    remove: removal.remove,
    leftovers: (taskId) =>
      leftovers.of([...descendantsOf(state, taskId).map(({ id }) => id), taskId]),
    restoreLeftovers: (taskId) =>
      locks.workspace(taskId, async () => {
        const task = state.tasks.get(taskId)
        const { workspace } = task ?? {}
        if (!task || !workspace || workspace.removal !== null)
          return refused('removed', `"${task?.title}" has no worktree now: restore it first.`)
        await leftovers.restore({ ...task, workspace })
        await leftovers.reportOfSubAgents(task)
      }),
    restore: (taskId) => inTree(taskId, () => restoring.restore(taskId)),
    trash: (taskId) => locks.workspace(taskId, () => archivedRoots.trash(taskId)),
    untrash: (taskId) => locks.workspace(taskId, () => archivedRoots.untrash(taskId)),
    settle,
    rollForward,
    exclusively: (workspaceId, work) => locks.workspace(workspaceId, work),
    async settled() {
      await Promise.all([locks.settled(), projects.settled()])
      await leftovers.settled()
    },
  }
}
