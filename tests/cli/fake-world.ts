/**
 * An in-memory Shiplog behind the real contract: inputs are checked and errors typed as in the app, and
 * both feeds behave as described in feed.ts. Pages and snapshots are tiny, so that a handful of entries
 * takes every path of reading them.
 */
import { createRouterClient, implement } from '@orpc/server'
import type { Shiplog } from '../../src/main/shiplog.ts'
import type { Examination } from '../../src/shared/contract/doctor.ts'
import type { SessionFeedEvent } from '../../src/shared/contract/feed.ts'
import { contract } from '../../src/shared/contract/index.ts'
import type { RemovedItem } from '../../src/shared/contract/retention.ts'
import type { Damage } from '../../src/shared/contract/workspace.ts'
import type { Entry, EntryBody } from '../../src/shared/entries.ts'
import {
  newEntryId,
  newProjectId,
  newTaskId,
  type ProjectId,
  resolveId,
  runIdOf,
  type TaskId,
} from '../../src/shared/ids.ts'
import type { LedgerEvent, LedgerRecord } from '../../src/shared/ledger.ts'
import {
  emptyLedgerState,
  foldLedgerRecord,
  type LedgerState,
  taskTree,
} from '../../src/shared/projections/ledger-state.ts'
import { isRunning, type Report } from '../../src/shared/tasks.ts'
import type { ApplyOutcome } from '../../src/shared/tools.ts'
import { createFakeRetention } from '../fixtures/retention.ts'
import { createFakeResuming } from './fake-resuming.ts'

const pageEntriesMax = 2
const snapshotEntriesMax = 2
const startedAt = Date.parse('2026-11-21T08:00:00Z')
const noUsage = { inputTokens: 0, outputTokens: 0, costUsd: null, complete: true }

interface Session {
  entries: Entry[]
  archived: boolean
  partial: Extract<SessionFeedEvent, { type: 'partial' }>['partial']
}

export type FakeWorld = ReturnType<typeof createFakeWorld>

