/**
 * Finds the changes since a task's last run stopped (S2): in its directory, on its branch, on the
 * branch that it started from, and who made them. Changes no file, index or ref.
 */

import type { SessionState } from '../../../shared/projections/session/session-state.ts'
import { type DriftReport, driftPathsMax } from '../../../shared/records/drift.ts'
import type { Workspace } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { type Git, GitError } from '../../git/index.ts'
import { exists } from '../../journal/index.ts'
import { modelChange, type Trail, trailOf } from '../../runs/session-history.ts'
import { compareContents, compareTrees, type DirectoryDrift } from './directory.ts'
import { headMove, originConflicts, originOf } from './origin.ts'
import { hasDirectory, isDirectory } from './presence.ts'
import { projectBranchConflicts } from './project-branch.ts'
import { findSource, type KnownState, type SourceDependencies } from './source.ts'
import { ownerOf } from './worktree-owner.ts'

/**
 * `past` is the state of the task's own session. Failed comparisons are listed in
 * `notCompared` rather than thrown; throws only GitMissingError. A task that never ran has no drift.
 */
export type FindDrift = (task: Task, past: SessionState) => Promise<DriftReport>

export function createDrift(deps: SourceDependencies): FindDrift {
  return async (task, past) => {
    const trail = trailOf(past)
    const report: DriftReport = {
      taskId: task.id,
      spawnCommit: task.spawnCommit,
      conflicts: [],
      headMoved: null,
      ownHeadMoved: null,
      branchChanged: null,
      missing: [],
      dirty: [],
      modelChanged: modelChange(task, past),
      unknownCalls: [...past.unknownCalls.values()],
      notCompared: null,
    }
    if (!task.workspace || task.runs.length === 0) return report
    try {
      await compare(deps, report, { task, past, workspace: task.workspace, trail })
    } catch (error) {
      // A repository that Git can't read must not hide the results of the others.
      if (!(error instanceof GitError)) throw error
      report.notCompared = `Git could not compare its files: ${error.message}.`
    }
    return bounded(report)
  }
}

interface Subject {
  task: Task
  workspace: Workspace
  trail: Trail
}

/** Fills the report in place, so that results from before a Git failure are kept. */
async function compare(
  deps: SourceDependencies,
  report: DriftReport,
  subject: Subject & KnownState,
): Promise<void> {
  const { task, workspace, trail } = subject
  const hasProject = await isDirectory(task.projectDir)
  const isThere = await hasDirectory(deps, task)
  if (!hasProject) report.missing.push('project')
  if (!isThere) report.missing.push('working-directory')
  if (hasProject && !isThere) await addSource(deps, report, subject)
  if (workspace.baseCommit === null) {
    if (isThere) addTo(report, await compareContents(deps, task, workspace.path, trail))
    return
  }
  // A worktree is of no use to Git without the project that it belongs to.
  if (!hasProject) return
  if (!(await deps.git.isSameRepository(task.projectDir, task.projectDir))) {
    report.notCompared = `${task.projectDir} is no longer a Git repository.`
    return
  }
  await compareInGit(deps, report, {
    ...subject,
    workspace: { ...workspace, baseCommit: workspace.baseCommit },
  })
}

/** Notes the state that a resume recreates the missing worktree from, if one is kept. */
async function addSource(
  deps: SourceDependencies,
  report: DriftReport,
  { task, past }: KnownState,
): Promise<void> {
  const owner = ownerOf(deps.state, task)
  if (!owner) return
  const root = deps.workingDirs.worktreeRoot(owner.workspace)
  if ((await exists(root)) && !(await deps.git.isPartialWorktree(root))) return
  const source = await findSource(deps, owner, { task, past })
  if ('refused' in source) return
  const { branch, head: commit, at } = source
  report.recreatedFrom = { branch, commit, at: at === null ? null : new Date(at).toISOString() }
}

