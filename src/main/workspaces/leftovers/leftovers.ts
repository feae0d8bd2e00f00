/**
 * Files that remain in a worktree at its removal: ignored ones, changes that Git is configured to
 * ignore, those created after the patch was saved. One rename moves the worktree to the trash (R3);
 * there, in the background, all files that the saved commit contains and generated folders are
 * deleted, and the rest stays until it expires. See ../../retention/FORMAT.md, "Worktrees in the
 * trash".
 */
import { randomUUID } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createKeyedMutex } from '../../../shared/async/keyed-mutex.ts'
import type { KeptLeftovers } from '../../../shared/contract/workspace.ts'
import { descendantsOf } from '../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Git } from '../../git/index.ts'
import {
  createMountCheck,
  exists,
  type IsMount,
  makeDirDurable,
  moveDurable,
  rawJoin,
  removeDurable,
  renameDurable,
} from '../../journal/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import {
  beingDeletedName,
  leftoversName,
  namesInTrash,
  sortedName,
  taskOfLeftovers,
  unsortedSuffix,
} from '../../sessions/trash-names.ts'
import type { WorkspaceLocks } from '../locks.ts'
import type { WorkingDirs } from '../working-dirs.ts'
import {
  type ChangeCheck,
  createChangeCheck,
  deleteEmptyFolders,
  deleteFiles,
  moveOut,
} from './delete-files.ts'
import { findRecreatable, isRecreatable } from './recreatable.ts'
import { restoreInto } from './restore-leftovers.ts'
import { measure } from './sizes.ts'

export interface LeftoverStore {
  /**
   * Moves any entry in the worktree's place to the trash, and resolves with its name there. With
   * `sort` its files were saved, so only those that the saved commit lacks must stay; otherwise all
   * stay.
   */
  moveAway(taskId: TaskId, workspace: Workspace, options: { sort: boolean }): Promise<string>
  /** Sorts in the background the worktrees that earlier processes did not sort. */
  sortAll(): Promise<void>
  /** Returns the files of these worktrees in the trash, after they were sorted. */
  of(taskIds: TaskId[]): Promise<KeptLeftovers[]>
  /**
   * Moves the files of a root's worktree from the trash back into it. Files whose place is taken stay in the trash.
   * Resolves with the number of moved files and folders.
   */
  restore(task: Task & { workspace: Workspace }): Promise<number>
  /** Reports files of its sub-agents that are still in the trash. */
  reportOfSubAgents(task: Task): Promise<void>
  /**
   * Returns the files that an apply of this task's changes omits: ignored ones, and hidden changes.
   */
  notCarried(task: Task): Promise<string[]>
  /** Resolves when no sorting is in progress. */
  settled(): Promise<void>
  /** Stops sorting after the current worktree; the next start continues. */
  close(): void
}