export function createFakeWorld() {
  const state = emptyLedgerState('/data')
  const records: LedgerRecord[] = []
  const sessions = new Map<TaskId, Session>()
  const reports = new Map<TaskId, Report>()
  const setups = new Map<ProjectId, { setup: string; sha256: string }>()
  const sessionEvents = new Map<TaskId, SessionFeedEvent[]>()
  const endpoints: (string | null)[] = []
  const closeCauses: (string | undefined)[] = []
  const calls: { name: string; input: unknown }[] = []
  const damage: Damage[] = []
  let wake = Promise.withResolvers<void>()
  let closed = false
  let play: (rootId: TaskId) => Promise<void> = async () => {}
  let examination: Examination = { ok: true, checked: 12, problems: [], notes: [] }
  let expiring: RemovedItem[] = []
  let applyOutcome: ApplyOutcome = { kind: 'nothing-to-apply' }

  function notify(): void {
    const { resolve } = wake
    wake = Promise.withResolvers()
    resolve()
  }

  function record(...events: LedgerEvent[]): void {
    for (const event of events) {
      const seq = records.length + 1
      const one = { seq, at: startedAt + seq * 1000, event }
      records.push(one)
      foldLedgerRecord(state, one)
    }
    notify()
  }

  // --- what a test makes happen

  function addProject(dir: string, git = true): ProjectId {
    const projectId = newProjectId()
    record({ type: 'project.added', projectId, name: 'fake', dir, git })
    return projectId
  }

  function createTask(
    fields: Partial<LedgerEvent & { type: 'task.created' }> & { projectId: ProjectId },
  ): TaskId {
    const taskId = fields.taskId ?? newTaskId()
    const parent = fields.parentId ? state.tasks.get(fields.parentId) : undefined
    record(
      {
        type: 'task.created',
        taskId,
        parentId: null,
        rootId: parent?.rootId ?? taskId,
        title: 'A task',
        agent: 'lead',
        kind: 'scripted',
        prompt: 'Do it',
        model: null,
        isolation: 'worktree',
        callId: null,
        resumedFrom: null,
        dependsOn: [],
        options: { agentsAtOnce: 3, keep: false },
        plan: {},
        ...fields,
      },
      {
        type: 'workspace.created',
        workspaceId: taskId,
        kind: parent ? 'task' : 'root',
        isolation: 'worktree',
        path: `worktrees/fake/${taskId}`,
        branch: `shiplog/${taskId.slice(0, 8)}`,
        baseCommit: null,
        baseBranch: 'main',
      },
    )
    openSession(taskId)
    return taskId
  }

  function openSession(taskId: TaskId): void {
    sessions.set(taskId, { entries: [], archived: false, partial: null })
    sessionEvents.set(taskId, [])
  }

  function spawn(taskId: TaskId): void {
    const process = { pid: 1, startedAt: '1' }
    const run = (state.tasks.get(taskId)?.runs.length ?? 0) + 1
    record({ type: 'task.spawned', taskId, run, process, spawnCommit: null })
    append(taskId, {
      type: 'run-start',
      runId: runIdOf(taskId, run),
      run,
      reason: 'prompt',
      agent: 'lead',
    })
  }

  function append(taskId: TaskId, ...bodies: EntryBody[]): Entry[] {
    const session = sessionOf(taskId)
    const entries = bodies.map((body, index) => {
      const seq = session.entries.length + 1 + index
      const stamp = { v: 1, seq, at: startedAt + seq * 1000, uuid: newEntryId(), parentUuid: null }
      return { ...stamp, ...body } as Entry
    })
    session.entries.push(...entries)
    sessionEvents.get(taskId)?.push({ type: 'entries', entries })
    notify()
    return entries
  }

  function say(taskId: TaskId, text: string): void {
    const turn = sessionOf(taskId).entries.length + 1
    append(taskId, {
      type: 'message',
      role: 'assistant',
      parts: [{ type: 'text', text }],
      cwd: '/data/worktrees',
      timestamp: new Date(startedAt).toISOString(),
      gitBranch: 'main',
      sessionId: taskId,
      runId: runIdOf(taskId, runOf(taskId)),
      turn,
      status: 'complete',
    })
  }

  /** An event that is no entry: text as it streams. */
  function stream(taskId: TaskId, event: SessionFeedEvent): void {
    sessionEvents.get(taskId)?.push(event)
    notify()
  }

  function report(taskId: TaskId, title: string, markdown: string): void {
    const parentId = state.tasks.get(taskId)?.parentId
    reports.set(taskId, {
      taskId,
      run: runOf(taskId),
      title,
      reportMarkdown: markdown,
      createdAt: new Date(startedAt).toISOString(),
      ancestorIds: parentId ? [parentId] : [],
    })
    record({ type: 'task.reported', taskId, run: runOf(taskId), title })
  }

  function complete(taskId: TaskId): void {
    const run = runOf(taskId)
    append(taskId, {
      type: 'run-end',
      runId: runIdOf(taskId, run),
      run,
      status: 'completed',
      cause: null,
    })
    record({ type: 'task.completed', taskId, run, usage: noUsage })
  }

  function fail(taskId: TaskId, error: string): void {
    record({ type: 'task.failed', taskId, run: runOf(taskId), error, usage: noUsage })
  }

  function interrupt(taskId: TaskId, cause: string): void {
    record({ type: 'task.interrupted', taskId, run: runOf(taskId), cause, usage: noUsage })
  }

  const runOf = (taskId: TaskId): number => state.tasks.get(taskId)?.runs.at(-1)?.run ?? 1

  function archive(taskId: TaskId, pending: string | null = null): void {
    if (pending === null) {
      sessionOf(taskId).archived = true
      stream(taskId, { type: 'ended' })
    }
    const step = pending === null ? 'removed' : 'started'
    record({ type: 'workspace.removal-advanced', workspaceId: taskId, step, pending })
  }

  function projectOf(taskId: TaskId): ProjectId {
    const task = state.tasks.get(taskId)
    if (!task) throw new Error(`the fake has no task ${taskId}`)
    return task.projectId
  }

  function sessionOf(taskId: TaskId): Session {
    const session = sessions.get(taskId)
    if (!session) throw new Error(`the fake has no session ${taskId}`)
    return session
  }

  // --- the contract

  const retention = createFakeRetention({ state, record, calls, plan: () => expiring, kept: 3 })
  const os = implement(contract)

  function find(text: string, errors: Errors): TaskId {
    const found = resolveId(text, state.tasks.keys())
    if (found.kind === 'found') return found.id
    if (found.kind === 'not-found') {
      throw errors.NOT_FOUND({ message: `no task ${text}`, data: { what: 'task', id: text } })
    }
    const { candidates } = found
    throw errors.AMBIGUOUS({
      message: `${text} stands for more than one task`,
      data: { what: 'task', id: text, candidates },
    })
  }

  const change = () => wake.promise
  const resuming = createFakeResuming({ state, record, find, change, calls })
  const router = os.router({
    app: {
      info: os.app.info.handler(() => ({
        version: '0.0.0',
        dataDir: '/data',
        host: 'cli' as const,
        platform: 'linux',
        canPickFolder: false,
        lease: {
          pid: 4711,
          host: 'cli' as const,
          hostName: 'here',
          endpoint: endpoints.at(-1) != null,
          since: new Date(startedAt).toISOString(),
        },
        notices: [],
        agents: [{ kind: 'scripted' as const, name: 'Scripted agent', available: true, why: null }],
      })),
      pickFolder: os.app.pickFolder.handler(() => ({ dir: null })),
    },
    projects: {
      list: os.projects.list.handler(() => ({ projects: [...state.projects.values()] })),
      add: os.projects.add.handler(({ input, errors }) => {
        const known = [...state.projects.values()].find((one) => one.dir === input.dir)
        if (known) return known
        if (input.dir.includes('missing')) {
          throw errors.INVALID({
            message: `${input.dir} does not exist. Give the path of a folder.`,
            data: { field: 'dir' },
          })
        }
        const id = addProject(input.dir, !input.dir.includes('plain'))
        if (input.dir.includes('with-setup')) setups.set(id, { setup: 'npm ci', sha256: 'a1' })
        return mustHave(state, id)
      }),
      remove: os.projects.remove.handler(({ input }) => {
        record({ type: 'project.removed', projectId: input.projectId })
        return {}
      }),
      setup: os.projects.setup.handler(({ input }) => {
        const config = setups.get(input.projectId)
        return {
          setup: config?.setup ?? null,
          copy: [],
          configSha256: config?.sha256 ?? null,
          trusted: !config || state.trustedSetups.get(input.projectId) === config.sha256,
        }
      }),
      trustSetup: os.projects.trustSetup.handler(({ input }) => {
        record({ type: 'project.setup-trusted', ...input })
        return {}
      }),
      startDemo: os.projects.startDemo.handler(({ input }) => {
        const projectId = addProject(input.dir ?? '/data/demo')
        const taskId = createTask({ projectId, title: 'Demo' })
        setImmediate(() => void play(taskId)) // as the app: after the answer
        return { project: mustHave(state, projectId), taskId }
      }),
    },
    tasks: {
      start: os.tasks.start.handler(({ input, errors }) => {
        calls.push({ name: 'tasks.start', input })
        if (input.scenario.includes('malformed')) {
          throw errors.INVALID({
            message: `${input.scenarioName}:3:turn: unknown key`,
            data: { field: 'scenario' },
          })
        }
        const taskId = createTask({ projectId: input.projectId, title: input.prompt })
        setImmediate(() => void play(taskId)) // as the app: after the answer
        return { taskId }
      }),
      prompt: os.tasks.prompt.handler(() => ({})),
      startWaiting: os.tasks.startWaiting.handler(() => ({})),
      withdrawPrompt: os.tasks.withdrawPrompt.handler(() => ({})),
      stop: os.tasks.stop.handler(({ input, errors }) => {
        const id = find(input.taskId, errors)
        return { stopped: state.tasks.get(id)?.status === 'spawned' ? [id] : [] }
      }),
      list: os.tasks.list.handler(({ input }) => {
        calls.push({ name: 'tasks.list', input })
        const tasks = [...state.tasks.values()].filter(
          (task) => input.all || !state.tasks.get(task.rootId)?.archived,
        )
        return { tasks: taskTree(tasks) }
      }),
      report: os.tasks.report.handler(({ input, errors }) => {
        const id = find(input.taskId, errors)
        const found = reports.get(id)
        if (found) return found
        throw errors.NOT_FOUND({ message: 'no report', data: { what: 'report', id } })
      }),
      applyPatch: os.tasks.applyPatch.handler(({ input, errors }) => {
        find(input.taskId, errors)
        return applyOutcome
      }),
      planResume: os.tasks.planResume.handler(({ input, errors }) =>
        resuming.plan(input.selector, errors),
      ),
      resume: os.tasks.resume.handler(({ input }) => resuming.resume(input)),
      resumeEnded: os.tasks.resumeEnded.handler(({ input }) => resuming.ended(input)),
      startFresh: os.tasks.startFresh.handler(({ input }) => ({
        taskId: resuming.startFresh(input.taskId),
      })),
      continueFrom: os.tasks.continueFrom.handler(({ input, errors }) => {
        const continued = resuming.continueFrom(input.taskId, input.prompt, errors)
        openSession(continued.taskId)
        return continued
      }),
      abandon: os.tasks.abandon.handler(({ input, errors }) =>
        resuming.abandon(input.taskId, errors),
      ),
      retry: os.tasks.retry.handler(({ input, errors }) => resuming.retry(input.taskId, errors)),
    },
    workspace: {
      getSubagentTranscript: os.workspace.getSubagentTranscript.handler(({ input, errors }) => {
        const taskId = find(input.taskId, errors)
        const { entries, archived, partial } = sessionOf(taskId)
        const from = (input.fromSeq ?? 1) - 1
        const page = entries.slice(from, from + Math.min(input.limit, pageEntriesMax))
        const end = from + page.length
        const nextSeq = end < entries.length ? end + 1 : null
        return {
          taskId,
          entries: page,
          total: entries.length,
          nextSeq,
          damage,
          partial: nextSeq === null ? partial : null,
          source: archived ? ('archived' as const) : ('live' as const),
          status: 'complete' as const,
        }
      }),
      listTranscripts: os.workspace.listTranscripts.handler(() => ({
        transcripts: [...state.tasks.values()].map((task) => ({
          ...task,
          taskId: task.id,
          runs: task.runs.length,
          entries: sessionOf(task.id).entries.length,
          bytes: 1234,
        })),
      })),
      list: os.workspace.list.handler(({ input }) => ({
        workspaces: [...state.tasks.values()]
          .filter((task) => task.archived === input.archived && task.workspace !== null)
          .map((task) => ({
            id: task.id,
            kind: task.parentId ? ('task' as const) : ('root' as const),
            title: task.title,
            projectDir: task.projectDir,
            path: task.workspace?.path ?? '',
            branch: task.workspace?.branch ?? null,
            status: task.status,
            archived: task.archived,
            pending: null,
            createdAt: task.createdAt,
            bytes: 2_000_000,
          })),
      })),
      remove: os.workspace.remove.handler(({ input, errors }) => {
        const id = find(input.workspaceId, errors)
        archive(id)
        return { removed: [id] }
      }),
      restore: os.workspace.restore.handler(({ input, errors }) => {
        record({
          type: 'workspace.restored',
          workspaceId: find(input.workspaceId, errors),
          branch: null,
        })
        return {}
      }),
      trash: os.workspace.trash.handler(({ input, errors }) => {
        const id = find(input.workspaceId, errors)
        record({ type: 'workspace.trashed', workspaceId: id })
        return { trashed: [id] }
      }),
      untrash: os.workspace.untrash.handler(({ input, errors }) => {
        record({ type: 'workspace.untrashed', workspaceId: find(input.workspaceId, errors) })
        return {}
      }),
      diff: os.workspace.diff.handler(({ input, errors }) => {
        find(input.workspaceId, errors)
        return {
          files: [
            {
              path: 'a.txt',
              change: 'modified' as const,
              oldPath: null,
              additions: 1,
              deletions: 1,
            },
          ],
          patch: 'diff --git a/a.txt b/a.txt\n-old\n+new\n',
          truncated: false,
          target: { path: '/code/api', branch: 'main' },
        }
      }),
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
      check: os.doctor.check.handler(({ input }) => {
        calls.push({ name: 'doctor.check', input })
        return examination
      }),
    },
    feed: {
      ledger: os.feed.ledger.handler(async function* () {
        let seq = state.seq
        yield {
          type: 'snapshot' as const,
          state: {
            seq,
            dataDir: '/data',
            projects: [...state.projects.values()],
            tasks: [...state.tasks.values()],
            trustedSetups: [],
          },
        }
        for (;;) {
          const next = wake.promise
          const fresh = records.slice(seq)
          if (fresh.length > 0) {
            seq += fresh.length
            yield { type: 'records' as const, records: fresh }
          } else if (closed) return
          else await next
        }
      }),
      session: os.feed.session.handler(async function* ({ input, errors }) {
        const taskId = find(input.workspaceId, errors)
        const { entries, archived, partial } = sessionOf(taskId)
        if (archived) {
          throw errors.NOT_FOUND({ message: 'gone', data: { what: 'workspace', id: taskId } })
        }
        const events = sessionEvents.get(taskId) ?? []
        let told = events.length
        yield {
          type: 'snapshot' as const,
          seq: entries.length,
          entries: entries.slice(-snapshotEntriesMax),
          partial,
          damage: [],
        }
        for (;;) {
          const next = wake.promise
          for (; told < events.length; told++) {
            const event = events[told]
            if (event) yield event
            if (event?.type === 'ended') return
          }
          if (closed) return
          await next
        }
      }),
    },
  })

  const shiplog: Shiplog = {
    dataDir: '/data',
    router: router as unknown as Shiplog['router'],
    client: createRouterClient(router),
    async setEndpoint(endpoint) {
      endpoints.push(endpoint)
    },
    runningAgents: () =>
      [...state.tasks.values()]
        .filter((task) => isRunning(task.status))
        .map((task) => ({ taskId: task.id, title: task.title })),
    async close(cause) {
      closeCauses.push(cause)
      if (closed) return
      for (const task of state.tasks.values()) {
        if (isRunning(task.status)) interrupt(task.id, cause ?? '')
      }
      closed = true
      notify()
    },
  }

  return {
    /** As a process that starts later finds it. */
    open(): Shiplog {
      closed = false
      return shiplog
    },
    shiplog,
    state,
    calls,
    closeCauses,
    /** What lease.json was told, in order. */
    endpoints,
    damage,
    addProject,
    createTask,
    spawn,
    append,
    say,
    stream,
    report,
    complete,
    fail,
    interrupt,
    archive,
    sessionOf,
    projectOf,
    /** What has changed since an agent stopped, by task. */
    drift: resuming.drift,
    /** What happens once an agent goes on: it was resumed, queued again, or continued. */
    onGoOn: resuming.onGoOn,
    /** What happens once an agent was started. */
    onStart(next: (rootId: TaskId) => Promise<void>) {
      play = next
    },
    answerDoctor(found: Examination) {
      examination = found
    },
    /** What a sweep removes. */
    expire(items: RemovedItem[]) {
      expiring = items
    },
    answerApply(outcome: ApplyOutcome) {
      applyOutcome = outcome
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: each procedure has its own constructors of the same errors
type Errors = any

function mustHave(state: LedgerState, id: ProjectId) {
  const project = state.projects.get(id)
  if (!project) throw new Error(`the fake has no project ${id}`)
  return project
}
