/**
 * Folds ledger records into projects and tasks. Pure: no clock, no I/O. The main process, the renderer,
 * the stories and the tests use this one fold, so live view and restart can't disagree.
 */

import type { ImageRef } from '../../agents/agent-records.ts'
import { modelOfSpec, withModelRef } from '../../agents/agent-specs.ts'
import { assertNever } from '../../assert-never.ts'
import type { PromptId, TaskId, UpdateId } from '../../records/ids.ts'
import type { LedgerEvent, LedgerEventOf, LedgerRecord } from '../../records/ledger.ts'
import type { FileUpdate } from '../../records/projects/file-updates.ts'
import { isPatchSaved, type Workspace } from '../../records/projects/workspaces.ts'
import type { Run } from '../../records/tasks/runs.ts'
import { isRunning } from '../../records/tasks/task-status.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import type { TranscriptExpiry } from '../../records/tasks/transcript-status.ts'
import { addUsage, noUsage } from '../../records/usage.ts'
import { absolutePath } from '../absolute-path.ts'
import { foldImport } from './fold-import.ts'
import { foldLimits } from './fold-limits.ts'
import { foldProjectEvent } from './fold-project.ts'
import { foldReview, foldSentComments, foldUnsentComments } from './fold-review.ts'
import { foldClock } from './ledger-clock.ts'
import type { LedgerState } from './ledger-state.ts'

/** Folds one record in place. Records must come in order of `seq`; one that was folded already is passed over. */
export function foldLedgerRecord(state: LedgerState, record: LedgerRecord): void {
  if (record.seq <= state.seq) return
  const { event } = record
  const at = ('endedAt' in event && event.endedAt) || record.at
  foldEvent(state, event, new Date(at).toISOString(), new Date(record.at).toISOString())
  state.clock = foldClock(state.clock, record)
  state.seq = record.seq
}

