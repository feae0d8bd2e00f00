/** Executes one run of a task with its transcript open. */
import { join } from 'node:path'
import type { OpenAgent } from '../../../shared/agents/driver/agent-session.ts'
import type { TaskToolsPort } from '../../../shared/agents/driver/task-tools-port.ts'
import type { DiscardUnfinished, RunTool } from '../../../shared/agents/driver/tool-context.ts'
import type { PermissionsOfRuns } from '../../../shared/agents/permissions.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import { runIdOf, type TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { TranscriptCounts } from '../../../shared/records/tasks/transcript-status.ts'
import { unknownUsage } from '../../../shared/records/usage.ts'
import type { Git } from '../../git/index.ts'
import { exists } from '../../journal/index.ts'
import type { Custody } from '../../processes/custody.ts'
import { createRunSnapshots } from '../../runs/changes/snapshots.ts'
import { causeOf, Interruption } from '../../runs/interruption.ts'
import type { PastSession } from '../../runs/past.ts'
import { executeRun, type RunOutcome } from '../../runs/run.ts'
import type { LearningMasker } from '../../secrets/masker.ts'
import type { Session } from '../../sessions/session.ts'
import { chatFile, type DataLayout } from '../../sessions/session-files.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { TurnStore } from '../../turn-store/turn-store.ts'
import type { WorkspaceService } from '../../workspaces/workspace-service.ts'
import type { ActivityBoard } from '../activity/activity.ts'
import type { RetryWaits } from '../activity/retry-waits.ts'
import type { SilenceMonitor } from '../activity/silence.ts'
import type { TreeLimits } from '../limits/tree-limits.ts'
import { closeUnfinished } from '../recovery/close-unfinished.ts'
import type { AgentSpecs } from '../start/agent-specs.ts'
import type { TaskLedger } from '../state/task-ledger.ts'
import type { RunRequest } from './run-request.ts'
import type { RunSlots } from './run-slots.ts'

/** For a run whose transcript could not be created. */
const noTranscript: TranscriptCounts = { entries: 0, messages: 0, bytes: 0 }

interface RecordedRun {
  /** From 1. */
  run: number
  request: RunRequest
  /** Written with the start of the run. */
  opening: EntryBody[]
  workingDir: string
  signal: AbortSignal
}

export interface RecordedRunDependencies {
  git: Git
  turnStore: Pick<TurnStore, 'open'>
  taskLedger: TaskLedger
  sessions: Sessions
  workspaces: WorkspaceService
  layout: DataLayout
  agentSpecs: AgentSpecs
  activity: ActivityBoard
  runTool: RunTool
  discardUnfinished: DiscardUnfinished
  custody: Custody
  toolsFor: (taskId: TaskId) => TaskToolsPort
  /** The sessions of the tasks that this one continues, oldest first (S3). */
  lineageOf: (task: Task) => Promise<PastSession[]>
  permissions: PermissionsOfRuns
  limits: Pick<TreeLimits, 'forRun'>
  secrets: LearningMasker
  clock: () => number
  onProblem: (text: string, error: unknown) => void
}

