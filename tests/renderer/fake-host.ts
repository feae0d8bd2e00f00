/**
 * A working host in memory, for the renderer's tests: the contract's answers from real records and
 * entries, with feeds that behave as the real ones do (a snapshot, then what comes after it).
 */
import { ORPCError } from '@orpc/client'
import { createRouterClient, implement } from '@orpc/server'
import type { LedgerFeedEvent, SessionFeedEvent } from '../../src/shared/contract/feed.ts'
import { contract, type ShiplogClient } from '../../src/shared/contract/index.ts'
import type { DriftReport } from '../../src/shared/drift.ts'
import {
  type Entry,
  type EntryBody,
  entryVersion,
  type PartialMessage,
} from '../../src/shared/entries.ts'
import {
  type EntryId,
  newEntryId,
  newProjectId,
  newTaskId,
  type ProjectId,
  runIdOf,
  type TaskId,
  type ToolCallId,
} from '../../src/shared/ids.ts'
import type { LedgerEvent, LedgerRecord } from '../../src/shared/ledger.ts'
import {
  emptyLedgerState,
  foldLedgerRecord,
  taskTree,
} from '../../src/shared/projections/ledger-state.ts'
import type { Report } from '../../src/shared/tasks.ts'
import { createFakeResume } from '../fixtures/fake-resume.ts'
import { createFakeRetention } from '../fixtures/retention.ts'
import { following } from './following.ts'

export interface FakeSession {
  entries: Entry[]
  partial: PartialMessage | null
  archived: boolean
}

export type FakeHost = ReturnType<typeof createFakeHost>

const dataDir = '/data/shiplog'

