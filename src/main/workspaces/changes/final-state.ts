/** Finds the final state of a workspace, and the folder to apply it to, for diff and apply. */
import { FailureError, refused } from '../../../shared/failure.ts'
import { ancestorsOf, type LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import { projectOf } from '../../../shared/projections/ledger/project-use.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isPatchSaved, type Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import { type PatchEntry, patchIndex } from '../../artifacts/index.ts'
import type { Git } from '../../git/index.ts'
import { filesDirOf, hasWorkingDir } from '../has-working-dir.ts'
import { goneFolderAdvice, isGone } from '../moved-projects/gone-folder.ts'
import type { WorkingDirs } from '../working-dirs.ts'

/** A workspace with a base commit. */
export type IsolatedWorkspace = Workspace & { baseCommit: string }
/** `live` is the workspace's directory while it exists; otherwise the files saved at its removal, in `dir`. */
export type FinalState = { live: string } | { saved: PatchEntry; dir: string }

export type FinalStates = ReturnType<typeof createFinalStates>

export function createFinalStates({
  state,
  records,
  ...places
}: {
  state: LedgerState
  records: ArchiveReader
  git: Pick<Git, 'isPartialWorktree'>
  workingDirs: Pick<WorkingDirs, 'worktreeAround'>
}) {
  function isolated(taskId: TaskId): { task: Task; workspace: IsolatedWorkspace } {
    const task = state.tasks.get(taskId)
    if (!task) throw new FailureError({ kind: 'not-found', what: 'task', id: taskId })
    const { workspace } = task
    if (!workspace?.baseCommit) {
      return refused(
        'not-git',
        workspace
          ? `"${task.title}" works outside Git, so there is no state to compare with.`
          : `"${task.title}" has not started, so there are no changes yet.`,
      )
    }
    return { task, workspace: { ...workspace, baseCommit: workspace.baseCommit } }
  }

  async function finalState(task: Task, workspace: Workspace): Promise<FinalState | null> {
    const live = isPatchSaved(workspace) ? null : await filesDirOf(places, workspace)
    if (live !== null) {
      // A worktree depends on the repository.
      await refuseWithoutProject(task)
      return { live }
    }
    for (const id of keepersOf(task)) {
      const dir = await records.sessionHome(id)
      const saved = dir ? await patchIndex(dir).get(task.id) : null
      if (dir && saved) return { saved, dir }
    }
    return null
  }

  /**
   * Returns the tasks whose session directory may hold its patch, nearest first; a root keeps its
   * own.
   */
  function keepersOf(task: Task): TaskId[] {
    return task.parentId === null ? [task.id] : ancestorsOf(state, task.id)
  }

  /**
   * Returns the folder to apply its changes to: its parent's; if that was removed, that of the
   * nearest ancestor that still exists; else the project's own.
   */
  function applyTarget(task: Task): string {
    for (const id of ancestorsOf(state, task.id)) {
      const workspace = state.tasks.get(id)?.workspace
      if (workspace && workspace.removal === null) return workspace.path
    }
    return task.projectDir
  }

  /** Throws FailureError with the remedy if the project's folder is gone. */
  async function refuseWithoutProject({ projectId, projectDir }: Task): Promise<void> {
    if (await isGone(projectDir))
      refused('folder-gone', goneFolderAdvice(projectOf(state, projectId), projectDir))
  }

  /** Throws FailureError with the remedy if the folder that `applyTarget` returned is gone, or is only half restored. */
  async function refuseWithoutTarget(task: Task, target: string): Promise<void> {
    if (target === task.projectDir) return refuseWithoutProject(task)
    for (const id of ancestorsOf(state, task.id)) {
      const { title, workspace } = state.tasks.get(id) ?? {}
      if (workspace?.path !== target) continue
      if (!(await hasWorkingDir(places, workspace)))
        refused(
          'folder-gone',
          `The folder of "${title}", into which the changes of "${task.title}" are applied, is gone or incomplete. A next run of "${title}" restores it.`,
        )
      return
    }
  }

  return {
    isolated,
    finalState,
    keepersOf,
    applyTarget,
    refuseWithoutProject,
    refuseWithoutTarget,
  }
}
