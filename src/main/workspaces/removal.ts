/**
 * Removes a workspace in one recoverable transaction, recorded step by step in the ledger (R1).
 * Each step is idempotent; after a crash the next start continues after the last recorded step.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../shared/error-message.ts'
import { ancestorsOf } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { LedgerEventOf } from '../../shared/records/ledger.ts'
import { parseEntry } from '../../shared/records/parse-entry.ts'
import {
  type PendingRemoval,
  type RemovalStep,
  removalSteps,
  type Workspace,
} from '../../shared/records/projects/workspaces.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import {
  archiveTranscript,
  type PatchEntry,
  patchIndex,
  rollUpArtifacts,
} from '../artifacts/index.ts'
import type { Git } from '../git/index.ts'
import { exists, makeDirDurable, moveDurable, removeDurable } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { appendBetweenRuns } from '../sessions/append-between-runs.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { leftSessionName } from '../sessions/trash-names.ts'
import { keepSubmodules } from './changes/keep-submodules.ts'
import type { SaveChanges } from './changes/save.ts'
import type { LeftoverStore } from './leftovers/leftovers.ts'
import type { WorkspaceLocks } from './locks.ts'
import type { RunStopper } from './ports.ts'
import type { WorkingDirs } from './working-dirs.ts'

interface Removal {
  /**
   * Records the beginning of all these removals at once: durable with one sync when it resolves, so
   * that lists omit them and no work starts in them, however long the rest takes. Skips those that
   * have begun already.
   */
  begin(taskIds: TaskId[]): Promise<void>
  /**
   * Begins the transaction, or continues one, to its end. Also resolves if only the archive had to
   * be postponed (R5); rejects if its changes could not be saved. `discardUnknownWorktree` moves a
   * worktree that Git does not have registered to the trash as a whole.
   */
  remove(taskId: TaskId, options?: RemovalOptions): Promise<void>
  /** Records that a removal waits for the failed one of `below`, and the error. */
  hold(taskId: TaskId, below: TaskId, error: string): Promise<void>
  /** Returns the workspaces with an unfinished removal. */
  unfinished(): TaskId[]
}

interface Subject {
  task: Task
  workspace: Workspace
  sessionDir: string
  /**
   * The session directory that receives the kept files; null for a root, which is archived as a
   * whole.
   */
  keeperDir: string | null
}

export interface RemovalOptions {
  discardUnknownWorktree?: boolean | undefined
}

/** The steps that move kept files; the patch is saved before them. */
const archiveSteps: RemovalStep[] = ['artifacts-rolled-up', 'transcript-moved', 'archived']

