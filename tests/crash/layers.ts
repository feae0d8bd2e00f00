/**
 * The layers below the agents, opened as the composition root does it, and a voyage through all of them:
 * nested tasks that write turns and reports at the same time, are removed, rolled up and archived. No
 * agent and no Git: only what is promised of the record.
 */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createDiscardUnfinished } from '../../src/main/agents/tools/files/discard-unfinished.ts'
import { saveReport } from '../../src/main/artifacts/index.ts'
import { createDoctor } from '../../src/main/doctor/doctor.ts'
import { tidiedAtStart } from '../../src/main/doctor/problems.ts'
import { createGit } from '../../src/main/git/index.ts'
import { readJournal } from '../../src/main/journal/index.ts'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { createCustody } from '../../src/main/processes/custody.ts'
import { findSandbox } from '../../src/main/processes/sandbox/index.ts'
import { createRecorder } from '../../src/main/runs/recording/recorder.ts'
import { createMasker } from '../../src/main/secrets/masker.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { createSessions } from '../../src/main/sessions/sessions.ts'
import { recoverLostRuns } from '../../src/main/tasks/recovery/recovery.ts'
import { createAgentSpecs } from '../../src/main/tasks/start/agent-specs.ts'
import { createTurnStore } from '../../src/main/turn-store/turn-store.ts'
import { createWorkspaceService } from '../../src/main/workspaces/workspace-service.ts'
import { scenarioFile } from '../../src/shared/agents/agent-specs.ts'
import { ancestorsOf } from '../../src/shared/projections/ledger/ledger-state.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { newProjectId, newTaskId, runIdOf, type TaskId } from '../../src/shared/records/ids.ts'
import { type LedgerEvent, ledgerEventSchema } from '../../src/shared/records/ledger.ts'
import { noUsage } from '../../src/shared/records/usage.ts'
import { driversWith } from '../fixtures/drivers.ts'
import { scriptedSpec } from '../fixtures/scripted-spec.ts'
import type { Fact, Reopened } from './facts.ts'

export type Layers = Awaited<ReturnType<typeof openLayers>>

/** Opens them and does what a start does about what the last process left. */
export async function openLayers(dataDir: string) {
  const problems: string[] = []
  const layout = layoutOf(dataDir)
  const ledger = await openLedger(layout.ledger, dataDir)
  const sessions = createSessions()
  const common = {
    ledger,
    git: createGit(),
    layout,
    sessions,
    clock: Date.now,
    onProblem: (text: string, error: unknown) => void problems.push(`${text}: ${error}`),
  }
  const workspaces = createWorkspaceService({
    findSandbox: () => findSandbox({ platform: 'aix' }),
    custody: createCustody(layout.running),
    ...common,
    turnStore: createTurnStore(common),
    stopper: { stopForRemoval: async () => undefined },
    onSettled: () => undefined,
    onRolledForward: () => undefined,
    onProjectNotice: () => undefined,
    onWarning: () => undefined,
    secrets: createMasker(),
    hostEnv: {},
    shellGit: {},
  })
  await recoverLostRuns({
    ...common,
    lastBeatMs: null,
    discardUnfinished: createDiscardUnfinished(),
  })
  await workspaces.settle()
  await workspaces.rollForward(new AbortController().signal)
  return { dataDir, ledger, sessions, layout, workspaces, problems }
}

export async function reopenLayers(dataDir: string): Promise<Reopened> {
  const { ledger, sessions, workspaces, layout, problems } = await openLayers(dataDir)
  const doctor = createDoctor({
    ledger,
    sessions,
    workspaces,
    // Nothing of it is in these states.
    turnStore: { open: () => assert.fail(), damagedFiles: () => [] },
    layout,
    git: createGit(),
    clock: Date.now,
    running: () => [],
    healed: () => [],
  })
  return {
    tasks: () => [...ledger.state.tasks.values()],
    events: () => eventsIn(layout.ledger),
    entries: (taskId) =>
      allEntries((fromSeq) => workspaces.records.transcriptPage(taskId, { fromSeq, limit: 100 })),
    async report(taskId, run) {
      const found = await workspaces.records.findReport(taskId, run)
      if (found.kind !== 'found') throw new Error(found.kind)
      return found.report.reportMarkdown
    },
    problems: () => problems,
    // A start through the composition root puts these right; this one has no such step.
    doctor: async () =>
      (await doctor.check({ repair: false })).problems.filter(
        ({ kind }) => !tidiedAtStart.has(kind),
      ),
    close: () => ledger.close(),
  }
}

export async function eventsIn(file: string): Promise<{ seq: number; event: LedgerEvent }[]> {
  const events: { seq: number; event: LedgerEvent }[] = []
  for await (const record of readJournal(file)) {
    const parsed = ledgerEventSchema.safeParse(record)
    if (parsed.success) events.push({ seq: record.seq, event: parsed.data })
  }
  return events
}

/** All entries of a transcript, page by page. */
export async function allEntries(
  page: (fromSeq: number) => Promise<{ entries: Entry[]; nextSeq: number | null }>,
): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let fromSeq: number | null = 1; fromSeq !== null; ) {
    const read: { entries: Entry[]; nextSeq: number | null } = await page(fromSeq)
    entries.push(...read.entries)
    fromSeq = read.nextSeq
  }
  return entries
}

