/**
 * A working fake of the contract, fed by the fixtures that tests use: it folds real ledger records,
 * pages real entries, and its feeds go on. Stories of whole screens stand on it.
 */

import { createRouterClient, implement } from '@orpc/server'
import type { AppInfo, Notice } from '../src/shared/contract/app.ts'
import type { LedgerFeedEvent, SessionFeedEvent } from '../src/shared/contract/feed.ts'
import { contract, type ShiplogClient } from '../src/shared/contract/index.ts'
import type { ProjectSetup } from '../src/shared/contract/projects.ts'
import type { Damage, WorkspaceDiff } from '../src/shared/contract/workspace.ts'
import type { DriftReport } from '../src/shared/drift.ts'
import type { Entry, PartialMessage } from '../src/shared/entries.ts'
import { newUpdateId, resolveId, type TaskId, type UpdateId } from '../src/shared/ids.ts'
import type { LedgerEvent, LedgerRecord } from '../src/shared/ledger.ts'
import { snapshotParts } from '../src/shared/projections/ledger-snapshot.ts'
import {
  ancestorsOf,
  emptyLedgerState,
  foldLedgerRecord,
  taskTree,
} from '../src/shared/projections/ledger-state.ts'
import type { Activity } from '../src/shared/tasks.ts'
import { isRunning, isSettled } from '../src/shared/tasks.ts'
import type { ApplyOutcome, UndoOutcome } from '../src/shared/tools.ts'
import { noUsage } from '../src/shared/usage.ts'
import { createFakeResume } from '../tests/fixtures/fake-resume.ts'
import { createFakeTranscripts } from '../tests/fixtures/fake-transcripts.ts'
import { createFakeRetention, type FakeRetentionOptions } from '../tests/fixtures/retention.ts'
import { scriptedSpec } from '../tests/fixtures/scripted-spec.ts'
import { createFeed, type Feed } from './feeds.ts'

/** What every command printed that printed more than its result shows. */
const wholeOutput = Array.from({ length: 4000 }, (_, line) => `line ${line + 1}\n`).join('')

interface FakeSession {
  entries: Entry[]
  partial?: PartialMessage | null
  damage?: Damage[]
}

interface FakeContractOptions {
  dataDir?: string
  records?: LedgerRecord[]
  sessions?: Record<TaskId, FakeSession>
  /** By task: the Markdown of its report. */
  reports?: Record<TaskId, string>
  activity?: Record<TaskId, Activity | null>
  diff?: WorkspaceDiff
  setup?: ProjectSetup
  notices?: Notice[]
  retention?: Omit<FakeRetentionOptions, 'state' | 'record'>
  apply?: ApplyOutcome
  undo?: UndoOutcome
  /** What has changed since a task stopped; nothing unless given. */
  drift?: Record<TaskId, DriftReport>
  /** Asked before what has changed is told: a host that is slow, or can't tell. */
  beforePlan?: () => Promise<void>
  /** Awaited before a rename is answered: a host that is slow, or refuses. */
  beforeRename?: () => Promise<void>
  /** The present of the fake, in milliseconds since the epoch. */
  nowMs?: number
}

export interface FakeContract {
  client: ShiplogClient
  /** Records events, and tells the feed. */
  record(...events: LedgerEvent[]): void
  append(taskId: TaskId, entries: Entry[]): void
  setPartial(taskId: TaskId, partial: PartialMessage | null): void
  setActivity(activity: Record<TaskId, Activity | null>): void
}

const plainSetup: ProjectSetup = {
  setup: null,
  copy: [],
  env: [],
  git: null,
  configSha256: null,
  trusted: true,
}
const noDiff: WorkspaceDiff = {
  files: [],
  patch: '',
  truncated: false,
  target: { path: '/home/robin/api', branch: 'main' },
}