function foldEvent(
  state: LedgerState,
  event: LedgerEvent,
  /** When it happened. */
  at: string,
  recordedAt: string,
): void {
  switch (event.type) {
    case 'project.added':
    case 'project.moved':
    case 'project.identified':
    case 'project.removed':
    case 'project.setup-trusted':
    case 'project.environment-set':
    case 'project.sandbox-set':
    case 'project.git-config-allowed':
    case 'project.agent-config-allowed':
      return foldProjectEvent(state, event, at)
    case 'task.created':
      state.tasks.set(event.taskId, createdTask(state, event, at))
      return
    case 'tasks.imported':
      return foldImport(state, event, recordedAt)
    case 'workspace.created':
      return change(state, event.workspaceId, (task) => ({
        workspace: createdWorkspace(state, task, event, at),
      }))
    case 'task.spawned':
      return change(state, event.taskId, (task) => ({
        status: 'spawned',
        transcriptCounts: undefined,
        startedAt: task.startedAt ?? at,
        endedAt: null,
        cause: null,
        spawnCommit: task.spawnCommit ?? event.spawnCommit,
        hasTranscript: true,
        // What is recorded from now on is kept, whatever became of earlier runs.
        transcriptExpired: null,
        conflictsFound: undefined,
        // What was applied is no longer all of its work.
        patch: 'none',
        runs: startRun(task.runs, event, at, takenUp(task, event.promptId)),
        waitingPrompts: withoutPrompt(task, event.promptId),
      }))
    case 'task.resumed':
      return change(state, event.taskId, (task) => ({
        status: 'resumed',
        transcriptCounts: undefined,
        endedAt: null,
        cause: null,
        transcriptExpired: null,
        conflictsFound: undefined,
        patch: 'none',
        runs: startRun(task.runs, event, at),
      }))
    case 'review.commented':
    case 'review.comment-changed':
    case 'review.comment-removed':
      return change(state, event.taskId, (task) => foldReview(task, event, at))
    case 'task.prompted':
      foldSentComments(state, event, at)
      return change(state, event.taskId, (task) => ({
        waitingPrompts: [
          ...(task.waitingPrompts ?? []),
          {
            ...{ id: event.promptId, prompt: event.prompt, ...imagesOf(event), at },
            ...(event.atNextTurn && { atNextTurn: true as const }),
            ...(event.comments && { commentsOf: event.comments.of }),
          },
        ],
      }))
    case 'task.prompt-delivered':
    case 'task.prompt-withdrawn':
      if (event.type === 'task.prompt-withdrawn') foldUnsentComments(state, event)
      return change(state, event.taskId, (task) => ({
        waitingPrompts: withoutPrompt(task, event.promptId),
      }))
    case 'task.reported':
      return change(state, event.taskId, () => ({
        hasReport: true,
        reportTitle: event.title,
        reportedRun: event.run,
      }))
    case 'task.completed':
      return change(state, event.taskId, (task) => ({
        status: 'completed',
        endedAt: at,
        transcriptCounts: event.transcript,
        cause: null,
        usage: addUsage(task.usage, event.usage),
        runs: endRun(task.runs, event.run, { status: 'completed', endedAt: at, cause: null }),
      }))
    case 'task.interrupted':
      return change(state, event.taskId, (task) => ({
        status: 'interrupted',
        endedAt: at,
        transcriptCounts: event.transcript,
        cause: event.cause,
        usage: addUsage(task.usage, event.usage),
        runs: endRun(task.runs, event.run, {
          status: 'interrupted',
          endedAt: at,
          ...(event.endedAt === undefined ? {} : { endedAtLatest: recordedAt }),
          cause: event.cause,
        }),
      }))
    case 'task.failed':
      return change(state, event.taskId, (task) => ({
        status: 'failed',
        endedAt: at,
        transcriptCounts: event.transcript,
        cause: event.cause,
        usage: addUsage(task.usage, event.usage),
        runs: endRun(task.runs, event.run, { status: 'failed', endedAt: at, cause: event.cause }),
      }))
    case 'task.blocked':
      return change(state, event.taskId, () => ({ status: 'blocked', cause: event.cause }))
    case 'task.requeued':
      return change(state, event.taskId, () => ({ status: 'queued', cause: null, endedAt: null }))
    case 'task.cancelled':
      return change(state, event.taskId, () => ({
        status: 'cancelled',
        conflictsFound: undefined,
        cause: event.cause,
        endedAt: at,
      }))
    case 'task.abandoned':
      return change(state, event.taskId, () => ({
        status: 'abandoned',
        conflictsFound: undefined,
        cause: event.cause,
      }))
    case 'task.conflicts-found':
      return change(state, event.taskId, ({ status }) => {
        const { files } = event
        // The check may end after another resume has begun the task.
        if (status !== 'interrupted' && status !== 'queued') return {}
        return { conflictsFound: files === 0 ? undefined : { files, at } }
      })
    case 'task.patch-changed':
      return change(state, event.taskId, () => ({ patch: event.status }))
    case 'files.update-started':
      return change(state, event.taskId, (task) => ({
        fileUpdates: [...(task.fileUpdates ?? []), startedUpdate(state, event, at)],
      }))
    case 'files.updated':
      return change(state, event.taskId, (task) => endUpdate(task, event.updateId, at))
    case 'files.update-rolled-back':
      return change(state, event.taskId, (task) => ({
        fileUpdates: without(task.fileUpdates, [event.updateId]),
      }))
    case 'workspace.removal-advanced':
      return change(state, event.workspaceId, (task) => ({
        archived: event.step === 'removed',
        workspace: task.workspace && {
          ...task.workspace,
          removal: event.step,
          pending: event.pending,
        },
      }))
    case 'workspace.leftovers-kept':
      return change(state, event.workspaceId, ({ leftovers = [] }) => {
        const { name, files, bytes, recreatable } = event
        const kept = { name, files, bytes, recreatable, at }
        // Sorted twice, after a crash in between: the second time, some folders were gone already.
        const before = leftovers.find((one) => one.name === name)
        const united = before
          ? { ...kept, recreatable: unitedByPath(before.recreatable, recreatable) }
          : kept
        return { leftovers: [...leftovers.filter((one) => one.name !== name), united] }
      })
    case 'workspace.restore-started':
      return change(state, event.workspaceId, (task) => ({
        workspace: task.workspace && { ...task.workspace, restoring: true },
      }))
    case 'workspace.restore-given-up':
      return change(state, event.workspaceId, (task) => ({
        workspace: task.workspace && { ...task.workspace, restoring: false },
      }))
    case 'workspace.restored':
      return change(state, event.workspaceId, (task) => ({
        archived: false,
        // Where nothing was kept there is nothing to be taken back.
        leftovers: task.leftovers?.filter(({ files }) => files > 0),
        workspace: task.workspace && {
          ...task.workspace,
          branch: event.branch,
          removal: null,
          pending: null,
          restoring: false,
        },
      }))
    case 'workspace.trashed':
      return changeTree(state, event.workspaceId, { trashed: true, trashedAt: at })
    case 'workspace.untrashed':
      return changeTree(state, event.workspaceId, { trashed: false, trashedAt: null })
    case 'workspace.purged':
      return changeTree(state, event.workspaceId, { purged: true, reviewComments: undefined })
    case 'task.renamed':
      return change(state, event.taskId, () => ({ title: event.title }))
    case 'task.permissions-set': {
      const { permissions } = event
      return change(state, event.taskId, ({ options }) => ({
        options: { ...options, permissions },
      }))
    }
    case 'task.model-set':
      return change(state, event.taskId, ({ spec: before }) => {
        const spec = before.kind === 'model' ? withModelRef(before, event.model) : before
        return { spec, model: modelOfSpec(spec) }
      })
    case 'task.compaction-set':
      return change(state, event.taskId, () => ({
        compactionWanted: event.wanted || undefined,
      }))
    case 'task.budget-set':
    case 'task.budget-reached':
    case 'task.sleep-started':
    case 'task.sleep-ended':
      return change(state, event.taskId, (task) => foldLimits(task, event, at))
    case 'task.pinned':
      return change(state, event.taskId, () => ({ pinned: true }))
    case 'task.unpinned':
      return change(state, event.taskId, () => ({ pinned: false }))
    case 'transcript.appended':
      // A run that has begun meanwhile counts all of it at its end.
      return change(state, event.taskId, ({ status, transcriptCounts }) =>
        isRunning(status) || (transcriptCounts?.bytes ?? 0) > event.transcript.bytes
          ? {}
          : { transcriptCounts: event.transcript },
      )
    case 'transcript.expired':
      return change(state, event.taskId, () => ({ transcriptExpired: expiryOf(event, at) }))
    case 'transcript.unexpired':
      return change(state, event.taskId, (task) => ({
        transcriptExpired: null,
        transcriptTakenBackAt: event.because === 'person' ? at : task.transcriptTakenBackAt,
      }))
    case 'transcript.purged':
      return change(state, event.taskId, ({ transcriptExpired }) => ({
        transcriptExpired: transcriptExpired && { ...transcriptExpired, purgedAt: at },
      }))
    case 'retention.swept':
    case 'clock.confirmed':
      return
    default:
      assertNever(event)
  }
}

