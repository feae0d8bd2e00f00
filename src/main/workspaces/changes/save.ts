/** Saves the changes of a workspace before its worktree is removed (R1). */
import { lstat, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { refused } from '../../../shared/failure.ts'
import { ancestorsOf } from '../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { momentOf } from '../../../shared/text/format-time.ts'
import type { KeptDependencies } from '../../archive/last-kept.ts'
import {
  describeFiles,
  type PatchEntry,
  patchIndex,
  savePatch,
  seriesFile,
  worktreePatchFile,
} from '../../artifacts/index.ts'
import { type Git, GitError } from '../../git/index.ts'
import { exists, makeDirDurable, moveDurable, syncDirectory } from '../../journal/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import { leftoversName } from '../../sessions/trash-names.ts'
import type { Archived } from '../archived/worktrees.ts'
import { filesDirOf } from '../has-working-dir.ts'
import type { LeftoverStore } from '../leftovers/leftovers.ts'
import type { WorkingDirs } from '../working-dirs.ts'
import { findRecordedState, type RecordedState } from './recorded-state.ts'

type SavedPatch = Awaited<ReturnType<Git['savePatch']>>

/**
 * Saves into an ancestor's session directory. Refuses a worktree that Git does not have registered
 * or, with `discardUnknownWorktree`, moves it to the trash as a whole.
 */
export type SaveChanges = (
  taskId: TaskId,
  options?: { discardUnknownWorktree?: boolean | undefined },
) => Promise<void>

export function createSaveChanges(deps: {
  ledger: Ledger
  git: Git
  layout: DataLayout
  records: KeptDependencies['records']
  turnStore: KeptDependencies['turnStore']
  workingDirs: WorkingDirs
  leftovers: Pick<LeftoverStore, 'moveAway'>
  clock: () => number
  onProblem: (text: string, error: unknown) => void
}): SaveChanges {
  const { ledger, git, layout, clock } = deps
  const { state } = ledger

  async function save(
    taskId: TaskId,
    { discardUnknownWorktree = false }: { discardUnknownWorktree?: boolean | undefined } = {},
  ): Promise<void> {
    const task = state.tasks.get(taskId)
    const workspace = task?.workspace
    if (!task || !workspace || workspace.isolation === 'in-place' || !workspace.baseCommit) return
    const { baseCommit } = workspace
    const keeper = layout.sessionDir(task.parentId ?? taskId)
    const known = await patchIndex(keeper).get(taskId)
    const here = await filesDirOf(deps, workspace)
    const recorded = here === null ? await recordedState({ ...task, workspace }) : null
    // If a crash followed the deletion of the worktree, the saved files must not be replaced. Those of an earlier removal,
    // after which it was restored, are older than what was recorded since.
    if (here === null && known && (recorded?.state?.at ?? 0) <= known.updatedAtMs) {
      if (task.patch !== 'applied') await recordStatus(taskId, known.status)
      return
    }
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
      if (here === null) {
        const gone = (await exists(deps.workingDirs.worktreeRoot(workspace)))
          ? `${workspace.path} was empty, or incomplete because a kill had interrupted its restore`
          : `${workspace.path} was gone`
        const found = recorded?.state
          ? await savedFromRecord(task, dir, baseCommit, recorded.state).catch(unreadableRecord)
          : recorded
        if (recorded?.state && found && 'finalCommit' in found) {
          tellOfRecord(task, gone, recorded.state)
          return { ...common, ...found }
        }
        const error = found?.error ? `${gone}, and ${found.error}` : gone
        deps.onProblem(`The changes of "${task.title}" could not be saved`, new Error(error))
        return { ...nothing, paths: [], error }
      }
      const saved = await git
        .savePatch({
          dir: here,
          baseCommit,
          seriesPath: join(dir, seriesFile),
          worktreePath: join(dir, worktreePatchFile),
        })
        .catch(async (error) => {
          const refusal = await gitsRefusal(workspace)
          if (refusal !== null)
            return refused('not-git', `The changes of "${task.title}" can't be saved. ${refusal}`)
          if (!(await isWorktree(task, workspace))) return 'Git no longer knew its worktree'
          // On a full disk the same call succeeds later.
          if (!(error instanceof GitError) || error.code !== null) throw error
          if (discardUnknownWorktree) return `Git could not read its work (${error.message})`
          return refused('unknown-worktree', unreadableWorkAdvice(task, workspace, error))
        })
      if (typeof saved === 'string') {
        if (!discardUnknownWorktree)
          return refused('unknown-worktree', unknownWorktreeAdvice(task, workspace))
        const name = await deps.leftovers.moveAway(taskId, workspace, { sort: false })
        const error = `${saved}; its files were moved to the trash as ${name}`
        deps.onProblem(`The changes of "${task.title}" were not saved as a patch`, new Error(error))
        return { ...nothing, paths: [], error }
      }
      await syncDirectory(dir)
      await keepLeftOut(task, workspace, saved.leftOut)
      tellOfRefused(task, saved.refused)
      // Keeps both sides of a later three-way merge after worktree and branch are deleted.
      await git.keepRef(here, { taskId, commit: saved.finalCommit, base: baseCommit })
      return { ...common, ...(await describe(task, dir, saved)) }
    })
    await recordStatus(taskId, entry.status)
  }

  async function recordStatus(taskId: TaskId, status: PatchEntry['status']): Promise<void> {
    if (status !== state.tasks.get(taskId)?.patch)
      await ledger.record({ type: 'task.patch-changed', taskId, status })
  }

  /** `error`: why the record can't be read. */
  async function recordedState(
    task: Archived,
  ): Promise<{ state: RecordedState | null; error?: string }> {
    const { title, projectDir } = task
    if (!(await exists(projectDir))) return { state: null }
    const found = await git.inspectProject(projectDir)
    if (found.kind === 'dubious-ownership')
      return refused('not-git', `The changes of "${title}" can't be saved. ${found.advice}`)
    const { records, turnStore } = deps
    return findRecordedState({ state, git, records, turnStore }, task).then(
      (recorded) => ({ state: recorded }),
      (error) => {
        // On a full disk the same call succeeds later.
        if (!(error instanceof GitError) || error.code !== null) throw error
        return {
          state: null,
          error: `Git could not read its last recorded state (${error.message})`,
        }
      },
    )
  }

  async function savedFromRecord(
    task: Task,
    dir: string,
    baseCommit: string,
    { head, final, at }: RecordedState,
  ) {
    const { id: taskId, projectDir } = task
    const saved = await git.saveCommittedPatch({
      dir: projectDir,
      baseCommit,
      head,
      final,
      seriesPath: join(dir, seriesFile),
      worktreePath: join(dir, worktreePatchFile),
    })
    await syncDirectory(dir)
    await git.keepRef(projectDir, { taskId, commit: final, base: baseCommit })
    const recordedAtMs = at ?? clock()
    return { ...(await describe(task, dir, saved)), recordedAtMs }
  }

  function tellOfRecord({ title }: Task, gone: string, { at }: RecordedState): void {
    const text =
      at === null
        ? `The folder of "${title}" was gone, and no state of its files was recorded: the commits of its branch were saved`
        : `The folder of "${title}" was gone: its last recorded state, of ${momentOf(new Date(at).toISOString())}, was saved in its place`
    deps.onProblem(text, new Error(gone))
  }

  async function describe(task: Task, dir: string, saved: SavedPatch) {
    const status: PatchEntry['status'] =
      task.patch === 'applied' && saved.status === 'ready' ? 'applied' : saved.status
    return {
      status,
      headCommit: saved.headCommit,
      finalCommit: saved.finalCommit,
      paths: saved.paths,
      files: await describeFiles(dir, [
        ...(saved.seriesBytes === null ? [] : [seriesFile]),
        ...(saved.worktreeBytes === null ? [] : [worktreePatchFile]),
      ]),
      ...(saved.isIncomplete && { error: incomplete }),
    }
  }

  /** Returns Git's advice if it refuses the repository because it belongs to another user; else null. */
  async function gitsRefusal(workspace: Workspace): Promise<string | null> {
    const found = await git.inspectProject(deps.workingDirs.worktreeRoot(workspace))
    return found.kind === 'dubious-ownership' ? found.advice : null
  }

  /**
   * False if the project was moved or deleted, or the agent deleted the worktree's `.git` file,
   * pointed it to another repository, or made the worktree a separate one.
   */
  async function isWorktree({ projectDir }: Task, workspace: Workspace): Promise<boolean> {
    const root = deps.workingDirs.worktreeRoot(workspace)
    const found = await git.inspectProject(root)
    if (!('topLevel' in found) || found.topLevel !== (await realpath(root))) return false
    return (await git.inspectWorktree({ repoDir: projectDir, root })).kind === 'whole'
  }

  /**
   * No patch contains the repositories that the agent cloned into its worktree, or its work in
   * submodules, so they are moved to the trash instead of deleted (R3).
   */
  async function keepLeftOut(task: Task, workspace: Workspace, cloned: string[]): Promise<void> {
    const root = deps.workingDirs.worktreeRoot(workspace)
    const trash = join(layout.trash, leftoversName(task.id))
    const submodules = await git.submodulesWithWork(root)
    // A path with a slash at its end would name the folder's inside.
    const changed = [...cloned.map(withoutSlash), ...submodules.map(({ path }) => path)]
    for (const path of changed) await makeDirDurable(dirname(join(trash, path)))
    // Git's folder first: while the other one is in its place, the next save detects a crash in
    // between.
    for (const { path, gitDir } of submodules)
      if (gitDir) await moveDurable(gitDir, gitDirBeside(join(trash, path)))
    // Those of the others are still in their place.
    const closed = await git.closedSubmodulesWithWork(root)
    for (const { path, gitDir } of closed) {
      await makeDirDurable(dirname(join(trash, path)))
      await moveDurable(gitDir, gitDirBeside(join(trash, path)))
    }
    for (const path of changed)
      await moveDurable(join(root, path), join(trash, path), { leaveCopied: true })
    // An empty folder is a submodule that is not checked out; a missing one would be a removed
    // submodule.
    for (const { path } of submodules) await makeDirDurable(join(root, path))
    for (const { path } of [...submodules, ...closed]) {
      const dir = join(trash, path)
      const gitDir = gitDirBeside(dir)
      if (!(await exists(gitDir)) || (await isFolder(join(dir, '.git')))) continue
      await makeDirDurable(dir)
      await git.joinSubmodule({ dir, gitDir })
    }
    const paths = [...changed, ...closed.map(({ path }) => path)]
    if (paths.length === 0) return
    const text = `"${task.title}" worked in separate repositories, which no patch contains: ${paths.join(', ')}`
    deps.onProblem(text, new Error(`They are in the trash, in ${trash}`))
  }

  /** An agent wrote such names into Git's index by itself; its files are saved under their own. */
  function tellOfRefused({ title }: Task, names: string[]): void {
    if (names.length === 0) return
    const text = `The Git index of "${title}" has entries whose names Git does not check out. No patch contains them: ${names.join(', ')}`
    deps.onProblem(text, new Error('They were left out, and everything else was saved'))
  }

  return save
}

