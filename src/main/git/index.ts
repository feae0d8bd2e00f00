/** All use of the `git` binary. Nothing here depends on tasks, sessions or the ledger. */

import { createKeyedMutex } from '../../shared/async/keyed-mutex.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { type DiffContent, diff, diffBlobs, diffCommits } from './changes/diff.ts'
import { type SavePatchInput, saveCommittedPatch, savePatch } from './changes/patches.ts'
import { type TreeDifference, treeDifferences } from './changes/tree-changes.ts'
import { createRunGit, type RunGitOptions } from './command/run.ts'
import { type CompareInput, compareTarget } from './merge/compare-target.ts'
import {
  editedConflict,
  type MergeAnswer,
  type MergeIntoInput,
  type MergePatchInput,
  mergeInto,
  mergePatchInto,
  type WriteUpdate,
} from './merge/merge.ts'
import { pushAddress, runApproved } from './publish/publish.ts'
import { readCommitReports } from './repository/commit-reports.ts'
import * as commits from './repository/commits.ts'
import * as gitDirs from './repository/common-dir.ts'
import { topLevelOf } from './repository/head-state.ts'
import * as history from './repository/history.ts'
import { identifyRepository } from './repository/identity.ts'
import { initRepository } from './repository/init.ts'
import { inspectProject } from './repository/inspect.ts'
import { listFiles } from './repository/list-files.ts'
import { privateFile, removeStaleIndexLock } from './repository/private-files.ts'
import { remoteName } from './repository/remote-name.ts'
import { remoteUrls } from './repository/remotes.ts'
import {
  closedSubmodulesWithWork,
  joinSubmodule,
  releaseSubmodule,
  submodulesWithWork,
} from './repository/submodules.ts'
import { readTexts } from './repository/texts.ts'
import * as tips from './repository/tips.ts'
import type { RepositoryConfig } from './repository-config/configuration.ts'
import { lacksObjects } from './repository-config/missing.ts'
import { notInSnapshot } from './snapshots/not-in-snapshot.ts'
import { removeOldScratchDirs } from './snapshots/scratch-dir.ts'
import { type CommitOptions, commitSnapshot, snapshot } from './snapshots/snapshot.ts'
import { reading } from './store/store.ts'
import { createGitStores } from './store/stores.ts'
import * as contents from './update/contents.ts'
import { inspectWorktreeOf } from './worktree-files/inspect.ts'
import { reconnectWorktree } from './worktree-files/reconnect.ts'
import { discardHiddenFolder, hasHiddenFolder } from './worktrees/hidden-folder.ts'
import * as keptRefs from './worktrees/kept-refs.ts'
import { forgetPartialWorktree, isPartialWorktree } from './worktrees/partial-worktree.ts'
import * as rebaseAndSwitch from './worktrees/rebase-and-switch.ts'
import {
  foldersWithBranch,
  isMovedWorktree,
  isWorktreeOf,
  keptTaskIds,
  registeredWorktrees,
  registerMovedWorktree,
} from './worktrees/registered.ts'
import {
  type RestorableInput,
  type RestoreWorktreeInput,
  refuseUnrestorable,
  removePartialWorktree,
  restoreWorktree,
} from './worktrees/restore-worktree.ts'
import { filesInCommit } from './worktrees/saved-files.ts'
import * as worktrees from './worktrees/worktrees.ts'

export { diffBytesMax, type ShownDiff } from './changes/diff.ts'
export { shellGitEnvironment } from './command/environment.ts'
export {
  GitEndedError,
  GitError,
  GitMissingError,
  nullForGitError,
  WorktreeRefusedError,
} from './command/errors.ts'
export type { AppliedState } from './merge/applied-base.ts'
export type { CommitSummary } from './repository/history.ts'
export { isRepository } from './repository/nearest-repository.ts'
export type { TreeFile, TreeName } from './store/stores.ts'
export type { TurnSnapshot, TurnState } from './store/turn-snapshot.ts'
export {
  blobHash,
  type Content,
  caseCollisions,
  contentAt,
  existsWithExactCase,
  type UpdateManifest,
} from './update/contents.ts'
export { mapConcurrently } from './update/map-concurrently.ts'
export { isSameContent, type UpdatePlan } from './update/plan.ts'
export { setUpFile } from './worktrees/partial-worktree.ts'
export type { DiffContent, MergeAnswer, RepositoryConfig, TreeDifference, WriteUpdate }
export { editedConflict }