/** Only kept: nobody plays it here. */
const scenario = 'version: 1\n'
const spec = { ...scriptedSpec(), scenario: createHash('sha256').update(scenario).digest('hex') }
const agentSpecs = createAgentSpecs(driversWith(createMasker()))

const usage = { ...noUsage, inputTokens: 1, outputTokens: 1 }

/** The voyage. `ack` is called with each thing at the moment in which somebody may rely on it. */
export async function sail(layers: Layers, ack: (fact: Fact) => void): Promise<void> {
  const { ledger, sessions, layout, workspaces } = layers
  ledger.subscribe((records) => {
    for (const { seq, event } of records) ack({ what: 'event', seq, event })
  })
  const projectId = newProjectId()
  await ledger.record({
    type: 'project.added',
    projectId,
    name: 'p',
    dir: '/nowhere/p',
    git: false,
  })

  async function create(title: string, parentId: TaskId | null): Promise<TaskId> {
    const taskId = newTaskId()
    const rootId = parentId ? (ledger.state.tasks.get(parentId)?.rootId ?? parentId) : taskId
    if (parentId === null)
      await agentSpecs.save(layout.sessionDir(taskId), {
        files: [{ name: scenarioFile(spec), text: scenario }],
      })
    await ledger.record(
      {
        type: 'task.created',
        taskId,
        parentId,
        rootId,
        projectId,
        title,
        agent: 'a',
        spec,
        prompt: 'Do it',
        model: null,
        isolation: 'in-place',
        callId: null,
        resumedFrom: null,
        dependsOn: [],
        options: { agentsAtOnce: 3, keep: false },
        plan: {},
      },
      {
        type: 'workspace.created',
        workspaceId: taskId,
        kind: parentId ? 'task' : 'root',
        isolation: 'in-place',
        path: '/nowhere/p',
        branch: null,
        baseCommit: null,
        baseBranch: null,
      },
    )
    sessions.subscribe(taskId, (event) => {
      if (event.type !== 'entries') return
      for (const entry of event.entries) ack({ what: 'entry', taskId, entry })
    })
    return taskId
  }

  /** A run with two turns, some of it while `meanwhile` goes on, then a report. */
  async function play(
    taskId: TaskId,
    run: number,
    meanwhile: () => Promise<unknown> = async () => undefined,
    output = 'ok',
  ): Promise<void> {
    const process = { pid: 1, startedAt: 'long ago' }
    const session = await sessions.open(taskId, layout.sessionDir(taskId))
    await ledger.record({ type: 'task.spawned', taskId, run, process, spawnCommit: null })
    const runId = runIdOf(taskId, run)
    await session.append({ type: 'run-start', runId, run, reason: 'prompt', agent: 'a' })
    const recorder = createRecorder({
      session,
      sessionId: taskId,
      runId,
      turnsBefore: 2 * (run - 1),
      cwd: () => '/nowhere/p',
      gitBranch: async () => null,
      clock: Date.now,
      mask: createMasker(),
    })
    const begin = () => recorder.event({ type: 'turn-started' })
    const end = () => recorder.event({ type: 'turn-ended', usage })
    await begin()
    await recorder.event({
      type: 'part-delta',
      part: 'text',
      kind: 'text',
      text: 'Some thoughts. ',
    })
    await recorder.call({ name: 'task', input: { n: 1 } }, async () => {
      await meanwhile()
      return { outcome: 'ok', output }
    })
    await end()
    await begin()
    await recorder.call({ name: 'agent_report', input: {} }, async () => {
      const markdown = `Report of ${taskId}, run ${run}`
      await saveReport(layout.sessionDir(ledger.state.tasks.get(taskId)?.parentId ?? taskId), {
        taskId,
        run,
        title: 'Done',
        markdown,
        ancestorIds: ancestorsOf(ledger.state, taskId),
        nowMs: Date.now(),
      })
      await ledger.record({ type: 'task.reported', taskId, run, title: 'Done' })
      ack({ what: 'report', taskId, run, markdown })
      return { outcome: 'ok', output: 'Reported.', endsRun: true }
    })
    await end()
    await session.append({ type: 'run-end', runId, run, status: 'completed', cause: null })
    await sessions.close(taskId)
    await ledger.record({ type: 'task.completed', taskId, run, usage })
  }

  async function remove(taskId: TaskId): Promise<void> {
    await workspaces.remove(taskId)
    ack({ what: 'removed', taskId })
  }

  const root = await create('root', null)
  await play(root, 1, async () => {
    const middle = await create('middle', root)
    const other = await create('other', root)
    await Promise.all([
      play(middle, 1, async () => {
        const leaves = [await create('leaf', middle), await create('second leaf', middle)]
        await Promise.all(
          leaves.map(async (leaf, n) => {
            // The second says more than fits a line.
            await play(leaf, 1, undefined, n === 1 ? 'é'.repeat(140_000) : 'ok')
            await remove(leaf)
          }),
        )
      }),
      play(other, 1),
    ])
    await Promise.all([remove(middle), remove(other)])
  })
  await play(root, 2)
  await remove(root)
}