/** Lost objects must not keep a removal from its end. */
function unreadableRecord(error: unknown): { state: null; error: string } {
  // On a full disk the same call succeeds later.
  if (!(error instanceof GitError) || error.code !== null) throw error
  return { state: null, error: `Git could not read its last recorded state (${error.message})` }
}

function unknownWorktreeAdvice({ title, projectDir }: Task, { path }: Workspace): string {
  return `Git no longer knows ${path} as a worktree of the project, so the changes of "${title}" can't be saved as a patch. If the project was moved, move it back to ${projectDir}, or add it at its new path (\`shiplog projects add DIR\`), and then remove the workspace. If a program rewrote the worktree's .git file or Git's own files for it, such as commondir, no move helps: discard the unknown worktree (--discard-unknown-worktree), which moves its files to the trash unchanged.`
}

/** An agent may commit what Git can never read again, such as a tree with an empty name. */
function unreadableWorkAdvice({ title }: Task, { path }: Workspace, { message }: GitError): string {
  return `Git can't save the changes of "${title}" as a patch: ${message.replace(/[^.]$/, '$&.')} If the cause can't be removed in ${path}, discard the worktree (--discard-unknown-worktree), which moves its files to the trash unchanged.`
}

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => null))?.isDirectory() === true

const withoutSlash = (folder: string): string => folder.replace(/\/$/, '')

/** A name that no other repository in the worktree has. */
const gitDirBeside = (submodule: string): string => `${submodule}.shiplog-git`

const incomplete =
  'a file is too large for Git to write it into a patch, so a patch is missing; the commit that is kept has everything'