export function createFakeHost(options: { drift?: Record<TaskId, DriftReport> } = {}) {
  const ledger = emptyLedgerState(dataDir)
  const sessions = new Map<TaskId, FakeSession>()
  const reports = new Map<TaskId, Report>()
  const ledgerListeners = new Set<(event: LedgerFeedEvent) => void>()
  const sessionListeners = new Map<TaskId, Set<(event: SessionFeedEvent) => void>>()
  const calls: { path: string; input: unknown }[] = []
  let now = Date.parse('2026-11-20T09:00:00Z')
  const tick = (): number => {
    now += 400
    return now
  }

  function record(...events: LedgerEvent[]): void {
    const records: LedgerRecord[] = events.map((event, index) => ({
      seq: ledger.seq + 1 + index,
      at: tick(),
      event,
    }))
    for (const each of records) foldLedgerRecord(ledger, each)
    for (const listener of ledgerListeners) listener({ type: 'records', records })
  }

  function sessionOf(id: TaskId): FakeSession {
    const known = sessions.get(id)
    if (known) return known
    const session: FakeSession = { entries: [], partial: null, archived: false }
    sessions.set(id, session)
    return session
  }

  function publish(id: TaskId, event: SessionFeedEvent): void {
    for (const listener of sessionListeners.get(id) ?? []) listener(event)
  }

  function append(id: TaskId, ...bodies: EntryBody[]): Entry[] {
    const session = sessionOf(id)
    const entries = bodies.map((body, index) => {
      const seq = session.entries.length + 1 + index
      const uuid = body.uuid ?? newEntryId()
      return { v: entryVersion, seq, at: tick(), parentUuid: null, ...body, uuid } as Entry
    })
    session.entries.push(...entries)
    publish(id, { type: 'entries', entries })
    return entries
  }

  const retention = createFakeRetention({ state: ledger, record })
  const os = implement(contract)
  const taskIdOf = (text: string): TaskId => {
    const task = [...ledger.tasks.keys()].find((id) => id.startsWith(text))
    if (!task)
      throw new ORPCError('NOT_FOUND', {
        message: `There is no task ${text}.`,
        data: { what: 'task', id: text },
        defined: true,
      })
    return task
  }

  const resuming = createFakeResume({ state: ledger, record, drift: options.drift })
  const router = os.router({
    app: {
      info: os.app.info.handler(() => ({
        version: '0.1.0',
        dataDir,
        host: 'web' as const,
        platform: 'linux',
        canPickFolder: false,
        lease: {
          pid: 4711,
          host: 'web' as const,
          hostName: 'here',
          endpoint: true,
          since: '2026-11-21T08:00:00.000Z',
        },
        notices: [],
        agents: [{ kind: 'scripted' as const, name: 'Scenario file', available: true, why: null }],
      })),
      pickFolder: os.app.pickFolder.handler(() => ({ dir: null })),
    },
    projects: {
      list: os.projects.list.handler(() => ({ projects: [...ledger.projects.values()] })),
      add: os.projects.add.handler(({ input, errors }) => {
        if (input.dir.includes('missing'))
          throw errors.INVALID({
            message: `${input.dir} is not a directory. Give the folder of a project.`,
            data: { field: 'dir' },
          })
        return project(input.dir, !input.dir.includes('plain'))
      }),
      remove: os.projects.remove.handler(({ input }) => {
        record({ type: 'project.removed', projectId: input.projectId })
        return {}
      }),
      setup: os.projects.setup.handler(() => ({
        setup: 'npm ci --no-audit',
        copy: ['.env'],
        configSha256: 'a'.repeat(64),
        trusted: false,
      })),
      trustSetup: os.projects.trustSetup.handler(({ input }) => {
        record({ type: 'project.setup-trusted', ...input })
        return {}
      }),
      startDemo: os.projects.startDemo.handler(() => {
        const added = project(`${dataDir}/demo/harbour-lights`, true)
        return { project: added, taskId: start(added.id, 'Light the harbour', 'lead') }
      }),
    },
    tasks: {
      start: os.tasks.start.handler(({ input, errors }) => {
        if (input.scenario.includes('nonsense'))
          throw errors.INVALID({
            message: `${input.scenarioName}:3: unknown key "nonsense". Remove it or see the scenario format.`,
            data: { field: 'scenario' },
          })
        return { taskId: start(input.projectId, input.prompt, 'lead') }
      }),
      startWaiting: os.tasks.startWaiting.handler(() => ({})),
      withdrawPrompt: os.tasks.withdrawPrompt.handler(() => ({})),
      prompt: os.tasks.prompt.handler(({ input }) => {
        calls.push({ path: 'tasks.prompt', input })
        return {}
      }),
      stop: os.tasks.stop.handler(({ input }) => {
        const id = taskIdOf(input.taskId)
        record({
          type: 'task.interrupted',
          taskId: id,
          run: 1,
          cause: 'Stopped by the person',
          usage: noUsage,
        })
        return { stopped: [id] }
      }),
      list: os.tasks.list.handler(() => ({ tasks: taskTree([...ledger.tasks.values()]) })),
      report: os.tasks.report.handler(({ input, errors }) => {
        calls.push({ path: 'tasks.report', input })
        const report = reports.get(taskIdOf(input.taskId))
        if (!report)
          throw errors.NOT_FOUND({
            message: 'It has no report.',
            data: { what: 'report', id: input.taskId },
          })
        return report
      }),
      applyPatch: os.tasks.applyPatch.handler(() => ({
        kind: 'applied' as const,
        paths: ['src/lamp.ts'],
      })),
      planResume: os.tasks.planResume.handler(({ input }) => ({
        candidates: resuming.plan(input.selector),
      })),
      resume: os.tasks.resume.handler(({ input }) => resuming.resume(input)),
      resumeEnded: os.tasks.resumeEnded.handler(({ input }) => ({
        ended: input.taskIds.map((taskId) => {
          const task = ledger.tasks.get(taskId)
          const run = task?.runs.at(-1)?.run ?? 0
          return { taskId, run, status: task?.status ?? 'queued', cause: task?.error ?? null }
        }),
      })),
      startFresh: os.tasks.startFresh.handler(({ input }) => ({
        taskId: resuming.startFresh(input.taskId),
      })),
      continueFrom: os.tasks.continueFrom.handler(({ input }) => ({
        taskId: resuming.continueFrom(input.taskId, input.prompt),
      })),
      abandon: os.tasks.abandon.handler(({ input }) => {
        resuming.abandon(input.taskId)
        return {}
      }),
      retry: os.tasks.retry.handler(({ input }) => {
        resuming.retry(input.taskId)
        return {}
      }),
    },
    workspace: {
      getSubagentTranscript: os.workspace.getSubagentTranscript.handler(({ input }) => {
        calls.push({ path: 'workspace.getSubagentTranscript', input })
        const taskId = taskIdOf(input.taskId)
        const { entries, partial, archived } = sessionOf(taskId)
        const from = input.last
          ? Math.max(1, entries.length - input.limit + 1)
          : (input.fromSeq ?? 1)
        const page = entries.slice(from - 1, from - 1 + input.limit)
        const next = from + page.length
        const atEnd = next > entries.length
        return {
          taskId,
          entries: page,
          total: entries.length,
          nextSeq: atEnd ? null : next,
          damage: [],
          partial: atEnd ? partial : null,
          source: archived ? ('archived' as const) : ('live' as const),
          status: 'complete' as const,
        }
      }),
      listTranscripts: os.workspace.listTranscripts.handler(() => ({
        transcripts: [...ledger.tasks.values()].reverse().map((task) => ({
          taskId: task.id,
          parentId: task.parentId,
          rootId: task.rootId,
          projectId: task.projectId,
          title: task.title,
          agent: task.agent,
          status: task.status,
          projectDir: task.projectDir,
          runs: task.runs.length,
          entries: sessionOf(task.id).entries.length,
          bytes: sessionOf(task.id).entries.length * 700,
          startedAt: task.startedAt,
          endedAt: task.endedAt,
          archived: task.archived,
          hasReport: task.hasReport,
          resumedFrom: null,
          pinned: task.pinned,
          transcriptExpired: task.transcriptExpired,
        })),
      })),
      list: os.workspace.list.handler(() => ({ workspaces: [] })),
      remove: os.workspace.remove.handler(({ input }) => {
        const id = taskIdOf(input.workspaceId)
        archive(id)
        return { removed: [id] }
      }),
      restore: os.workspace.restore.handler(({ input }) => {
        record({
          type: 'workspace.restored',
          workspaceId: taskIdOf(input.workspaceId),
          branch: null,
        })
        return {}
      }),
      trash: os.workspace.trash.handler(({ input }) => {
        const id = taskIdOf(input.workspaceId)
        record({ type: 'workspace.trashed', workspaceId: id })
        return { trashed: [id] }
      }),
      untrash: os.workspace.untrash.handler(({ input }) => {
        record({ type: 'workspace.untrashed', workspaceId: taskIdOf(input.workspaceId) })
        return {}
      }),
      diff: os.workspace.diff.handler(() => ({
        files: [
          {
            path: 'src/lamp.ts',
            change: 'modified' as const,
            oldPath: null,
            additions: 2,
            deletions: 1,
          },
          {
            path: 'docs/night.md',
            change: 'added' as const,
            oldPath: null,
            additions: 2,
            deletions: 0,
          },
        ],
        patch: fakePatch,
        truncated: false,
        target: { path: '/home/ada/projects/harbour-lights', branch: 'main' },
      })),
      openFolder: os.workspace.openFolder.handler(() => ({})),
    },
    retention: {
      settings: os.retention.settings.handler(retention.settings),
      setSettings: os.retention.setSettings.handler(({ input }) => retention.setSettings(input)),
      preview: os.retention.preview.handler(({ input }) => retention.preview(input.settings)),
      sweep: os.retention.sweep.handler(retention.sweep),
      receipts: os.retention.receipts.handler(retention.receipts),
      receipt: os.retention.receipt.handler(({ input }) => retention.receipt(input.receiptId)),
      undo: os.retention.undo.handler(({ input }) => retention.undo(input)),
      pin: os.retention.pin.handler(({ input }) => retention.pin(input)),
    },
    doctor: {
      check: os.doctor.check.handler(() => ({ ok: true, checked: 12, problems: [], notes: [] })),
    },
    feed: {
      ledger: os.feed.ledger.handler(async function* ({ signal }) {
        yield* following<LedgerFeedEvent>(ledgerListeners, signal, () => ({
          type: 'snapshot',
          state: {
            seq: ledger.seq,
            dataDir,
            projects: [...ledger.projects.values()],
            tasks: [...ledger.tasks.values()],
            trustedSetups: [],
          },
        }))
      }),
      session: os.feed.session.handler(async function* ({ input, signal, errors }) {
        calls.push({ path: 'feed.session', input })
        const id = taskIdOf(input.workspaceId)
        const session = sessionOf(id)
        if (session.archived)
          throw errors.NOT_FOUND({ message: 'It is archived.', data: { what: 'session', id } })
        const listeners = sessionListeners.get(id) ?? new Set()
        sessionListeners.set(id, listeners)
        const events = following<SessionFeedEvent>(listeners, signal, () => ({
          type: 'snapshot',
          seq: session.entries.length,
          entries: session.entries.slice(-200),
          partial: session.partial,
          damage: [],
        }))
        for await (const event of events) {
          yield event
          if (event.type === 'ended') return
        }
      }),
    },
  })

  function project(dir: string, git: boolean) {
    const projectId = newProjectId()
    record({ type: 'project.added', projectId, name: dir.split('/').at(-1) ?? dir, dir, git })
    const added = ledger.projects.get(projectId)
    if (!added) throw new Error('the project was not added')
    return added
  }

  /** A task that runs, in a worktree of its own. */
  function start(
    projectId: ProjectId,
    title: string,
    agent: string,
    under?: { parentId: TaskId; callId: ToolCallId | null; queued?: boolean },
  ): TaskId {
    const taskId = newTaskId()
    const parent = under ? ledger.tasks.get(under.parentId) : undefined
    record({
      type: 'task.created',
      taskId,
      parentId: under?.parentId ?? null,
      rootId: parent?.rootId ?? taskId,
      projectId,
      title,
      agent,
      kind: 'scripted',
      prompt: title,
      model: null,
      isolation: 'worktree',
      callId: under?.callId ?? null,
      resumedFrom: null,
      dependsOn: [],
      options: { agentsAtOnce: 3, keep: false },
      plan: {},
    })
    if (under?.queued) return taskId
    record(
      {
        type: 'workspace.created',
        workspaceId: taskId,
        kind: under ? 'task' : 'root',
        isolation: 'worktree',
        path: `worktrees/harbour-lights/${taskId.slice(0, 8)}`,
        branch: `shiplog/${taskId.slice(0, 8)}`,
        baseCommit: '4f0c1d2e4f0c1d2e4f0c1d2e4f0c1d2e4f0c1d2e',
        baseBranch: 'main',
      },
      {
        type: 'task.spawned',
        taskId,
        run: 1,
        process: { pid: 1, startedAt: '1' },
        spawnCommit: '4f0c1d2e4f0c1d2e4f0c1d2e4f0c1d2e4f0c1d2e',
      },
    )
    append(
      taskId,
      {
        type: 'run-start',
        runId: runIdOf(taskId, 1),
        run: 1,
        reason: 'prompt',
        agent,
        model: null,
      },
      message(taskId, 'user', [{ type: 'text', text: title }], null),
    )
    return taskId
  }

  function message(
    taskId: TaskId,
    role: 'user' | 'assistant',
    parts: PartialMessage['parts'],
    turn: number | null,
    uuid: EntryId = newEntryId(),
  ): Extract<EntryBody, { type: 'message' }> {
    return {
      type: 'message',
      uuid,
      role,
      parts,
      cwd: `${dataDir}/worktrees/harbour-lights/${taskId.slice(0, 8)}`,
      timestamp: new Date(now).toISOString(),
      gitBranch: `shiplog/${taskId.slice(0, 8)}`,
      sessionId: taskId,
      runId: runIdOf(taskId, 1),
      turn,
      status: 'complete',
    }
  }

  /** The message in progress begins, or (null) is dropped. */
  function partial(
    taskId: TaskId,
    parts: PartialMessage['parts'] | null,
    uuid = newEntryId(),
    turn = 1,
  ): EntryId {
    const { status: _, ...body } = message(taskId, 'assistant', parts ?? [], turn, uuid)
    sessionOf(taskId).partial = parts ? { ...body, v: 1, uuid, status: 'interrupted' } : null
    publish(taskId, { type: 'partial', partial: sessionOf(taskId).partial })
    return uuid
  }

  function delta(
    taskId: TaskId,
    part: number,
    text: string,
    partType: 'text' | 'reasoning' = 'text',
  ): void {
    publish(taskId, { type: 'delta', part, partType, text })
  }

  function report(taskId: TaskId, title: string, reportMarkdown: string): void {
    const ancestorIds: TaskId[] = []
    reports.set(taskId, {
      taskId,
      run: 1,
      title,
      reportMarkdown,
      createdAt: new Date(now).toISOString(),
      ancestorIds,
    })
    record({ type: 'task.reported', taskId, run: 1, title })
  }

  function complete(taskId: TaskId): void {
    append(taskId, {
      type: 'run-end',
      runId: runIdOf(taskId, 1),
      run: 1,
      status: 'completed',
      cause: null,
    })
    record({
      type: 'task.completed',
      taskId,
      run: 1,
      usage: { inputTokens: 12_340, outputTokens: 2_101, costUsd: null, complete: true },
    })
  }

  function archive(taskId: TaskId): void {
    sessionOf(taskId).archived = true
    publish(taskId, { type: 'ended' })
    record({
      type: 'workspace.removal-advanced',
      workspaceId: taskId,
      step: 'removed',
      pending: null,
    })
  }

  function activity(lines: Record<TaskId, string | null>): void {
    for (const listener of ledgerListeners) listener({ type: 'activity', activity: lines })
  }

  return {
    client: createRouterClient(router) as ShiplogClient,
    router,
    ledger,
    calls,
    record,
    append,
    message,
    partial,
    delta,
    project,
    start,
    report,
    complete,
    archive,
    activity,
    sessionOf,
    /** How many feeds are open: what was opened must be closed. */
    listeners: () => ({
      ledger: ledgerListeners.size,
      sessions: [...sessionListeners.values()].reduce((sum, set) => sum + set.size, 0),
    }),
  }
}

export const noUsage = { inputTokens: 0, outputTokens: 0, costUsd: null, complete: true }

const fakePatch = `diff --git a/src/lamp.ts b/src/lamp.ts
index 83db48f..bf2a1c0 100644
--- a/src/lamp.ts
+++ b/src/lamp.ts
@@ -1,3 +1,4 @@
 export function lamp(hour: number): 'on' | 'off' {
-  return hour > 20 ? 'on' : 'off'
+  const night = hour >= 20 || hour < 6
+  return night ? 'on' : 'off'
 }
diff --git a/docs/night.md b/docs/night.md
new file mode 100644
index 0000000..3b18e51
--- /dev/null
+++ b/docs/night.md
@@ -0,0 +1,2 @@
+# Night
+The lamp burns from 20 to 6.
`
