/**
 * A working host in memory, for the renderer's tests: the contract's answers from real records and
 * entries, with feeds that behave as the real ones do (a snapshot, then what comes after it).
 */
import { createRouterClient, implement } from '@orpc/server'
import { contract, type ShiplogClient } from '../../src/shared/contract/index.ts'
import type { DriftReport } from '../../src/shared/drift.ts'
import type { TaskId } from '../../src/shared/ids.ts'
import { createFakeResume } from '../fixtures/fake-resume.ts'
import { createFakeTranscripts } from '../fixtures/fake-transcripts.ts'
import { createFakeRetention } from '../fixtures/retention.ts'
import { appAnswers, projectAnswers } from './fake-host/app-and-project-answers.ts'
import { feeds } from './fake-host/feeds.ts'
import { createHappenings } from './fake-host/happenings.ts'
import { createMemory } from './fake-host/memory.ts'
import { taskAnswers } from './fake-host/task-answers.ts'
import { workspaceAnswers } from './fake-host/workspace-answers.ts'

export type FakeHost = ReturnType<typeof createFakeHost>

export function createFakeHost(options: { drift?: Record<TaskId, DriftReport> } = {}) {
  const memory = createMemory()
  const happenings = createHappenings(memory)
  const { ledger, ledgerListeners, sessionListeners, calls, record, append, sessionOf, taskIdOf } =
    memory
  const retention = createFakeRetention({ state: ledger, record })
  const resuming = createFakeResume({ state: ledger, record, drift: options.drift })
  const { transcripts, getSubagentTranscript } = createFakeTranscripts({
    find(text) {
      const taskId = taskIdOf(text)
      return { taskId, ...sessionOf(taskId) }
    },
    onCall: (path, input) => calls.push({ path, input }),
  })
  const os = implement(contract)
  const router = os.router({
    app: appAnswers(),
    projects: projectAnswers({ memory, happenings }),
    tasks: taskAnswers({ memory, happenings, resuming }),
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
      check: os.doctor.check.handler(() => ({ ok: true, checked: 12, problems: [], notes: [] })),
    },
    feed: {
      sessions: os.feed.sessions.handler(async function* () {}),
      ...feeds(memory),
      resumePlan: os.feed.resumePlan.handler(({ input }) => resuming.planned(input.selector)),
    },
  })

  return {
    client: createRouterClient(router) as ShiplogClient,
    router,
    ledger,
    calls,
    record,
    append,
    sessionOf,
    ...happenings,
    /** How many feeds are open: what was opened must be closed. */
    listeners: () => ({
      ledger: ledgerListeners.size,
      sessions: [...sessionListeners.values()].reduce((sum, set) => sum + set.size, 0),
    }),
  }
}