export function createLeftovers(deps: {
  ledger: Ledger
  git: Git
  layout: DataLayout
  workingDirs: WorkingDirs
  locks: Pick<WorkspaceLocks, 'leftovers'>
  onProblem: (text: string, error: unknown) => void
}): LeftoverStore {
  const { ledger, git, layout, locks } = deps
  const { state } = ledger
  const ending = new AbortController()
  const queues = createKeyedMutex()
  let nextQueue = 0

  async function moveAway(taskId: TaskId, workspace: Workspace, { sort }: { sort: boolean }) {
    const sorted = leftoversName(taskId, randomUUID())
    const name = sort ? `${sorted}${unsortedSuffix}` : sorted
    await makeDirDurable(layout.trash)
    await moveDurable(deps.workingDirs.worktreeRoot(workspace), join(layout.trash, name))
    if (sort) sortLater(name)
    else await record(name, taskId, [])
    return sorted
  }

  /** Queues a sort in the background. Only `settled` and `of` wait for it. */
  function sortLater(name: string): void {
    // Reading files takes most of the time: a few worktrees at once, so that removals and agents
    // can proceed.
    const queue = nextQueue++ % sortedAtOnce
    void queues(`${queue}`, () => locks.leftovers(sortedName(name), () => sort(name))).catch(
      (error) => deps.onProblem(`${sortedName(name)} in the trash could not be sorted`, error),
    )
  }

  async function sort(name: string): Promise<void> {
    const taskId = taskOfLeftovers(name)
    const task = taskId && state.tasks.get(taskId)
    const dir = join(layout.trash, name)
    if (!task || ending.signal.aborted || !(await isFolder(dir))) return
    const commit = await git.keptCommit(task.projectDir, task.id).catch(() => null)
    const changedSince = await createChangeCheck(layout.trash)
    const files =
      commit &&
      (await git.filesInCommit({
        repoDir: task.projectDir,
        dir,
        commit,
        signal: ending.signal,
      }))
    const isMount = await createMountCheck(dir)
    const recreatable = files ? await deleteWhatIsSaved(dir, files, { isMount, changedSince }) : []
    await record(name, task.id, recreatable, files && commit)
    for (const { path } of recreatable) await deleteByRename(dir, path)
    await deleteEmptyFolders(dir, isMount)
    if (!(await exists(dir))) return
    if ((await readdir(dir)).length === 0) await removeDurable(dir)
    else await renameDurable(dir, join(layout.trash, sortedName(name)))
  }

  /** Resolves with the generated folders, which still exist. */
  async function deleteWhatIsSaved(
    dir: string,
    files: { all: Buffer[]; saved: Buffer[] },
    { isMount, changedSince }: { isMount: IsMount; changedSince: ChangeCheck },
  ) {
    await deleteFiles(dir, files.saved, { isMount, changedSince })
    const committed = foldersOf(files.all)
    return findRecreatable(
      dir,
      (path) => committed.has(path),
      (path) => committed.get(path) ?? [],
      isMount,
    )
  }

  /** A worktree without remaining files is not reported. */
  async function record(
    name: string,
    taskId: TaskId,
    recreatable: { path: string; madeBy: string }[],
    commit: string | null = null,
  ): Promise<void> {
    const skipped = new Set(recreatable.map(({ path }) => path))
    const { files, bytes } = await measure(join(layout.trash, name), skipped)
    if (files === 0 && recreatable.length === 0) return
    await ledger.record({
      type: 'workspace.leftovers-kept',
      workspaceId: taskId,
      name: sortedName(name),
      files,
      bytes,
      recreatable: recreatable.slice(0, recreatableNamedMax),
      ...(commit !== null && { commit }),
    })
  }

  /** Renamed first, because half of such a folder would not be recognized again after a crash. */
  async function deleteByRename(dir: string, path: string): Promise<void> {
    const doomed = join(layout.trash, beingDeletedName(randomUUID()))
    await moveOut(dir, path, doomed)
    await removeDurable(doomed)
  }

  async function sortAll(): Promise<void> {
    for (const name of await namesInTrash(layout.trash))
      if (taskOfLeftovers(name) && name.endsWith(unsortedSuffix)) sortLater(name)
  }

  async function namesOf(taskId: TaskId): Promise<string[]> {
    const names = await namesInTrash(layout.trash)
    return names.filter((name) => taskOfLeftovers(name) === taskId)
  }

  async function settledNamesOf(taskId: TaskId): Promise<string[]> {
    for (const name of await namesOf(taskId)) {
      if (!name.endsWith(unsortedSuffix)) continue
      await locks.leftovers(sortedName(name), () => sort(name))
    }
    return namesOf(taskId)
  }

  async function of(taskIds: TaskId[]): Promise<KeptLeftovers[]> {
    const kept: KeptLeftovers[] = []
    for (const taskId of taskIds) {
      const names = new Set(await settledNamesOf(taskId))
      const { title = '', leftovers = [] } = state.tasks.get(taskId) ?? {}
      for (const one of leftovers)
        if (names.has(one.name) || one.files === 0) kept.push({ ...one, taskId, title })
    }
    return kept
  }

  async function checkedOutFiles(
    repoDir: string,
    dir: string,
    commit: string,
  ): Promise<CheckedOut> {
    const changedSince = await createChangeCheck(dirname(dir))
    const files = await git.filesInCommit({ repoDir, dir, commit })
    return { names: new Set(files?.saved.map((name) => name.toString('latin1'))), changedSince }
  }

  /** Returns the names of a task's leftovers in the trash, the newest first. */
  async function newestFirst(id: TaskId): Promise<string[]> {
    const { leftovers = [] } = state.tasks.get(id) ?? {}
    const ageOf = (name: string) => leftovers.findIndex((one) => one.name === sortedName(name))
    return (await settledNamesOf(id)).sort((a, b) => ageOf(b) - ageOf(a))
  }

  async function restore({ id, title, workspace, projectDir }: Task & { workspace: Workspace }) {
    if (workspace.isolation !== 'worktree') return 0
    const root = deps.workingDirs.worktreeRoot(workspace)
    const commit = await git.keptCommit(projectDir, id).catch(() => null)
    // Read only if a place is taken, because it reads every file.
    let checkedOut: Promise<CheckedOut> | null = null
    const placed = new Set<string>()
    let moved = 0
    const stayed: string[] = []
    const submodules: string[] = []
    for (const name of await newestFirst(id)) {
      const dir = join(layout.trash, name)
      if (!(await isFolder(dir))) continue
      const kept = state.tasks.get(id)?.leftovers?.find((one) => one.name === sortedName(name))
      // Those of an earlier removal are older than the commit.
      const isOfCommit = commit !== null && kept?.commit === commit
      const isReplaceable = async (path: Buffer) => {
        const key = path.toString('latin1')
        if (!isOfCommit || placed.has(key)) return false
        checkedOut ??= checkedOutFiles(projectDir, root, commit)
        const { names, changedSince } = await checkedOut
        return names.has(key) && !(await changedSince(rawJoin(root, path)))
      }
      const outcome = await locks.leftovers(sortedName(name), () =>
        restoreInto(root, dir, isReplaceable),
      )
      for (const path of outcome.placed) placed.add(path.toString('latin1'))
      moved += outcome.placed.length
      stayed.push(...outcome.stayed.map((path) => `${name}/${path}`))
      submodules.push(...outcome.submodules.map((path) => `${name}/${path}`))
    }
    if (submodules.length > 0) {
      const text = `Submodules are not checked out again in the worktree of "${title}". The files that were in them are still in the trash`
      deps.onProblem(text, new Error(submodules.join(', ')))
    }
    if (stayed.length > 0) {
      const text = `${stayed.length === 1 ? 'A file' : `${stayed.length} files`} of "${title}" stayed in the trash, because ${stayed.length === 1 ? 'it' : 'they'} could not be moved, or something else is in the worktree`
      deps.onProblem(text, new Error(stayed.slice(0, 10).join(', ')))
    }
    return moved
  }

  async function reportOfSubAgents({ id, title }: Task): Promise<void> {
    const below = await of(descendantsOf(state, id).map((task) => task.id))
    const ofOthers = below.filter(({ files }) => files > 0)
    if (ofOthers.length > 0) {
      const names = ofOthers.map((one) => `"${one.title}" (${one.name})`).join(', ')
      deps.onProblem(
        `Files of sub-agents of "${title}" that no patch holds are still in the trash`,
        new Error(names),
      )
    }
  }

  async function notCarried({ id, workspace }: Task): Promise<string[]> {
    if (workspace?.isolation !== 'worktree') return []
    const root = deps.workingDirs.worktreeRoot(workspace)
    if (workspace.removal === null) {
      const paths = await git.notInSnapshot(root)
      const counted = await Promise.all(
        paths.map(async (path) => !(path.endsWith('/') && (await isRecreatable(root, path)))),
      )
      return paths.filter((_, n) => counted[n])
    }
    const names = await settledNamesOf(id)
    const held = await Promise.all(
      names.map(async (name) =>
        (await isFolder(join(layout.trash, name)))
          ? (await readdir(join(layout.trash, name))).map((one) => `${one} (in the trash)`)
          : [],
      ),
    )
    return held.flat()
  }

  return {
    moveAway,
    sortAll,
    of,
    restore,
    reportOfSubAgents,
    notCarried,
    settled: queues.settled,
    close: () => ending.abort(),
  }
}

/** `names`: the files of a worktree that were as a commit has them, in Latin-1. */
interface CheckedOut {
  names: ReadonlySet<string>
  changedSince: ChangeCheck
}

const sortedAtOnce = 3
/** A receipt lists them; a monorepo may have thousands, and the ledger is read at each start. */
const recreatableNamedMax = 20

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => null))?.isDirectory() === true

/**
 * Returns folders that hold files of the commit, each with the names of the files directly in it.
 */
function foldersOf(files: Buffer[]): Map<string, string[]> {
  const folders = new Map<string, string[]>()
  for (const bytes of files) {
    const path = bytes.toString('utf8')
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    const names = folders.get(folder) ?? []
    folders.set(folder, names)
    names.push(path.slice(path.lastIndexOf('/') + 1))
    for (let at = folder.lastIndexOf('/'); at > 0; at = folder.lastIndexOf('/', at - 1))
      if (!folders.has(folder.slice(0, at))) folders.set(folder.slice(0, at), [])
  }
  return folders
}