export function createRecordedRuns(
  deps: RecordedRunDependencies & {
    slots: RunSlots
    silenceMonitor: SilenceMonitor
    retryWaits: RetryWaits
  },
) {
  const { taskLedger, sessions, workspaces, layout, activity, slots, silenceMonitor } = deps

  /** Opens the transcript, to which all runs of a task append. Rejects if the transcript of earlier runs is missing. */
  async function openSession(task: Task, run: number): Promise<Session> {
    const { id, transcriptExpired, transcriptCounts } = task
    const neverBegun = transcriptCounts?.bytes === 0
    const mustExist = run > 1 && transcriptExpired === null && !neverBegun
    return sessions.open(id, layout.sessionDir(id), { mustExist })
  }

  /** A run whose transcript can't be written ends as interrupted, whatever its agent reports (J7). */
  async function play(
    taskId: TaskId,
    opened: Promise<Session>,
    recorded: RecordedRun,
  ): Promise<RunOutcome & { transcript?: TranscriptCounts | null }> {
    const { run } = recorded
    const task = taskLedger.get(taskId)
    try {
      const session = await opened
      try {
        await closeUnfinished(session, task, run - 1, deps)
        const outcome = await playInto(session, task, recorded)
        // A failure to count the entries does not change the outcome of the run.
        return { ...outcome, transcript: await session.counts().catch(() => null) }
      } finally {
        await sessions.close(taskId)
      }
    } catch (error) {
      const interrupted = {
        status: 'interrupted',
        cause: causeOf(error),
        usage: unknownUsage,
      } as const
      // The transcript was never created, so its absence is not a loss.
      const isOpened = await opened.then(
        () => true,
        () => false,
      )
      const neverBegun = run === 1 && !isOpened && !(await hasTranscript(taskId))
      return neverBegun ? { ...interrupted, transcript: noTranscript } : interrupted
    }
  }

  async function playInto(
    session: Session,
    task: Task,
    recorded: RecordedRun,
  ): Promise<RunOutcome> {
    const { run, request, opening, workingDir, signal } = recorded
    const { prompt, images, reason, attached } = request
    const { id: taskId } = task
    const { env, withheld } = await workspaces.environments.of(taskId, workingDir)
    const { inForce, sandbox } = await workspaces.sandboxes.of(taskId, workingDir, env)
    return executeRun({
      task,
      run,
      reason,
      prompt: { text: prompt, images: images ?? [] },
      lineage: await deps.lineageOf(task),
      opening,
      session,
      openAgent: attached ?? (await openerOf(task)),
      permissions: await deps.permissions.forRun(task, {
        workingDir,
        sandbox: inForce,
        whileAsked: (work) => slots.yieldWhile(taskId, { state: 'asking' }, work),
      }),
      runTool: deps.runTool,
      endProcesses: () => deps.custody.endAll(taskId),
      taskTools: deps.toolsFor(taskId),
      readsRecord: taskLedger.get(task.rootId).options.readsRecord ?? false,
      workingDir,
      environment: env,
      withheld,
      sandboxInForce: inForce,
      ...(sandbox && { sandbox }),
      secrets: deps.secrets,
      signal,
      clock: deps.clock,
      gitBranch: (dir = workingDir) => workspaces.currentBranch(dir),
      setUpWorktree: () =>
        workspaces.workingDirs
          .setUp(taskId, signal, () =>
            activity.set(taskId, { state: 'working', text: 'Setting the worktree up' }),
          )
          .finally(() => activity.set(taskId, { state: 'working', text: 'Starting' })),
      snapshots: (lastTree, onChanged) =>
        createRunSnapshots({
          ...deps,
          turns: deps.turnStore.open(task.projectId),
          onChanged,
          session,
          task,
          runId: runIdOf(taskId, run),
          lastTree,
          // The agent may rename or delete the folder of a project that is a folder of its repository.
          workingDir:
            (task.workspace && workspaces.workingDirs.worktreeAround(task.workspace)) ?? workingDir,
        }),
      onActivity: (text) => activity.set(taskId, { state: 'working', text }),
      onProgress: () => silenceMonitor.recordProgress(taskId),
      onStarting(agent) {
        activity.set(taskId, { state: 'working', text: `Starting ${agent}`, starts: true })
        silenceMonitor.recordProgress(taskId)
      },
      waitToRetry: (delayMs, signal) => deps.retryWaits.wait(taskId, delayMs, signal),
      limits: deps.limits.forRun(taskId, run, (work) =>
        slots.yieldWhile(taskId, { state: 'paused' }, work),
      ),
    })
  }

  /** Returns true on a disk error, because a transcript that may exist must be reported if it is missing later. */
  const hasTranscript = (taskId: TaskId): Promise<boolean> =>
    exists(join(layout.sessionDir(taskId), chatFile)).catch(() => true)

  /** Throws an Interruption with its cause when such an agent can't begin now (G7). */
  async function openerOf({ spec, rootId }: Task): Promise<OpenAgent> {
    const home = layout.sessionDir(rootId)
    const availability = await deps.agentSpecs.check(home, spec)
    if (availability.state === 'unavailable') throw new Interruption(availability.cause)
    return (place) => deps.agentSpecs.open(home, spec, place)
  }

  return { openSession, play }
}