export function createFakeContract(options: FakeContractOptions = {}): FakeContract {
  const { dataDir = '/home/robin/.local/share/shiplog', nowMs = Date.now() } = options
  const state = emptyLedgerState(dataDir)
  for (const record of options.records ?? []) foldLedgerRecord(state, record)
  const sessions = new Map(Object.entries(options.sessions ?? {}) as [TaskId, FakeSession][])
  const activity = { ...options.activity }
  const ledgerFeed = createFeed<LedgerFeedEvent>()
  const sessionFeeds = new Map<TaskId, Feed<SessionFeedEvent>>()

  /** Projects with a `.planning/`. */
  const planned = new Set<LedgerProjectId>()

  /** Those who wait for the next record. */
  const recorded = new Set<() => void>()

  const feedOf = (id: TaskId): Feed<SessionFeedEvent> => {
    const feed = sessionFeeds.get(id) ?? createFeed<SessionFeedEvent>()
    sessionFeeds.set(id, feed)
    return feed
  }
  const sessionOf = (id: TaskId): FakeSession => sessions.get(id) ?? { entries: [] }
  const record = (...events: LedgerEvent[]): void => {
    const records = events.map((event, index) => ({ seq: state.seq + 1 + index, at: nowMs, event }))
    for (const each of records) foldLedgerRecord(state, each)
    for (const wake of recorded) wake()
    recorded.clear()
    ledgerFeed.publish({ type: 'records', records })
  }
  const recordUpdate = (
    taskId: TaskId,
    about: { reason: 'apply' | 'undo'; undoes?: UpdateId; files: number },
  ): void => {
    const updateId = newUpdateId()
    const root = state.tasks.get(taskId)?.projectDir ?? ''
    const commit = '0'.repeat(40)
    record(
      { type: 'files.update-started', updateId, taskId, dir: root, root, commit, ...about },
      { type: 'files.updated', updateId, taskId },
    )
  }

  const retention = createFakeRetention({ ...options.retention, state, record })
  const os = implement(contract)
  type Errors = Parameters<Parameters<typeof os.tasks.report.handler>[0]>[0]['errors']
  const taskOf = (text: string, errors: Errors) => {
    const found = resolveId(text, state.tasks.keys())
    const task = found.kind === 'found' ? state.tasks.get(found.id) : undefined
    if (task) return task
    if (found.kind === 'ambiguous')
      throw errors.AMBIGUOUS({
        message: `${text} stands for more than one task.`,
        data: { what: 'task', id: text, candidates: found.candidates },
      })
    throw errors.NOT_FOUND({ message: `No task ${text}.`, data: { what: 'task', id: text } })
  }
  const info = (): AppInfo => ({
    version: '0.1.0',
    dataDir,
    host: 'desktop',
    platform: 'linux',
    canPickFolder: true,
    lease: {
      pid: 4711,
      host: 'desktop',
      hostName: 'robins-laptop',
      endpoint: true,
      since: '2026-11-20T08:02:00.000Z',
    },
    notices: options.notices ?? [],
    logFile: `${dataDir}/logs/shiplog.log`,
    agents: [{ kind: 'scripted', name: 'Scripted', available: true, why: null }],
  })

  const resuming = createFakeResume({ state, record, drift: options.drift })
  const { transcripts, getSubagentTranscript } = createFakeTranscripts({
    find(text, errors) {
      const { id, archived, transcriptExpired } = taskOf(text, errors)
      return { taskId: id, ...sessionOf(id), archived, expired: transcriptExpired }
    },
  })
  const router = os.router({
    app: {
      info: os.app.info.handler(info),
      pickFolder: os.app.pickFolder.handler(() => ({ dir: '/home/robin/api' })),
    },
    projects: {
      list: os.projects.list.handler(() => ({ projects: [...state.projects.values()] })),
      add: os.projects.add.handler(({ input, errors }) => {
        const known = [...state.projects.values()].find(({ dir }) => dir === input.dir)
        if (known) return known
        if (!input.dir.startsWith('/'))
          throw errors.INVALID({
            message: `${input.dir} is not a whole path. Write it from the root, like /home/robin/api.`,
            data: { field: 'dir' },
          })
        const projectId = crypto.randomUUID() as LedgerProjectId
        const name = input.dir.split('/').at(-1) ?? input.dir
        record({ type: 'project.added', projectId, name, dir: input.dir, git: true })
        const added = state.projects.get(projectId)
        if (!added) throw new Error('the project was folded away')
        return added
      }),
      remove: os.projects.remove.handler(({ input }) => {
        record({ type: 'project.removed', projectId: input.projectId })
        return {}
      }),
      setup: os.projects.setup.handler(() => options.setup ?? plainSetup),
      setEnvironment: os.projects.setEnvironment.handler(({ input }) => {
        record({ type: 'project.environment-set', ...input })
        return {}
      }),
      trustSetup: os.projects.trustSetup.handler(({ input }) => {
        record({ type: 'project.setup-trusted', ...input })
        return {}
      }),
      planning: os.projects.planning.handler(({ input }) => ({
        dir: `${state.projects.get(input.projectId)?.dir ?? ''}/.planning`,
        state: planned.has(input.projectId) ? ('used' as const) : ('missing' as const),
      })),
      makePlanning: os.projects.makePlanning.handler(({ input }) => {
        planned.add(input.projectId)
        return {}
      }),
      startDemo: os.projects.startDemo.handler(({ errors }) => {
        const [project] = state.projects.values()
        const [root] = state.tasks.values()
        if (project && root) return { project, taskId: root.id }
        throw errors.REFUSED({
          message: 'The fake has no demo. Give it records.',
          data: { reason: 'no records' },
        })
      }),
    },
    tasks: {
      start: os.tasks.start.handler(({ input }) => {
        const taskId = crypto.randomUUID() as TaskId
        const { projectId, prompt, isolation, agent } = input
        const spec = { ...scriptedSpec(), source: agent.source }
        record({
          type: 'task.created',
          ...{ taskId, parentId: null, rootId: taskId, projectId, spec, prompt, isolation },
          ...{ title: input.title ?? (prompt.slice(0, 60) || agent.source), agent: 'lead' },
          ...{ model: null, callId: null, resumedFrom: null, dependsOn: [], plan: {} },
          options: { agentsAtOnce: input.agentsAtOnce ?? 3, keep: input.keep },
        })
        return { taskId }
      }),
      prompt: os.tasks.prompt.handler(() => ({})),
      startWaiting: os.tasks.startWaiting.handler(() => ({})),
      withdrawPrompt: os.tasks.withdrawPrompt.handler(({ input }) => {
        record({
          type: 'task.prompt-withdrawn',
          taskId: input.taskId as TaskId,
          promptId: input.promptId,
        })
        return {}
      }),
      stop: os.tasks.stop.handler(({ input, errors }) => {
        const { id, runs } = taskOf(input.taskId, errors)
        const run = runs.at(-1)?.run ?? 1
        const cause = { kind: 'stopped', by: 'person' } as const
        record({ type: 'task.interrupted', taskId: id, run, cause, usage: noUsage })
        return { stopped: [id], cancelled: [] }
      }),
      list: os.tasks.list.handler(({ input }) => ({
        tasks: taskTree([...state.tasks.values()].filter((task) => input.all || !task.archived)),
      })),
      report: os.tasks.report.handler(({ input, errors }) => {
        const { id, runs, reportTitle, endedAt, createdAt } = taskOf(input.taskId, errors)
        const reportMarkdown = options.reports?.[id]
        if (reportMarkdown === undefined)
          throw errors.NOT_FOUND({
            message: `Task ${id} has no report.`,
            data: { what: 'report', id },
          })
        return {
          ...{ taskId: id, run: input.run ?? runs.at(-1)?.run ?? 1, reportMarkdown },
          ...{ title: reportTitle ?? 'Report', createdAt: endedAt ?? createdAt },
          ancestorIds: ancestorsOf(state, id),
        }
      }),
      applyPatch: os.tasks.applyPatch.handler(({ input, errors }) => {
        const { id } = taskOf(input.taskId, errors)
        const outcome = options.apply ?? {
          kind: 'applied',
          files: [{ path: 'src/parser.ts', change: 'modified', oldPath: null }],
        }
        if (outcome.kind === 'applied')
          recordUpdate(id, { reason: 'apply', files: outcome.files.length })
        return outcome
      }),
      undoApply: os.tasks.undoApply.handler(({ input, errors }) => {
        const { id, fileUpdates = [] } = taskOf(input.taskId, errors)
        const applied = fileUpdates.at(-1)
        if (!applied)
          throw errors.REFUSED({
            message: 'There is nothing to undo.',
            data: { reason: 'nothing-to-undo' },
          })
        if (options.undo?.kind === 'changed-since') return options.undo
        recordUpdate(id, { reason: 'undo', undoes: applied.id, files: applied.files })
        return { kind: 'undone' as const, files: applied.files, paths: ['src/parser.ts'] }
      }),
      planResume: os.tasks.planResume.handler(async ({ input }) => {
        await options.beforePlan?.()
        return { candidates: resuming.plan(input.selector) }
      }),
      resume: os.tasks.resume.handler(({ input }) => resuming.resume(input)),
      resumeEnded: os.tasks.resumeEnded.handler(async ({ input }) => {
        const isOver = () =>
          input.taskIds.every((id) => isSettled(state.tasks.get(id)?.status ?? 'completed'))
        while (!isOver()) await new Promise<void>((resolve) => recorded.add(resolve))
        const ended = input.taskIds.map((taskId) => {
          const task = state.tasks.get(taskId)
          const run = task?.runs.at(-1)?.run ?? 0
          return { taskId, run, status: task?.status ?? 'queued', cause: task?.cause ?? null }
        })
        return { ended }
      }),
      restart: os.tasks.restart.handler(({ input }) => resuming.restart(input.taskId)),
      continueFrom: os.tasks.continueFrom.handler(({ input }) => ({
        taskId: resuming.continueFrom(input.taskId, input.prompt),
      })),
      abandon: os.tasks.abandon.handler(({ input }) => {
        resuming.abandon(input.taskId)
        return {}
      }),
      rename: os.tasks.rename.handler(async ({ input, errors }) => {
        await options.beforeRename?.()
        const { id } = taskOf(input.taskId, errors)
        record({ type: 'task.renamed', taskId: id, title: input.title })
        return {}
      }),
      linkPullRequest: os.tasks.linkPullRequest.handler(({ input, errors }) => {
        taskOf(input.taskId, errors)
        return { linked: true }
      }),
      changedFileDiff: os.tasks.changedFileDiff.handler(() => ({
        patch: options.diff?.patch ?? '',
      })),
      retry: os.tasks.retry.handler(({ input }) => {
        resuming.retry(input.taskId)
        return {}
      }),
    },
    transcripts,
    workspace: {
      getSubagentTranscript,
      readOutput: os.workspace.readOutput.handler(({ input }) => ({
        text: wholeOutput.slice(input.offset, input.offset + input.bytesMax),
        total: wholeOutput.length,
        nextOffset:
          input.offset + input.bytesMax < wholeOutput.length ? input.offset + input.bytesMax : null,
      })),
      listTranscripts: os.workspace.listTranscripts.handler(() => ({
        transcripts: [...state.tasks.values()]
          .filter((task) => task.hasTranscript)
          .map((task) => ({
            ...task,
            taskId: task.id,
            runs: task.runs.length,
            entries: sessionOf(task.id).entries.length,
            bytes: JSON.stringify(sessionOf(task.id).entries).length,
          })),
      })),
      list: os.workspace.list.handler(({ input }) => ({
        workspaces: [...state.tasks.values()].flatMap((task) =>
          task.workspace && task.archived === input.archived
            ? [{ ...task.workspace, ...task, id: task.id, ...summaryOf(task.workspace) }]
            : [],
        ),
      })),
      remove: os.workspace.remove.handler(({ input, errors }) => {
        const { id } = taskOf(input.workspaceId, errors)
        record({
          type: 'workspace.removal-advanced',
          workspaceId: id,
          step: 'removed',
          pending: null,
        })
        feedOf(id).publish({ type: 'ended' })
        return { removed: [id] }
      }),
      leftovers: os.workspace.leftovers.handler(() => ({ leftovers: [] })),
      restore: os.workspace.restore.handler(({ input, errors }) => {
        const { id } = taskOf(input.workspaceId, errors)
        record({ type: 'workspace.restored', workspaceId: id, branch: null })
        return { restored: [id], left: [] }
      }),
      trash: os.workspace.trash.handler(({ input, errors }) => {
        const id = taskOf(input.workspaceId, errors).id
        record({ type: 'workspace.trashed', workspaceId: id })
        return { trashed: [id] }
      }),
      untrash: os.workspace.untrash.handler(({ input, errors }) => {
        record({ type: 'workspace.untrashed', workspaceId: taskOf(input.workspaceId, errors).id })
        return {}
      }),
      diff: os.workspace.diff.handler(() => options.diff ?? noDiff),
      openFolder: os.workspace.openFolder.handler(() => ({})),
    },
    retention: {
      settings: os.retention.settings.handler(retention.settings),
      setSettings: os.retention.setSettings.handler(({ input }) => retention.setSettings(input)),
      preview: os.retention.preview.handler(({ input }) => retention.preview(input.settings)),
      sweep: os.retention.sweep.handler(({ input }) => retention.sweep(input)),
      trash: os.retention.trash.handler(retention.trash),
      openTrash: os.retention.openTrash.handler(({ input }) => retention.openTrash(input.name)),
      restoreTrashed: os.retention.restoreTrashed.handler(({ input }) =>
        retention.restoreTrashed(input.names),
      ),
      deleteTrashed: os.retention.deleteTrashed.handler(({ input }) =>
        retention.deleteTrashed(input.names),
      ),
      deleteTranscripts: os.retention.deleteTranscripts.handler(({ input }) =>
        retention.deleteTranscripts(input.taskIds as TaskId[]),
      ),
      receipts: os.retention.receipts.handler(retention.receipts),
      receipt: os.retention.receipt.handler(({ input }) => retention.receipt(input.receiptId)),
      undo: os.retention.undo.handler(({ input }) => retention.undo(input)),
      pin: os.retention.pin.handler(({ input }) => retention.pin(input)),
    },
    doctor: {
      check: os.doctor.check.handler(() => ({ ok: true, checked: 12, problems: [], notes: [] })),
    },
    feed: {
      sessions: os.feed.sessions.handler(async function* () {}),
      ledger: os.feed.ledger.handler(({ signal }) =>
        ledgerFeed.follow(() => [...snapshotParts(state), { type: 'activity', activity }], signal),
      ),
      session: os.feed.session.handler(({ input, signal, errors }) => {
        const { id } = taskOf(input.workspaceId, errors)
        return feedOf(id).follow(() => {
          const { entries, partial = null, damage = [] } = sessionOf(id)
          return [
            {
              type: 'snapshot',
              seq: entries.at(-1)?.seq ?? 0,
              entries: entries.slice(-200),
              partial:
                partial && isRunning(state.tasks.get(id)?.status ?? 'queued') ? partial : null,
              damage,
            },
          ]
        }, signal)
      }),
      resumePlan: os.feed.resumePlan.handler(async function* ({ input }) {
        const candidates = resuming.plan(input.selector)
        yield {
          type: 'agents' as const,
          agents: candidates.map(({ drift: _, obstacle: __, ...agent }) => agent),
        }
        await options.beforePlan?.()
        for (const candidate of candidates) yield { type: 'checked' as const, candidate }
      }),
    },
  })

  return {
    client: createRouterClient(router),
    record,
    append(taskId, entries) {
      const session = sessionOf(taskId)
      sessions.set(taskId, { ...session, entries: [...session.entries, ...entries] })
      feedOf(taskId).publish({ type: 'entries', entries })
    },
    setPartial(taskId, partial) {
      sessions.set(taskId, { ...sessionOf(taskId), partial })
      feedOf(taskId).publish({ type: 'partial', partial })
    },
    setActivity(changed) {
      Object.assign(activity, changed)
      ledgerFeed.publish({ type: 'activity', activity: changed })
    },
  }
}

type LedgerProjectId = Extract<LedgerEvent, { type: 'project.added' }>['projectId']

const summaryOf = ({ kind, path, branch, createdAt }: WorkspaceFields) => ({
  ...{ kind, path, branch, createdAt },
  pending: null,
  bytes: 38_220,
})
interface WorkspaceFields {
  kind: 'root' | 'task'
  path: string
  branch: string | null
  createdAt: string
}