interface Options {
  signal?: AbortSignal | undefined
}

export type Git = ReturnType<typeof createGit>

/**
 * Every function may throw GitError, GitMissingError, or the signal's reason once it is aborted.
 */
export function createGit(options: RunGitOptions = {}) {
  const git = createRunGit(options)
  const serially = createKeyedMutex()
  // Reads objects in the stores as if they were in the repository.
  const at = (dir: string) => reading(git, dir)
  // Serialized, because each call must see the result of the one before.
  const inTarget = async <Result>(targetDir: string, run: () => Promise<Result>) =>
    serially(await topLevelOf(git, targetDir), run)
  // Serialized, because Git fails on a worktree that another process is creating or removing.
  const inRepository = async <Result>(repoDir: string, run: () => Promise<Result>) =>
    serially((await gitDirs.commonDirOf(git, repoDir)) ?? repoDir, run)
  return {
    /** Shiplog's object stores: the files of every turn. */
    stores: createGitStores(git),
    initRepository: (dir: string, first: { branch: string; message: string }) =>
      initRepository(git, dir, first),
    inspectProject: (dir: string, options?: Options) => inspectProject(git, dir, options),
    identifyRepository: (input: Parameters<typeof identifyRepository>[1]) =>
      identifyRepository(git, input),
    /**
     * Returns the commands in the repository's own configuration and the addresses that it fetches
     * from; null if there are none.
     */
    repositoryConfig: async (dir: string) => (await git.readConfig(dir)).asks,
    /** Returns `core.autocrlf` where Git converts line endings; null where it does not. */
    autocrlf: async (dir: string) => (await git.readConfig(dir)).autocrlf,
    /** Reports whether a partial clone lacks objects of a commit's files. Fetches nothing. */
    lacksObjects: (input: Parameters<typeof lacksObjects>[1]) => lacksObjects(git, input),
    gitDirsOf: (dir: string) => gitDirs.gitDirsOf(git, dir),
    isInRepository: (dir: string) => gitDirs.isInRepository(git, dir),
    /** Returns the root of the working tree that contains `dir`. */
    topLevel: (dir: string, options?: Options) => topLevelOf(git, dir, options),
    /** Returns the commit of HEAD; null before the first one. */
    head: (dir: string, options?: Options) => commits.head(git, dir, options),
    /** Returns null if HEAD is detached. */
    currentBranch: (dir: string, options?: Options) => commits.currentBranch(git, dir, options),
    isClean: (dir: string, options?: Options) => commits.isClean(git, dir, options),
    /** Returns the full id of a commit, branch or `HEAD~2`; null if there is no such commit. */
    resolveCommit: (dir: string, name: string, options?: Options) =>
      commits.resolveCommit(git, dir, name, options),

    /** Returns the tree of a commit, also of one that only a store has; null if there is no such commit. */
    treeOfCommit: (dir: string, commit: string) => commits.treeOfCommit(at(dir), dir, commit),

    /** Like `resolveCommit`, but also finds commits that only a store has. */
    findCommit: (dir: string, name: string) => commits.resolveCommit(at(dir), dir, name),

    /**
     * Returns the addresses of every remote in the repository's configuration; none outside Git.
     */
    remoteUrls: (dir: string) => remoteUrls(git, dir),

    /** Returns where `origin` is pushed to, and settings of the repository that would change that. */
    pushAddress: (dir: string) => pushAddress(git, dir),
    remoteName,
    /** Runs one command that the user approved. Throws GitError. */
    runApproved: (args: readonly string[], options: Parameters<typeof runApproved>[2]) =>
      runApproved(git, args, options),
    snapshot: (dir: string, options?: Options) => snapshot(git, dir, options),
    commitSnapshot: (dir: string, options?: CommitOptions) => commitSnapshot(git, dir, options),
    /**
     * Returns the difference between two trees or commits with renames; paths are relative to
     * `dir`, with `/`.
     */
    treeDifferences: (input: Parameters<typeof treeDifferences>[1]) =>
      treeDifferences(at(input.dir), input),
    readTexts: (input: Parameters<typeof readTexts>[1]) => readTexts(at(input.dir), input),

    /** Returns what other tools wrote about the newest commits, newest first. */
    commitReports: (input: Parameters<typeof readCommitReports>[1]) =>
      readCommitReports(git, input),

    countCommits: (input: Parameters<typeof history.countCommits>[1]) =>
      history.countCommits(at(input.dir), input),
    commitsBetween: (input: Parameters<typeof history.commitsBetween>[1]) =>
      history.commitsBetween(at(input.dir), input),
    firstParentCommits: (input: Parameters<typeof history.firstParentCommits>[1]) =>
      history.firstParentCommits(at(input.dir), input),
    refsContaining: (input: Parameters<typeof tips.refsContaining>[1]) =>
      tips.refsContaining(git, input),
    tipOfTask: (input: Parameters<typeof tips.tipOfTask>[1]) => tips.tipOfTask(git, input),
    committedBase: (input: Parameters<typeof history.committedBase>[1]) =>
      history.committedBase(at(input.dir), input),
    isSameRepository: (a: string, b: string) => history.isSameRepository(git, a, b),
    hasTree: (input: Parameters<typeof history.hasTree>[1]) =>
      history.hasTree(at(input.dir), input),

    /**
     * Only reads. Every call that works in a broken worktree repairs it first, or throws
     * WorktreeBrokenError.
     */
    inspectWorktree: (input: { repoDir: string; root: string }) => inspectWorktreeOf(git, input),
    /** Throws WorktreeBrokenError if it can't be repaired. */
    repairWorktree: (root: string) => git.ensureWorktree(root),
    /**
     * Reconnects a worktree after it or its repository was moved. Git's own command would also
     * write to other folders.
     */
    reconnectWorktree: (input: Parameters<typeof reconnectWorktree>[1]) =>
      inRepository(input.repoDir, () => reconnectWorktree(git, input)),
    /** Reports whether the worktree's creation was interrupted, so that it holds no work. */
    isPartialWorktree,
    /** See `worktrees/hidden-folder.ts`. */
    hasHiddenFolder,
    discardHiddenFolder,
    /**
     * Returns the path of a file that Git keeps for this worktree alone, and deletes with the
     * worktree.
     */
    privateFile: (dir: string, name: string) => privateFile(git, dir, name),
    removeStaleIndexLock: (input: Parameters<typeof removeStaleIndexLock>[1]) =>
      removeStaleIndexLock(git, input),
    forgetPartialWorktree,
    createWorktree: (input: worktrees.CreateWorktreeInput) =>
      inRepository(input.repoDir, () => worktrees.createWorktree(git, input)),
    deleteUnusedBranch: (input: Parameters<typeof worktrees.deleteUnusedBranch>[1]) =>
      inRepository(input.repoDir, () => worktrees.deleteUnusedBranch(git, input)),
    removeWorktree: (input: worktrees.RemoveWorktreeInput) =>
      inRepository(input.repoDir, () => worktrees.removeWorktree(git, input)),
    removePartialWorktree: (input: Parameters<typeof removePartialWorktree>[1]) =>
      inRepository(input.repoDir, () => removePartialWorktree(git, input)),
    refuseUnrestorable: (input: RestorableInput) => refuseUnrestorable(git, input),
    /** Resolves with the checked-out branch. */
    restoreWorktree: (input: RestoreWorktreeInput) =>
      inRepository(input.repoDir, () => restoreWorktree(git, input)),
    rebaseSnapshot: (input: Parameters<typeof rebaseAndSwitch.rebaseSnapshot>[1]) =>
      rebaseAndSwitch.rebaseSnapshot(at(input.repoDir), input),
    switchBranch: (input: Parameters<typeof rebaseAndSwitch.switchBranch>[1]) =>
      inTarget(input.dir, () => rebaseAndSwitch.switchBranch(git, input)),
    keepRef: (repoDir: string, kept: Parameters<typeof keptRefs.keepRef>[2]) =>
      keptRefs.keepRef(git, repoDir, kept),
    pinBase: (input: Parameters<typeof keptRefs.pinBase>[1]) => keptRefs.pinBase(git, input),
    unpinBase: (repoDir: string, taskId: TaskId) => keptRefs.unpinBase(git, repoDir, taskId),
    keptCommit: (repoDir: string, taskId: TaskId) => keptRefs.keptCommit(git, repoDir, taskId),
    deleteRef: (repoDir: string, taskId: TaskId) => keptRefs.deleteRef(git, repoDir, taskId),
    /**
     * Returns the folders of the repository's registered worktrees, links resolved; null if there
     * is no repository.
     */
    registeredWorktrees: (repoDir: string) => registeredWorktrees(git, repoDir),
    isWorktreeOf: (repoDir: string, folder: string) => isWorktreeOf(git, repoDir, folder),
    foldersWithBranch: (input: { repoDir: string; branch: string }) =>
      foldersWithBranch(git, input),
    /** Reports whether the repository has this worktree registered at another path. Only reads. */
    isMovedWorktree: (repoDir: string, worktree: string) => isMovedWorktree(git, repoDir, worktree),
    /** Resolves with whether the registration was changed. */
    registerMovedWorktree: (repoDir: string, worktree: string) =>
      inRepository(repoDir, () => registerMovedWorktree(git, repoDir, worktree)),
    /** Returns the tasks for which the repository has a Shiplog reference; none outside Git. */
    keptTaskIds: (repoDir: string) => keptTaskIds(git, repoDir),
    agentEnv: (dir: string) => worktrees.agentEnv(git, dir, options.env),

    /** Returns paths of the working tree that no snapshot of it holds. `topLevel` is its root. */
    notInSnapshot: (topLevel: string) => notInSnapshot(git, topLevel),
    /**
     * Returns the files of a commit, and those of them that exist unchanged in a folder. Null if
     * they can't be compared.
     */
    filesInCommit: (input: Parameters<typeof filesInCommit>[1]) =>
      filesInCommit(at(input.repoDir), input),
    submodulesWithWork: (topLevel: string) => submodulesWithWork(git, topLevel),
    closedSubmodulesWithWork: (topLevel: string) => closedSubmodulesWithWork(git, topLevel),
    joinSubmodule: (input: { dir: string; gitDir: string }) => joinSubmodule(git, input),
    releaseSubmodule: (input: { cwd: string; gitDir: string }) => releaseSubmodule(git, input),
    savePatch: (input: SavePatchInput) => savePatch(at(input.dir), input),
    saveCommittedPatch: (input: Parameters<typeof saveCommittedPatch>[1]) =>
      saveCommittedPatch(at(input.dir), input),
    mergeInto: (input: MergeIntoInput) =>
      inTarget(input.targetDir, () => mergeInto(at(input.targetDir), input)),
    compareTarget: (input: CompareInput) => compareTarget(at(input.targetDir), input),
    mergePatchInto: (input: MergePatchInput) =>
      inTarget(input.targetDir, () => mergePatchInto(at(input.targetDir), input)),

    /** Runs `work` while nothing is merged into the working tree that contains `dir`. */
    inWorkingTree: <Result>(dir: string, work: () => Promise<Result>) => inTarget(dir, work),
    /**
     * Returns the contents that an update replaces and writes; null if the repository no longer has
     * them.
     */
    updateManifest: (dir: string, commit: string) => contents.readManifest(at(dir), dir, commit),
    /** Passes the stored bytes of each content to `take`; see `readContents`. */
    readContents: <Wanted extends { content: contents.Content }>(
      dir: string,
      wanted: readonly Wanted[],
      take: Parameters<typeof contents.readContents<Wanted>>[3],
    ) => contents.readContents(at(dir), dir, wanted, take),
    commandForUpdate: (dir: string, commit: string) => contents.commandForUpdate(git, dir, commit),
    /** Removes temporary folders of killed processes. `nowMs` is milliseconds since the epoch. */
    removeOldScratchDirs: async (nowMs: number) => {
      const own =
        git.scratchParent === null ? 0 : await removeOldScratchDirs(nowMs, [git.scratchParent])
      // Earlier versions had theirs in the system's temporary folder.
      return own + (await removeOldScratchDirs(nowMs))
    },
    dropUpdate: (dir: string, updateId: string) => contents.dropUpdateRef(git, dir, updateId),
    /** `beforeMs` is milliseconds since the epoch. */
    dropOldUpdates: (dir: string, beforeMs: number) =>
      contents.dropOldUpdateRefs(git, dir, beforeMs),

    /**
     * Lists the files below a folder that Git does not ignore, without deleted ones; null outside a
     * repository.
     */
    listFiles: (dir: string, options: Options & { withDeleted?: boolean }) =>
      listFiles(git, dir, options),
    diff: (input: Parameters<typeof diff>[1]) => diff(at(input.dir), input),
    diffBlobs: (input: Parameters<typeof diffBlobs>[1]) => diffBlobs(at(input.repoDir), input),
    diffCommits: (input: Parameters<typeof diffCommits>[1]) =>
      diffCommits(at(input.repoDir), input),
  }
}
