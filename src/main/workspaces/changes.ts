/** What a workspace changed: shown as a diff, saved as a patch, applied where its work belongs. */
import { lstat, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { WorkspaceDiff } from '../../shared/contract/workspace.ts'
import { FailureError, refused } from '../../shared/failure.ts'
import type { TaskId } from '../../shared/ids.ts'
import { ancestorsOf } from '../../shared/projections/ledger-state.ts'
import type { Serially } from '../../shared/serially.ts'
import { isRunning, removalSteps, type Task, type Workspace } from '../../shared/tasks.ts'
import type { ApplyOutcome } from '../../shared/tools.ts'
import {
  changePatchStatus,
  type PatchEntry,
  patchDir,
  patchIndex,
  savePatch,
  seriesFile,
  worktreePatchFile,
} from '../artifacts/index.ts'
import type { Git, MergeAnswer } from '../git/index.ts'
import { exists, makeDirDurable, moveDurable, syncDirectory } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { Records } from './record.ts'
import type { WorkingDirs } from './working-dirs.ts'

export interface Changes {
  /** `patch: false`: only the files and their counts, not the text of the changes. */
  diff(taskId: TaskId, options?: { patch?: boolean }): Promise<WorkspaceDiff>
  /**
   * Three-way, all or nothing; a conflict is an answer. A root's goes to the project's own folder, a
   * sub-agent's to its parent's, or to the nearest ancestor's that is left.
   */
  apply(taskId: TaskId): Promise<ApplyOutcome>
  /**
   * Saves what the workspace holds into its keeper's session directory, before the worktree goes (R1). A
   * worktree that Git does not know is refused, or, `askedAgain`, goes to the trash as it is.
   */
  save(taskId: TaskId, options?: { askedAgain?: boolean }): Promise<void>
}

export function createChanges(deps: {
  ledger: Ledger
  git: Git
  layout: DataLayout
  records: Records
  workingDirs: WorkingDirs
  clock: () => number
  serially: Serially
  onProblem: (text: string, error: unknown) => void
}): Changes {
  const { ledger, git, layout, records, clock, serially } = deps
  const { state } = ledger

  function isolated(taskId: TaskId): { task: Task; workspace: Workspace & { baseCommit: string } } {
    const task = state.tasks.get(taskId)
    if (!task) throw new FailureError({ kind: 'not-found', what: 'task', id: taskId })
    const { workspace } = task
    if (!workspace?.baseCommit) {
      return refused(
        'not-git',
        workspace
          ? `"${task.title}" works outside Git, so there is no state to compare with.`
          : `"${task.title}" has not begun, so there are no changes yet.`,
      )
    }
    return { task, workspace: { ...workspace, baseCommit: workspace.baseCommit } }
  }

  /** Its directory while it is there, else what was saved when it was removed. */
  async function finalState(
    task: Task,
    workspace: Workspace,
  ): Promise<{ live: string } | { saved: PatchEntry; dir: string } | null> {
    if (!isSaved(workspace) && (await exists(workspace.path))) return { live: workspace.path }
    for (const id of keepersOf(task)) {
      const dir = await records.sessionHome(id)
      const saved = dir ? await patchIndex(dir).get(task.id) : null
      if (dir && saved) return { saved, dir }
    }
    return null
  }

  async function diff(
    taskId: TaskId,
    { patch = true }: { patch?: boolean } = {},
  ): Promise<WorkspaceDiff> {
    const { workspace } = isolated(taskId)
    return diffNow(taskId, patch).catch((error) => {
      // Removed while it was being read: then what was saved tells.
      const now = isolated(taskId).workspace
      if (now.removal === workspace.removal || !isSaved(now)) throw error
      return diffNow(taskId, patch)
    })
  }

  async function diffNow(taskId: TaskId, patch: boolean): Promise<WorkspaceDiff> {
    const { task, workspace } = isolated(taskId)
    const target = await targetOf(task)
    const final = await finalState(task, workspace)
    if (final && 'live' in final) {
      const answer = await git.diff({ dir: final.live, baseCommit: workspace.baseCommit, patch })
      if (answer.kind === 'diff')
        return { files: answer.files, patch: answer.patch, truncated: answer.truncated, target }
      return refused(
        'not-git',
        `The state that "${task.title}" began from is not in the repository any more.`,
      )
    }
    const commit = final?.saved.finalCommit
    if (!commit) return { files: [], patch: '', truncated: false, target }
    const content = await git.diffCommits({
      repoDir: task.projectDir,
      from: workspace.baseCommit,
      to: commit,
      patch,
    })
    return { ...content, target }
  }

  async function targetOf(task: Task): Promise<WorkspaceDiff['target']> {
    const path = applyTarget(task)
    const branch = (await exists(path)) ? await git.currentBranch(path).catch(() => null) : null
    return { path, branch }
  }

  async function apply(taskId: TaskId): Promise<ApplyOutcome> {
    const { task } = isolated(taskId)
    for (;;) {
      const target = applyTarget(task)
      // Whoever removes that workspace has its folder until it is gone: its work belongs elsewhere then.
      const outcome = await serially(folderKey(target), async () =>
        applyTarget(task) === target ? applyTo(taskId, target) : null,
      )
      if (outcome) return outcome
    }
  }

  async function applyTo(taskId: TaskId, target: string): Promise<ApplyOutcome> {
    const { task, workspace } = isolated(taskId)
    if (workspace.isolation === 'in-place') {
      return refused(
        'nothing-to-apply',
        `"${task.title}" worked in place: its changes are in ${workspace.path} already.`,
      )
    }
    if (isRunning(task.status)) {
      return refused(
        'running',
        `"${task.title}" is at work. Its changes can be applied when it has ended.`,
      )
    }
    const final = await finalState(task, workspace)
    if (!final)
      return refused('nothing-to-apply', `Nothing is kept of what "${task.title}" changed.`)
    if ('saved' in final && final.saved.status === 'failed') {
      const why = final.saved.error ?? 'its patch could not be made'
      return refused('nothing-to-apply', `What "${task.title}" changed was not kept: ${why}.`)
    }
    const theirCommit =
      'live' in final ? (await git.commitSnapshot(final.live)).commit : final.saved.finalCommit
    if (!theirCommit) return { kind: 'nothing-to-apply' }
    const merged = await git.mergeInto({
      targetDir: target,
      baseCommit: workspace.baseCommit,
      theirCommit,
    })
    const outcome =
      merged.kind === 'commits-missing'
        ? await applySavedFiles(merged, target, workspace, final)
        : merged
    if (outcome.kind === 'applied' || outcome.kind === 'already-applied') {
      await keepApplied(task)
      await ledger.record({ type: 'task.patch-changed', taskId, status: 'applied' })
    }
    return outcome
  }

  /** Said by the patch too, wherever it is kept by now: it goes up as what is above it is removed. */
  async function keepApplied(task: Task): Promise<void> {
    for (const id of keepersOf(task)) {
      const kept = await serially(sessionKey(id), async () => {
        const dir = await records.sessionHome(id)
        return dir !== null && changePatchStatus(dir, task.id, 'applied', clock())
      })
      if (kept) return
    }
  }

  /** Whose session directory may keep its patch, from the nearest up; a root keeps its own. */
  function keepersOf(task: Task): TaskId[] {
    return task.parentId === null ? [task.id] : ancestorsOf(state, task.id)
  }

  /**
   * Where its work belongs: its parent's folder; where that is gone, the nearest ancestor's that is left,
   * and last the project's own.
   */
  function applyTarget(task: Task): string {
    for (const id of ancestorsOf(state, task.id)) {
      const workspace = state.tasks.get(id)?.workspace
      if (workspace && workspace.removal === null) return workspace.path
    }
    return task.projectDir
  }

  /** The repository lost the commits (a clone anew, an eager clean-up): the saved files still tell. */
  async function applySavedFiles(
    merged: MergeAnswer & { kind: 'commits-missing' },
    targetDir: string,
    workspace: Workspace & { baseCommit: string },
    final: { live: string } | { saved: PatchEntry; dir: string },
  ): Promise<ApplyOutcome> {
    if ('live' in final) {
      return refused(
        'not-git',
        `The commit ${merged.commits.join(', ')} is not in the repository of ${targetDir}.`,
      )
    }
    const dir = patchDir(final.dir, final.saved.childTaskId)
    const pathOf = async (name: string) => {
      if (await exists(join(dir, name))) return join(dir, name)
      // Without it, the other one would be half of the work.
      if (!final.saved.files?.includes(name)) return null
      return refused('nothing-to-apply', `A part of its patch is lost: ${join(dir, name)}`)
    }
    const seriesPath = await pathOf(seriesFile)
    const worktreePath = await pathOf(worktreePatchFile)
    return git.mergePatchInto({
      targetDir,
      baseCommit: workspace.baseCommit,
      seriesPath,
      worktreePath,
    })
  }

  async function save(taskId: TaskId, { askedAgain = false } = {}): Promise<void> {
    const task = state.tasks.get(taskId)
    const workspace = task?.workspace
    if (!task || !workspace || workspace.isolation === 'in-place' || !workspace.baseCommit) return
    const { baseCommit } = workspace
    const keeper = layout.sessionDir(task.parentId ?? taskId)
    const known = await patchIndex(keeper).get(taskId)
    // A crash after the worktree went must not replace what was saved before it went.
    const here = await exists(workspace.path)
    if (!here && known) return
    const entry = await savePatch(keeper, taskId, async (dir) => {
      const common = {
        childTaskId: taskId,
        parentWorkspaceId: task.parentId,
        ancestorWorkspaceIds: ancestorsOf(state, taskId),
        title: task.title,
        createdAtMs: known?.createdAtMs ?? clock(),
        updatedAtMs: clock(),
        baseCommit,
      }
      const nothing = { ...common, status: 'failed' as const, headCommit: null, finalCommit: null }
      if (!here) return { ...nothing, paths: [], error: `${workspace.path} was gone` }
      const saved = await git
        .savePatch({
          dir: workspace.path,
          baseCommit,
          seriesPath: join(dir, seriesFile),
          worktreePath: join(dir, worktreePatchFile),
        })
        .catch(async (error) => {
          if (await isWorktree(workspace)) throw error
          return null
        })
      if (saved === null) {
        if (!askedAgain) return refused('removed', whatToDoWithoutGit(task, workspace))
        const name = await deps.workingDirs.toTrash(taskId, workspace)
        const error = `Git did not know its worktree any more; its files went to the trash as ${name}`
        deps.onProblem(`What "${task.title}" changed is not kept as a patch`, new Error(error))
        return { ...nothing, paths: [], error }
      }
      await syncDirectory(dir)
      await keepLeftOut(task, workspace, saved.leftOut)
      // Keeps both sides of a later three-way merge alive when worktree and branch are gone.
      await git.keepRef(workspace.path, taskId, saved.finalCommit)
      const status = task.patch === 'applied' && saved.status === 'ready' ? 'applied' : saved.status
      return {
        ...common,
        status,
        headCommit: saved.headCommit,
        finalCommit: saved.finalCommit,
        paths: saved.paths,
        files: [
          ...(saved.seriesBytes === null ? [] : [seriesFile]),
          ...(saved.worktreeBytes === null ? [] : [worktreePatchFile]),
        ],
      }
    })
    if (entry.status !== task.patch)
      await ledger.record({ type: 'task.patch-changed', taskId, status: entry.status })
  }

  /**
   * Not where the project was moved or deleted, or the agent deleted what makes a folder a worktree, or made
   * it a repository of its own.
   */
  async function isWorktree(workspace: Workspace): Promise<boolean> {
    const root = deps.workingDirs.worktreeRoot(workspace)
    const found = await git.inspectProject(root)
    if (!('topLevel' in found) || found.topLevel !== (await realpath(root))) return false
    return (await lstat(join(root, '.git'))).isFile()
  }

  /**
   * Repositories that the agent cloned into its worktree, and what it did in submodules, are in no patch: they
   * go to the trash, not away (R3).
   */
  async function keepLeftOut(task: Task, workspace: Workspace, cloned: string[]): Promise<void> {
    const root = deps.workingDirs.worktreeRoot(workspace)
    const trash = join(layout.trash, `worktree-${task.id}`)
    const submodules = await git.submodulesWithWork(root)
    const paths = [...cloned, ...submodules.map(({ path }) => path)]
    if (paths.length === 0) return
    for (const path of paths) await makeDirDurable(dirname(join(trash, path)))
    // Git's folder first: while the other one is in its place, a crash in between is seen by the next save.
    for (const { path, gitDir } of submodules)
      if (gitDir) await moveDurable(gitDir, gitDirBeside(join(trash, path)))
    for (const path of paths)
      await moveDurable(join(root, path), join(trash, path), { leaveCopied: true })
    for (const { path } of submodules) {
      // An empty folder is a submodule that is not checked out; none would be one that was removed.
      await makeDirDurable(join(root, path))
      const dir = join(trash, path)
      const gitDir = gitDirBeside(dir)
      if (await exists(gitDir)) await git.joinSubmodule({ dir, gitDir })
    }
    const text = `"${task.title}" worked in repositories of their own, which no patch holds: ${paths.join(', ')}`
    deps.onProblem(text, new Error(`They are in the trash, in ${trash}`))
  }

  return { diff, apply, save }
}

function whatToDoWithoutGit({ title, projectDir }: Task, { path }: Workspace): string {
  return `Git does not know ${path} any more, so what "${title}" changed there can't be kept as a patch. Put the project back to ${projectDir} (or run \`git worktree repair ${path}\` where it is now) and remove it again then; removed again without that, its files go to the trash as they are.`
}

const gitDirBeside = (submodule: string): string => `${submodule}.git`

/** Who changes or removes a folder waits for whoever else does (`Serially`). */
export const folderKey = (path: string): string => `folder ${path}`

/** Who writes into a session directory that is not its own waits while it is moved elsewhere, and the other way round. */
export const sessionKey = (taskId: TaskId): string => `session ${taskId}`

/** From then on the folder may be gone, and what was saved is what it was. */
function isSaved({ removal }: Workspace): boolean {
  return removal !== null && removalSteps.indexOf(removal) >= removalSteps.indexOf('patch-saved')
}
