/** What holds for any input. A seed that breaks one is printed by fast-check and becomes a test of its own. */

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  archiveTranscript,
  readReport,
  reportIndex,
  rollUpArtifacts,
  saveReport,
  transcriptIndex,
} from '../../src/main/artifacts/index.ts'
import { openJournal, readJournal } from '../../src/main/journal/index.ts'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { openSession } from '../../src/main/sessions/session.ts'
import { foldLedgerRecord } from '../../src/shared/projections/ledger/fold-ledger.ts'
import { emptyLedgerState } from '../../src/shared/projections/ledger/ledger-state.ts'
import type { Entry, EntryBody } from '../../src/shared/records/entries.ts'
import { newProjectId, newTaskId, runIdOf, type TaskId } from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import { removalSteps } from '../../src/shared/records/projects/workspaces.ts'
import { noUsage } from '../../src/shared/records/usage.ts'
import { scriptedSpec } from '../fixtures/scripted-spec.ts'
import fc, { anyText } from '../random.ts'
import { seed, soakFactor } from './effort.ts'
import { scratch } from './places.ts'

const settings = (runs: number) => ({ seed, numRuns: Math.ceil(runs * soakFactor) })
const timeout = 30_000 * soakFactor

const id = newTaskId()
const runId = runIdOf(id, 1)
const text = fc.oneof(
  anyText(),
  fc.constantFrom('\u0000', '\ud800', 'a\nb\r\n', '\u2028', '{"v":1,"seq":2,"at":'),
  fc.integer({ min: 250_000, max: 300_000 }).map((length) => 'é'.repeat(length)),
)

const entryBody: fc.Arbitrary<EntryBody> = fc.oneof(
  text.map((title): EntryBody => ({ type: 'title', title })),
  text.map((summary): EntryBody => ({ type: 'summary', text: summary })),
  fc.tuple(fc.jsonValue(), text).map(
    ([input, name]): EntryBody => ({
      type: 'tool-call',
      messageUuid: crypto.randomUUID() as never,
      runId,
      turn: 1,
      callId: 'call' as never,
      name,
      input: JSON.parse(JSON.stringify(input)),
    }),
  ),
  fc.array(text, { maxLength: 4 }).map(
    (parts): EntryBody => ({
      type: 'message',
      role: 'user',
      parts: parts.map((one) => ({ type: 'text', text: one })),
      cwd: '/',
      timestamp: '2026-01-01T00:00:00.000Z',
      gitBranch: null,
      sessionId: id,
      runId,
      turn: null,
      status: 'complete',
    }),
  ),
)

it('[J10] returns any entries unchanged and in order', { timeout }, async () => {
  const place = scratch()
  let n = 0
  await fc.assert(
    fc.asyncProperty(fc.array(entryBody, { maxLength: 8 }), async (bodies) => {
      const dir = join(place, String(n++))
      const session = await openSession(id, dir, () => undefined)
      const told = (await Promise.all(bodies.map((body) => session.append(body)))).flat()
      await session.close()
      const again = await openSession(id, dir, () => undefined)
      const read: Entry[] = []
      for await (const entry of again.entries()) read.push(entry)
      await again.close()
      expect(read).toEqual(told)
      expect(read.map(({ v, seq, at, uuid, parentUuid, ...body }) => body)).toEqual(bodies)
      expect(read.map(({ parentUuid }) => parentUuid)).toEqual([
        ...(read.length > 0 ? [null] : []),
        ...read.slice(0, -1).map(({ uuid }) => uuid),
      ])
      rmSync(dir, { recursive: true })
    }),
    settings(40),
  )
})

