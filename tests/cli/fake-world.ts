/**
 * An in-memory Shiplog behind the real contract: inputs are checked and errors typed as in the app, and
 * both feeds behave as described in feed.ts. Pages and snapshots are tiny, so that a handful of entries
 * takes every path of reading them.
 */

import { createRouterClient, implement } from '@orpc/server'
import type { Shiplog } from '../../src/main/shiplog.ts'
import type { ClosedHow } from '../../src/shared/causes.ts'
import type { Examination } from '../../src/shared/contract/doctor.ts'
import { contract } from '../../src/shared/contract/index.ts'
import type { ClockAhead, RemovedItem } from '../../src/shared/contract/retention.ts'
import type { TaskId } from '../../src/shared/ids.ts'
import { isRunning } from '../../src/shared/tasks.ts'
import type { ApplyOutcome, UndoOutcome } from '../../src/shared/tools.ts'
import { createFakeTranscripts } from '../fixtures/fake-transcripts.ts'
import { createFakeRetention } from '../fixtures/retention.ts'
import { createFakeResuming } from './fake-resuming.ts'
import { appAnswers, projectAnswers } from './fake-world/app-and-project-answers.ts'
import { feeds } from './fake-world/feeds.ts'
import { createHappenings } from './fake-world/happenings.ts'
import { createMemory } from './fake-world/memory.ts'
import { taskAnswers } from './fake-world/task-answers.ts'
import { workspaceAnswers } from './fake-world/workspace-answers.ts'

/** So that a handful of entries has several pages. */
const pageEntriesMax = 2

export type FakeWorld = ReturnType<typeof createFakeWorld>

export function createFakeWorld() {
  const memory = createMemory()
  const happenings = createHappenings(memory)
  const { state, calls, damage, endpoints, record, append, stream, sessionOf, projectOf } = memory
  const closedHow: (ClosedHow | undefined)[] = []
  let closed = false
  let play: (rootId: TaskId) => Promise<void> = async () => {}
  let examination: Examination = { ok: true, checked: 12, problems: [], notes: [] }
  let expiring: RemovedItem[] = []
  let clockAhead: ClockAhead | null = null
  let applyOutcome: ApplyOutcome = { kind: 'nothing-to-apply' }
  let undoOutcome: UndoOutcome = { kind: 'undone', files: 2, paths: ['a.txt', 'b.txt', 'c.txt'] }

  function begin(rootId: TaskId): void {
    setImmediate(() => void play(rootId)) // as the app: after the answer
  }

  const retention = createFakeRetention({
    state,
    record,
    calls,
    plan: () => expiring,
    kept: 3,
    clockAhead: () => clockAhead,
  })
  const { find, change } = memory
  const resuming = createFakeResuming({ state, record, find, change, calls })
  const { transcripts, getSubagentTranscript } = createFakeTranscripts({
    find(text, errors) {
      const taskId = find(text, errors)
      return { taskId, ...sessionOf(taskId), damage }
    },
    pageEntriesMax,
  })
  const os = implement(contract)
  const router = os.router({
    app: appAnswers(memory),
    projects: projectAnswers({ memory, happenings, begin }),
    tasks: taskAnswers({
      memory,
      happenings,
      resuming,
      begin,
      applyOutcome: () => applyOutcome,
      undoOutcome: () => undoOutcome,
    }),
    transcripts,
    workspace: { ...workspaceAnswers({ memory, happenings }), getSubagentTranscript },
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
      check: os.doctor.check.handler(({ input }) => {
        calls.push({ name: 'doctor.check', input })
        return examination
      }),
    },
    feed: {
      sessions: os.feed.sessions.handler(async function* () {}),
      ...feeds({ memory, closed: () => closed }),
      resumePlan: os.feed.resumePlan.handler(() => notAsked()),
    },
  })

  const shiplog: Shiplog = {
    dataDir: '/data',
    router: router as unknown as Shiplog['router'],
    client: createRouterClient(router),
    log: { info() {}, warning() {}, error() {} },
    displaced: new Promise(() => {}),
    async setEndpoint(endpoint) {
      endpoints.push(endpoint)
    },
    runningAgents: () =>
      [...state.tasks.values()]
        .filter((task) => isRunning(task.status))
        .map((task) => ({ taskId: task.id, title: task.title })),
    async close(how) {
      closedHow.push(how)
      if (closed) return
      for (const task of state.tasks.values()) {
        if (isRunning(task.status))
          happenings.interrupt(task.id, { kind: 'closed', how: how ?? 'close' })
      }
      closed = true
      memory.notify()
    },
  }

  return {
    broughtSetup(setup: string, copy: string[] = []) {
      memory.brought.setup = setup
      memory.brought.copy = copy
    },
    /** As a process that starts later finds it. */
    open(): Shiplog {
      closed = false
      return shiplog
    },
    shiplog,
    state,
    calls,
    closedHow,
    /** What lease.json was told, in order. */
    endpoints,
    damage,
    append,
    stream,
    sessionOf,
    projectOf,
    ...happenings,
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
    /** The clock is that far past the newest record. */
    leapAhead(ahead: ClockAhead) {
      clockAhead = ahead
    },
    /** What a sweep removes. */
    expire(items: RemovedItem[]) {
      expiring = items
    },
    changesNothing(taskId: TaskId) {
      memory.unchanged.add(taskId)
    },
    keepsArchived(taskId: TaskId) {
      memory.unrestorable.add(taskId)
    },
    answerApply(outcome: ApplyOutcome) {
      applyOutcome = outcome
    },
    answerUndo(outcome: UndoOutcome) {
      undoOutcome = outcome
    },
  }
}

/** The command line waits for the whole plan. */
async function* notAsked(): AsyncGenerator<never> {}