function expiryOf(event: LedgerEventOf<'transcript.expired'>, at: string): TranscriptExpiry {
  const { receiptId, asked } = event
  const keptUntil = new Date(event.keptUntil).toISOString()
  return { receiptId, at, keptUntil, ...(asked ? { asked } : {}), purgedAt: null }
}

function createdTask(state: LedgerState, event: LedgerEventOf<'task.created'>, at: string): Task {
  const parent = event.parentId ? state.tasks.get(event.parentId) : undefined
  return {
    id: event.taskId,
    parentId: event.parentId,
    rootId: event.rootId,
    projectId: event.projectId,
    // A project that was taken off the list leaves its tasks; their directory is then found by the parent.
    projectDir: state.projects.get(event.projectId)?.dir ?? parent?.projectDir ?? '',
    title: event.title,
    agent: event.agent,
    spec: event.spec,
    isolation: event.isolation,
    status: 'queued',
    prompt: event.prompt,
    ...imagesOf(event),
    createdAt: at,
    startedAt: null,
    endedAt: null,
    runs: [],
    resumedFrom: event.resumedFrom,
    dependsOn: event.dependsOn,
    archived: false,
    trashed: false,
    trashedAt: null,
    purged: false,
    pinned: false,
    imported: event.imported ?? false,
    transcriptExpired: null,
    transcriptTakenBackAt: null,
    hasReport: false,
    reportTitle: null,
    reportedRun: null,
    hasTranscript: false,
    cause: null,
    model: event.model,
    usage: noUsage,
    callId: event.callId,
    spawnCommit: null,
    patch: 'none',
    workspace: null,
    options: event.options,
    plan: event.plan,
    depth: parent ? parent.depth + 1 : 0,
  }
}