/** A few tasks to which anything may happen in any order, possible or not. */
const tasks = [newTaskId(), newTaskId(), newTaskId()]
const projectId = newProjectId()
const usage = { ...noUsage, inputTokens: 1, outputTokens: 2, costUsd: 0.5 }
const ledgerEvent: fc.Arbitrary<LedgerEvent> = fc
  .record({
    taskId: fc.constantFrom(...tasks),
    parentId: fc.constantFrom(null, ...tasks),
    run: fc.integer({ min: 1, max: 3 }),
    step: fc.constantFrom(...removalSteps),
    kind: fc.nat(9),
  })
  .map(({ taskId, parentId, run, step, kind }): LedgerEvent => {
    const process = { pid: 1, startedAt: 'then' }
    const events: LedgerEvent[] = [
      { type: 'project.added', projectId, name: 'p', dir: '/p', git: false },
      {
        type: 'task.created',
        taskId,
        parentId: parentId === taskId ? null : parentId,
        rootId: taskId,
        projectId,
        title: 't',
        agent: 'a',
        spec: scriptedSpec(),
        prompt: 'p',
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
        kind: 'task',
        isolation: 'in-place',
        path: 'worktrees/p/x',
        branch: null,
        baseCommit: null,
        baseBranch: null,
      },
      { type: 'task.spawned', taskId, run, process, spawnCommit: null },
      { type: 'task.reported', taskId, run, title: 'r' },
      { type: 'task.completed', taskId, run, usage },
      { type: 'task.interrupted', taskId, run, cause: { kind: 'error', detail: 'c' }, usage },
      { type: 'task.cancelled', taskId, cause: { kind: 'error', detail: 'r' } },
      { type: 'task.patch-changed', taskId, status: 'ready' },
      { type: 'workspace.removal-advanced', workspaceId: taskId, step, pending: null },
    ]
    return events[kind] ?? (events[0] as LedgerEvent)
  })

it('[T2] folds a prefix and then the rest as it folds the whole, in memory and from disk', {
  timeout,
}, async () => {
  const place = scratch()
  let n = 0
  await fc.assert(
    fc.asyncProperty(fc.array(ledgerEvent, { maxLength: 40 }), fc.nat(40), async (events, cut) => {
      const file = join(place, `${n++}.jsonl`)
      const first = await openLedger(file, place)
      for (const event of events.slice(0, cut)) await first.record(event)
      await first.close()
      const second = await openLedger(file, place)
      for (const event of events.slice(cut)) await second.record(event)
      await second.close()
      const third = await openLedger(file, place)
      await third.close()
      const folded = emptyLedgerState(place)
      for await (const { seq, at, v, ...event } of readJournal(file))
        foldLedgerRecord(folded, { seq, at, event: event as never })
      expect(second.state).toEqual(folded)
      expect(third.state).toEqual(folded)
    }),
    settings(40),
  )
})

it('[R1] [R4] rolls up to the same result, in any order and any number of times', {
  timeout,
}, async () => {
  const place = scratch()
  const [top, left, right] = [newTaskId(), newTaskId(), newTaskId()]
  const leaves = [newTaskId(), newTaskId()]
  let n = 0
  const artifact = fc.record({
    leaf: fc.constantFrom(...leaves),
    holder: fc.constantFrom(left, right),
    run: fc.integer({ min: 1, max: 2 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(artifact, { maxLength: 6 }), async (artifacts) => {
      const results: unknown[] = []
      for (const order of [
        [left, right],
        [right, left],
        [left, left, right, right, left],
      ]) {
        const dir = join(place, String(n++))
        const at = (taskId: TaskId) => join(dir, taskId)
        for (const one of [top, left, right]) mkdirSync(at(one), { recursive: true })
        for (const [i, { leaf, holder, run }] of artifacts.entries()) {
          const ancestorIds = [holder, top]
          // No two are of the same time, so that there is always one that is the newer.
          const nowMs = 1000 + i
          const markdown = `report ${i}`
          await saveReport(at(holder), {
            taskId: leaf,
            run,
            title: 'r',
            markdown,
            ancestorIds,
            nowMs,
          })
        }
        for (const [i, leaf] of leaves.entries()) {
          const session = join(dir, `session-${i}`)
          const journal = await openJournal(join(session, 'chat.jsonl'), { clock: () => 1 })
          await journal.append({ type: 'message', n: i })
          await journal.close()
          const about = { taskId: leaf, ancestorIds: [left, top], title: 't', nowMs: 5 }
          await archiveTranscript(session, at(i === 0 ? left : right), about)
        }
        for (const from of order) await rollUpArtifacts(at(from), at(top))
        results.push({
          reports: [...(await reportIndex(at(top)).read())].sort(),
          transcripts: [...(await transcriptIndex(at(top)).read())].sort(),
          markdown: await Promise.all(
            leaves.flatMap((leaf) => [1, 2].map((run) => readReport(at(top), leaf, run))),
          ),
        })
        rmSync(dir, { recursive: true })
      }
      expect(results[1]).toEqual(results[0])
      expect(results[2]).toEqual(results[0])
    }),
    settings(12),
  )
})