async function compareInGit(
  deps: SourceDependencies,
  report: DriftReport,
  { task, workspace, trail }: Subject & { workspace: { baseCommit: string } },
): Promise<void> {
  const { git } = deps
  const { projectDir } = task
  const { baseCommit } = workspace
  const start = await git.committedBase({ dir: projectDir, commit: baseCommit })
  if (start === null) report.missing.push('spawn-commit')
  const branch = trail.snapshot ? trail.snapshot.branch : workspace.branch
  if (branch && (await git.resolveCommit(projectDir, `refs/heads/${branch}`)) === null)
    report.missing.push('branch')

  const own = report.missing.includes('working-directory')
    ? null
    : await compareDirectory(deps, report, { task, workspace, trail }, branch)
  // On another branch, HEAD differs in any case.
  const moved =
    own && !report.branchChanged ? await ownHeadMove(git, { task, workspace, trail }, own) : null
  if (workspace.isolation === 'in-place') {
    report.headMoved = moved
    return
  }
  report.ownHeadMoved = moved
  const origin = await originOf(deps, task, workspace)
  if (!origin) return
  report.headMoved = await headMove(git, origin, start ?? baseCommit)
  if (start === null) return
  const ownTree = trail.snapshot?.tree ?? own?.tree ?? null
  const known = ownTree && (await git.hasTree({ dir: origin.dir, tree: ownTree })) ? ownTree : null
  const widened = await withAllTouched(git, origin.dir, trail, baseCommit)
  const there = { origin, trail: widened, ownTree: known }
  for (const find of [originConflicts, projectBranchConflicts]) {
    const conflicts = await find(deps, task, workspace, there)
    const listed = new Set(report.conflicts.map(({ path }) => path))
    report.conflicts.push(...conflicts.filter(({ path }) => !listed.has(path)))
  }
}

async function compareDirectory(
  deps: SourceDependencies,
  report: DriftReport,
  { task, workspace, trail }: Subject & { workspace: { baseCommit: string } },
  branch: string | null,
): Promise<DirectoryDrift | null> {
  const { git } = deps
  const dir = workspace.path
  if (!(await git.isSameRepository(dir, task.projectDir))) {
    report.notCompared = `Git no longer lists ${dir} as a worktree of the project; \`git worktree repair\` in ${task.projectDir} may help.`
    return null
  }
  const present = await git.currentBranch(dir)
  if (present !== branch) report.branchChanged = { from: branch, to: present }
  const widened = await withAllTouched(git, dir, trail, workspace.baseCommit)
  const own = await compareTrees(deps, task, workspace, widened)
  addTo(report, own)
  return own
}

function addTo(report: DriftReport, { conflicts, dirty, notCompared }: DirectoryDrift): void {
  Object.assign(report, { conflicts, dirty, notCompared })
}

/** Completes `touched` from the trees, if the snapshots listed only some of the paths. */
async function withAllTouched(
  git: Git,
  dir: string,
  trail: Trail,
  baseCommit: string,
): Promise<Trail> {
  const { snapshot, touchedMore } = trail
  if (!touchedMore || !snapshot) return trail
  for (const tree of [baseCommit, snapshot.tree])
    if (!(await git.hasTree({ dir, tree }))) return trail
  const all = await git.treeDifferences({ dir, from: baseCommit, to: snapshot.tree })
  const paths = all.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath]))
  return { ...trail, touched: new Set([...trail.touched, ...paths]) }
}

/** Returns the move of HEAD since the last snapshot: before it, the agent's own commits moved HEAD too. */
async function ownHeadMove(
  git: Git,
  { task, workspace, trail }: Subject,
  { head }: DirectoryDrift,
): Promise<DriftReport['headMoved']> {
  const from = trail.snapshot ? trail.snapshot.head : (task.spawnCommit ?? workspace.baseCommit)
  if (!from || !head || from === head) return null
  const { path: dir } = workspace
  const branch = await git.currentBranch(dir)
  return { branch, from, to: head, commits: await git.countCommits({ dir, from, to: head }) }
}

function bounded(report: DriftReport): DriftReport {
  const { conflicts, dirty } = report
  const more = (all: unknown[]) => Math.max(0, all.length - driftPathsMax)
  return {
    ...report,
    conflicts: conflicts.slice(0, driftPathsMax),
    dirty: dirty.slice(0, driftPathsMax),
    ...(more(conflicts) > 0 && { conflictsMore: more(conflicts) }),
    ...(more(dirty) > 0 && { dirtyMore: more(dirty) }),
  }
}
