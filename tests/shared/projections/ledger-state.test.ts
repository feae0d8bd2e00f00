/** What the ledger's events make of a task, where a wrong answer shows nowhere else. */

import { expect, it } from 'vitest'
import { latestAttemptOf } from '../../../src/shared/projections/ledger/latest-attempt.ts'
import { commonEntry } from '../../../src/shared/projections/ledger/lineage.ts'
import { parallelGroupOf } from '../../../src/shared/projections/transcript/parallel-group.ts'
import { newPromptId, newToolCallId, type TaskId } from '../../../src/shared/records/ids.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'
import type { Usage } from '../../../src/shared/records/usage.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { createWorld, nowMs } from '../../retention/tasks.ts'
import { testLedger } from '../../tasks/agent-history/ledger-of.ts'

const process = { pid: 1, startedAt: '1' }
const spent: Usage = { ...noUsage, inputTokens: 3, outputTokens: 2 }

it('calls the usage of a task complete only when that of every run is', () => {
  const world = createWorld()
  const taskId = world.add({ status: 'spawned' })
  const usage = () => world.state.tasks.get(taskId)?.usage
  const lost = { ...spent, costUsd: 0.5, complete: false }
  world.record(nowMs, {
    type: 'task.interrupted',
    taskId,
    run: 1,
    cause: { kind: 'error', detail: 'lost' },
    usage: lost,
  })
  world.record(nowMs, { type: 'task.resumed', taskId, run: 2, process })
  world.record(nowMs, { type: 'task.completed', taskId, run: 2, usage: spent })
  expect(usage()).toEqual({
    ...noUsage,
    inputTokens: 6,
    outputTokens: 4,
    costUsd: 0.5,
    unpriced: true,
    complete: false,
  })
})

it('[X3] no longer calls a transcript expired once a new run records into it', () => {
  const world = createWorld()
  const taskId = world.add()
  const expired = () => world.state.tasks.get(taskId)?.transcriptExpired
  world.expire(taskId, 1)
  expect(expired()).not.toBeNull()
  world.record(nowMs, { type: 'task.spawned', taskId, run: 2, process, spawnCommit: null })
  expect(expired()).toBeNull()
})

it('counts agents as parallel that were started before another one of the batch had ended', () => {
  const ledger = testLedger()
  const parentId = ledger.ask()
  const begin = (): TaskId => {
    const taskId = ledger.ask({ parentId, rootId: parentId })
    ledger.spawn(taskId)
    return taskId
  }
  const first = begin()
  const second = begin()
  ledger.complete(first)
  const third = begin()
  ledger.complete(second)
  ledger.complete(third)
  const afterwards = begin()
  ledger.complete(afterwards)
  const groupOf = (id: TaskId) => parallelGroupOf(ledger.state, ledger.state.tasks.get(id) as Task)
  expect(groupOf(first)).toMatch(/^batch-\d+$/)
  expect([groupOf(second), groupOf(third)]).toEqual([groupOf(first), groupOf(first)])
  expect(groupOf(afterwards)).toBeNull()
})

it('resolves a dependency on a restarted task to its latest attempt', () => {
  const ledger = testLedger()
  const parentId = ledger.ask()
  const callId = newToolCallId()
  const ask = (id: typeof callId) => ledger.ask({ parentId, rootId: parentId, callId: id })
  const [first, other, second, third] = [
    ask(callId),
    ask(newToolCallId()),
    ask(callId),
    ask(callId),
  ]
  const childrenOf = (id: TaskId) =>
    [...ledger.state.tasks.values()].filter((task) => task.parentId === id)
  const newest = (id: TaskId) => latestAttemptOf(ledger.state.tasks.get(id) as Task, childrenOf).id
  expect([first, second, third].map(newest)).toEqual([third, third, third])
  expect([other, parentId].map(newest)).toEqual([other, parentId])
})

it('gives a follow-up to its run alone, which changes no earlier one', () => {
  const { state, ask, spawn, interrupt, complete, happen, now } = testLedger()
  const taskId = ask()
  const task = () => state.tasks.get(taskId) as Task
  spawn(taskId)
  const startedAt = now()
  interrupt(taskId)
  happen({ type: 'task.conflicts-found', taskId, files: 2 })
  const [first, second] = [newPromptId(), newPromptId()]
  for (const [promptId, prompt] of [
    [first, 'Go on.'],
    [second, 'And the lexer.'],
  ] as const)
    happen({ type: 'task.prompted', taskId, promptId, prompt })
  happen({ type: 'task.spawned', taskId, run: 2, process, spawnCommit: null, promptId: first })
  expect(task().waitingPrompts).toMatchObject([{ id: second }])
  expect(task().waitingPrompts).toHaveLength(1)
  expect(task().runs[1]).toMatchObject({ prompt: 'Go on.' })
  expect(task()).toMatchObject({ startedAt })
  expect(task().conflictsFound).toBeUndefined()
  complete(taskId)
  expect(task().runs).toMatchObject([
    { status: 'interrupted', startedAt, cause: { kind: 'error' } },
    { status: 'completed', cause: null },
  ])
})

it('finds the last entry that two tasks have in common', () => {
  const { state, ask } = testLedger()
  const first = ask()
  const continued = (seq: number) => ask({ resumedFrom: { taskId: first, seq } })
  const [early, late] = [continued(10), continued(30)]
  const between = (one: TaskId, other: TaskId) =>
    commonEntry(state, state.tasks.get(one) as Task, state.tasks.get(other) as Task)
  expect([between(early, late), between(late, early)]).toEqual([
    { taskId: first, seq: 10 },
    { taskId: first, seq: 10 },
  ])
  expect(between(first, late)).toEqual({ taskId: first, seq: 30 })
  expect(between(ask(), late)).toBeNull()
})