export function createRemoval(deps: {
  ledger: Ledger
  git: Git
  layout: DataLayout
  sessions: Sessions
  saveChanges: SaveChanges
  workingDirs: WorkingDirs
  leftovers: Pick<LeftoverStore, 'moveAway'>
  stopper: RunStopper
  clock: () => number
  locks: Pick<WorkspaceLocks, 'session'>
  onProblem: (text: string, error: unknown) => void
}): Removal {
  const { ledger, layout, locks } = deps
  const { state } = ledger

  function subjectOf(taskId: TaskId): Subject | null {
    const task = state.tasks.get(taskId)
    if (!task?.workspace) return null
    return {
      task,
      workspace: task.workspace,
      sessionDir: layout.sessionDir(taskId),
      keeperDir: task.parentId && layout.sessionDir(task.parentId),
    }
  }

  /**
   * The work of each step, recorded in the ledger once it is done. `started` and `removed` are only
   * recorded.
   */
  const actions: Record<RemovalStep, (subject: Subject, options: RemovalOptions) => Promise<void>> =
    {
      started: async () => undefined,
      'runs-stopped': ({ task }) => deps.stopper.stopForRemoval(task.id),
      // Usage and times are recorded with each run's end: from here on no run can add to them.
      'totals-recorded': async () => undefined,
      'patch-saved': ({ task }, options) => deps.saveChanges(task.id, options),
      'artifacts-rolled-up': async ({ task, sessionDir, keeperDir }) => {
        refuseWhileHeld(task)
        await recordWorktreeLeft(task, sessionDir)
        if (!keeperDir || !(await exists(sessionDir))) return
        await locks.session(task.id, () => rollUpArtifacts(sessionDir, keeperDir))
      },
      'transcript-moved': async ({ task, sessionDir, keeperDir }) => {
        if (!keeperDir) return
        const about = {
          taskId: task.id,
          ancestorIds: ancestorsOf(state, task.id),
          title: task.title,
          nowMs: deps.clock(),
          counted: task.transcriptCounts,
        }
        await archiveTranscript(sessionDir, keeperDir, about)
        deps.sessions.ended(task.id)
      },
      archived: (subject) =>
        locks.session(subject.task.id, () =>
          subject.keeperDir ? retireSessionDir(subject) : archiveRoot(subject),
        ),
      'worktree-removed': (subject) => removeWorktree(subject),
      removed: async () => undefined,
    }

  /** Written before the transcript moves: its last entry records that the worktree was left. */
  async function recordWorktreeLeft(task: Task, sessionDir: string): Promise<void> {
    if (task.workspace?.isolation !== 'worktree') return
    const transcript = { id: task.id, dir: sessionDir, counted: task.transcriptCounts }
    const done = await appendBetweenRuns(deps.sessions, transcript, async (session) => {
      const [last] = (await session.page({ last: 1 })).records.map(parseEntry)
      if (last?.type === 'worktree-state' && last.worktreeSession === null) return []
      return session.append({
        type: 'worktree-state',
        worktreeSession: null,
        sessionId: task.id,
      })
    })
    const counts = done.kind === 'appended' ? done.counts : null
    if (counts && counts.bytes !== task.transcriptCounts?.bytes)
      await ledger.record({ type: 'transcript.appended', taskId: task.id, transcript: counts })
  }

  async function archiveRoot({ task, sessionDir }: Subject): Promise<void> {
    await makeDirDurable(layout.archive)
    await moveDurable(sessionDir, layout.archiveDir(task.id))
    deps.sessions.ended(task.id)
  }

  /**
   * The directory should be empty now. Any other file in it is unknown, and is moved to the trash
   * (R3).
   */
  async function retireSessionDir({ task, sessionDir }: Subject): Promise<void> {
    if (!(await exists(sessionDir))) return
    if ((await readdir(sessionDir)).length === 0) return removeDurable(sessionDir)
    await makeDirDurable(layout.trash)
    await moveDurable(sessionDir, join(layout.trash, leftSessionName(task.id)))
  }

  /** Nothing is deleted here: files that no patch contains are sorted in the trash (R3). */
  async function removeWorktree(subject: Subject): Promise<void> {
    const { task, workspace } = subject
    if (workspace.isolation === 'in-place') {
      // A repository without workspaces must not contain files of Shiplog's (H2). The project may
      // no longer use Git.
      if (state.projects.get(task.projectId)?.git)
        await deps.git.deleteRef(task.projectDir, task.id).catch(() => undefined)
      return
    }
    const saved = await savedPatch(subject)
    const sort = Boolean(saved?.finalCommit)
    // A sub-agent's branch is Shiplog's alone, and the turn store keeps its commits. A root's branch
    // is where the user looks for its work, so it is deleted only if it has no commits; so is that of
    // a sub-agent whose commits were not saved.
    const branchAt = (task.parentId === null ? null : saved?.headCommit) ?? workspace.baseCommit
    const branch = (branchAt !== null && workspace.branch) || undefined
    const {
      stashed,
      unfinished,
      branch: branchRemoval,
    } = await deps.git.removeWorktree({
      repoDir: task.projectDir,
      path: deps.workingDirs.worktreeRoot(workspace),
      branch,
      branchAt: branchAt ?? undefined,
      moveAway: async () => void (await deps.leftovers.moveAway(task.id, workspace, { sort })),
      moveSubmodules: (found) => keepSubmodules(deps, task, found),
      saved: {
        taskId: task.id,
        headCommit: saved?.headCommit ?? null,
        finalCommit: saved?.finalCommit ?? null,
        // After the last record it may have committed more.
        ...(saved?.recordedAtMs !== undefined && { isHeadUnsaved: true }),
      },
    })
    if (unfinished) {
      const text = saved?.finalCommit
        ? `A merge, rebase or similar operation of "${task.title}" was unfinished. What only Git's folder of its worktree named is kept with its patch`
        : `What Git's folder of the worktree of "${task.title}" still named is kept`
      const { command, commit, isIncomplete } = unfinished
      const lack = isIncomplete ? ', without files that were too many or too large' : ''
      deps.onProblem(text, new Error(`\`${command} show --stat ${commit}\` shows it${lack}`))
    }
    if (branchRemoval === 'moved-on' && task.parentId !== null) {
      const text = `The branch ${branch} of "${task.title}" was kept, because it has commits that were not saved`
      deps.onProblem(text, new Error(`\`git log ${branch}\` in ${task.projectDir} shows them`))
    }
    if (stashed) {
      const text = `A rebase or merge of "${task.title}" was unfinished. The changes that Git had set aside for it are in the stash of the project`
      deps.onProblem(text, new Error(`\`git stash list\` shows them; their commit is ${stashed}`))
    }
    await deps.git.unpinBase(task.projectDir, task.id)
  }

  async function savedPatch({ task, sessionDir, keeperDir }: Subject): Promise<PatchEntry | null> {
    const home = (await exists(sessionDir)) ? sessionDir : layout.archiveDir(task.id)
    return patchIndex(keeperDir ?? home).get(task.id)
  }

  async function advance(
    taskId: TaskId,
    step: RemovalStep,
    pending: PendingRemoval | null,
  ): Promise<void> {
    await ledger.record(advanced(taskId, step, pending))
  }

  async function begin(taskIds: TaskId[]): Promise<void> {
    // No await between the check and the append, because a concurrent call could record the same step
    // twice.
    const notStarted = taskIds.filter((id) => subjectOf(id)?.workspace.removal === null)
    if (notStarted.length === 0) return
    await ledger.record(...notStarted.map((id) => advanced(id, 'started', null)))
  }

  async function remove(taskId: TaskId, options: RemovalOptions = {}): Promise<void> {
    const begun = subjectOf(taskId)
    if (!begun || begun.workspace.removal === 'removed') return
    const { removal } = begun.workspace
    const left = removalSteps.slice(removal ? removalSteps.indexOf(removal) + 1 : 0)
    let recorded: RemovalStep | null = removal
    let done: RemovalStep[] = []
    for (const [n, step] of left.entries()) {
      const subject = subjectOf(taskId)
      if (!subject) return
      try {
        await actions[step](subject, options)
      } catch (error) {
        return postpone(subject, step, recorded, error)
      }
      done.push(step)
      const next = left[n + 1]
      // A step without work is recorded together with the one before it: one sync for both.
      if (next && isOnlyRecorded(next, subject)) continue
      await ledger.record(...done.map((one) => advanced(taskId, one, null)))
      recorded = step
      done = []
    }
  }

  /**
   * Throws HeldError while a workspace below the task is unarchived: it rolls up into the task's session directory.
   */
  function refuseWhileHeld(task: Task): void {
    const held = [...state.tasks.values()].find(
      (one) => one.parentId === task.id && one.workspace && !one.archived,
    )
    if (held) throw new HeldError(held)
  }

  /**
   * Archiving never blocks a removal permanently (R5): once the patch is saved the worktree is deleted, files that
   * could not be archived stay where they are, and the next start retries from `done`. Before that, it is an error.
   */
  async function postpone(
    subject: Subject,
    step: RemovalStep,
    done: RemovalStep | null,
    error: unknown,
  ): Promise<void> {
    const why = messageOf(error)
    const heldBy = error instanceof HeldError ? { heldBy: error.below } : {}
    if (done) await advance(subject.task.id, done, { step, error: why, ...heldBy })
    if (!archiveSteps.includes(step)) throw error
    await removeWorktree(subject)
    // The failure of the workspace below was already reported.
    if (error instanceof HeldError) return
    deps.onProblem(`"${subject.task.title}" was removed, but its archive is pending: ${why}`, error)
  }

  return {
    begin,
    remove,
    async hold(taskId, below, error) {
      const removal = subjectOf(taskId)?.workspace.removal
      const step = removal && removalSteps[removalSteps.indexOf(removal) + 1]
      if (step) await advance(taskId, removal, { step, error, heldBy: below })
    },
    unfinished: () =>
      [...state.tasks.values()]
        .filter(
          ({ workspace }) =>
            workspace && workspace.removal !== null && workspace.removal !== 'removed',
        )
        // Deepest first, so that each rolls up into a directory that still exists.
        .sort((a, b) => b.depth - a.depth)
        .map((task) => task.id),
  }
}

const advanced = (
  workspaceId: TaskId,
  step: RemovalStep,
  pending: PendingRemoval | null,
): LedgerEventOf<'workspace.removal-advanced'> => ({
  type: 'workspace.removal-advanced',
  workspaceId,
  step,
  pending,
})

const isOnlyRecorded = (step: RemovalStep, { workspace }: Subject): boolean =>
  step === 'totals-recorded' ||
  step === 'removed' ||
  // A task in place has no worktree to save or remove.
  (workspace.isolation === 'in-place' && (step === 'patch-saved' || step === 'worktree-removed'))

class HeldError extends Error {
  readonly below: TaskId
  constructor({ id, title, workspace }: Task) {
    const why = workspace?.pending ? ` (${workspace.pending.error})` : ''
    super(`"${title}", below it, is not archived yet${why}`)
    this.below = id
  }
}
