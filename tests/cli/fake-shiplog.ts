/**
 * The fake host as the Shiplog that a command opens and closes. Pages and snapshots are tiny, so that a handful of
 * entries takes every path of reading them.
 */
import type { Shiplog } from '../../src/main/composition/shiplog.ts'
import { LeaseLostError } from '../../src/main/lease/lease-errors.ts'
import type { ClockAhead, RemovedItem } from '../../src/shared/contract/retention.ts'
import type { ClosedHow } from '../../src/shared/records/causes.ts'
import type { DriftReport } from '../../src/shared/records/drift.ts'
import type { ProjectId, TaskId } from '../../src/shared/records/ids.ts'
import { isRunning } from '../../src/shared/records/tasks/task-status.ts'
import { createFakeHost } from '../fake-host/fake-host.ts'
import type { FakeHostOptions } from '../fake-host/options.ts'

export type FakeShiplog = ReturnType<typeof createFakeShiplog>

export function createFakeShiplog(
  given: Pick<
    FakeHostOptions,
    'models' | 'agents' | 'agentChecks' | 'importEvents' | 'importSources'
  > = {},
) {
  const closedHow: (ClosedHow | undefined)[] = []
  const endpoints: (string | null)[] = []
  const displaced = Promise.withResolvers<LeaseLostError>()
  const drift: Record<TaskId, DriftReport> = {}
  const unrestorable = new Map<TaskId, string>()
  const unchanged = new Set<TaskId>()
  const brought = { setup: 'npm ci', copy: [] as string[] }
  let expiring: RemovedItem[] = []
  let clockAhead: ClockAhead | null = null

  const host = createFakeHost({
    pageEntriesMax: 2,
    info: { host: 'cli', canPickFolder: false },
    ...given,
    drift,
    unrestorable,
    setup: ({ dir }) =>
      dir.includes('with-setup') ? { ...brought, env: [], git: null, configSha256: 'a1' } : null,
    diff: (taskId) => ({
      files: unchanged.has(taskId)
        ? []
        : [
            {
              path: 'a.txt',
              change: 'modified',
              oldPath: null,
              additions: 1,
              deletions: 1,
              contentId: '2'.repeat(40),
            },
          ],
      patch: unchanged.has(taskId) ? '' : 'diff --git a/a.txt b/a.txt\n@@ -1 +1 @@\n-old\n+new\n',
      truncated: false,
      target: { path: '/code/api', branch: 'main' },
      tree: unchanged.has(taskId) ? null : '1'.repeat(40),
    }),
    retention: { plan: () => expiring, kept: 3, clockAhead: () => clockAhead },
  })
  const { state, given: happenings } = host
  const running = () => [...state.tasks.values()].filter(({ status }) => isRunning(status))

  const shiplog: Shiplog = {
    dataDir: state.dataDir,
    router: host.router as unknown as Shiplog['router'],
    client: host.client,
    log: { info() {}, warning() {}, error() {} },
    displaced: displaced.promise,
    async setEndpoint(endpoint) {
      endpoints.push(endpoint)
    },
    runningAgents: () => running().map(({ id: taskId, title }) => ({ taskId, title })),
    async close(how) {
      closedHow.push(how)
      for (const { id } of running()) host.interrupt(id, { kind: 'closed', how: how ?? 'close' })
    },
  }

  return {
    ...host,
    shiplog,
    closedHow,
    /** What lease.json was told, in order. */
    endpoints,
    /** Another process takes over the data directory. */
    displace: () => displaced.resolve(new LeaseLostError(state.dataDir)),
    /** What has changed since an agent stopped, by task. */
    drift,
    projectOf(taskId: TaskId): ProjectId {
      const task = state.tasks.get(taskId)
      if (!task) throw new Error(`the fake has no task ${taskId}`)
      return task.projectId
    },
    /** What happens once an agent was started. */
    onStart(next: (rootId: TaskId) => Promise<void>) {
      happenings.onStart = next
    },
    /** What happens once an agent goes on: it was resumed, queued again, or continued. */
    onGoOn(next: (taskId: TaskId) => Promise<void>) {
      happenings.onGoOn = next
    },
    /** The set-up command of a project whose folder is called "with-setup", and what it copies. */
    broughtSetup(setup: string, copy: string[] = []) {
      Object.assign(brought, { setup, copy })
    },
    /** The clock is that far past the newest record. */
    leapAhead(ahead: ClockAhead) {
      clockAhead = ahead
    },
    /** What a sweep removes. */
    expire(items: RemovedItem[]) {
      expiring = items
    },
    changesNothing(taskId: TaskId) {
      unchanged.add(taskId)
    },
    keepsArchived(taskId: TaskId) {
      unrestorable.set(taskId, 'Its commits are gone.')
    },
  }
}