function createdWorkspace(
  state: LedgerState,
  task: Task,
  event: LedgerEventOf<'workspace.created'>,
  at: string,
): Workspace {
  return {
    id: event.workspaceId,
    kind: event.kind,
    projectId: task.projectId,
    parentId: task.parentId,
    isolation: event.isolation,
    path: absolutePath(event.path, state),
    branch: event.branch,
    baseCommit: event.baseCommit,
    baseBranch: event.baseBranch,
    removal: null,
    pending: null,
    restoring: false,
    createdAt: at,
  }
}

function startedUpdate(
  state: LedgerState,
  event: LedgerEventOf<'files.update-started'>,
  at: string,
): FileUpdate {
  const { updateId: id, reason, undoes, partial, commit, files } = event
  const [dir, root] = [absolutePath(event.dir, state), absolutePath(event.root, state)]
  const about = { reason, undoes, ...(partial ? { partial } : {}) }
  return { id, ...about, dir, root, commit, files, startedAt: at, doneAt: null }
}

function endUpdate(task: Task, id: UpdateId, at: string): Partial<Task> {
  const update = task.fileUpdates?.find((one) => one.id === id)
  if (!update) return {}
  if (update.reason === 'apply') {
    return {
      ...(update.partial ? {} : { patch: 'applied' as const }),
      fileUpdates: task.fileUpdates?.map((one) => (one.id === id ? { ...one, doneAt: at } : one)),
    }
  }
  const fileUpdates = without(task.fileUpdates, [id, update.undoes])
  if (update.partial) return { fileUpdates }
  return {
    // Without its worktree there is a patch, which can be applied once more.
    patch: isPatchSaved(task.workspace) ? 'ready' : 'none',
    fileUpdates,
  }
}

function without(
  updates: Task['fileUpdates'],
  ids: readonly (UpdateId | undefined)[],
): Task['fileUpdates'] {
  const left = updates?.filter(({ id }) => !ids.includes(id))
  return left?.length ? left : undefined
}

function change(state: LedgerState, id: TaskId, fields: (task: Task) => Partial<Task>): void {
  const task = state.tasks.get(id)
  if (task) state.tasks.set(id, { ...task, ...fields(task) })
}

function startRun(
  runs: Run[],
  { run, process }: LedgerEventOf<'task.spawned' | 'task.resumed'>,
  at: string,
  takenUp: Pick<Run, 'prompt' | 'images'> = {},
): Run[] {
  return [
    ...runs.filter((r) => r.run !== run),
    { run, status: 'running', startedAt: at, endedAt: null, cause: null, process, ...takenUp },
  ]
}

function takenUp(task: Task, promptId: PromptId | undefined): Pick<Run, 'prompt' | 'images'> {
  const waiting = task.waitingPrompts?.find(({ id }) => id === promptId)
  return waiting ? { prompt: waiting.prompt, ...imagesOf(waiting) } : {}
}

const imagesOf = ({ images }: { images?: ImageRef[] | undefined }): { images?: ImageRef[] } =>
  images?.length ? { images } : {}

function withoutPrompt(task: Task, promptId: PromptId | undefined): Task['waitingPrompts'] {
  const left = task.waitingPrompts?.filter(({ id }) => id !== promptId)
  return left?.length ? left : undefined
}

function endRun(
  runs: Run[],
  run: number,
  end: Pick<Run, 'status' | 'endedAt' | 'endedAtLatest' | 'cause'>,
): Run[] {
  return runs.map((r) => {
    if (r.run !== run) return r
    const { process: _, prompt: __, images: ___, ...ended } = r
    return { ...ended, ...end }
  })
}

function unitedByPath<Named extends { path: string }>(known: Named[], found: Named[]): Named[] {
  const paths = new Set(known.map(({ path }) => path))
  return [...known, ...found.filter(({ path }) => !paths.has(path))]
}

function changeTree(state: LedgerState, rootId: TaskId, fields: Partial<Task>): void {
  for (const task of state.tasks.values()) {
    if (task.rootId === rootId) state.tasks.set(task.id, { ...task, ...fields })
  }
}
