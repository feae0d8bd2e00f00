/** The one list of what needs the user. */
import { expect, it } from 'vitest'
import { badgeCountOf } from '../../../../src/main/hosts/desktop/badge.ts'
import { needsYou } from '../../../../src/renderer/store/attention/needs-you.ts'
import type { TaskId } from '../../../../src/shared/records/ids.ts'
import type { Activity } from '../../../../src/shared/records/tasks/activity.ts'
import { noUsage } from '../../../../src/shared/records/usage.ts'
import { createFakeHost } from '../../../fake-host/fake-host.ts'
import { questionWith } from '../../../fixtures/entries/questions.ts'

function stage() {
  const host = createFakeHost()
  const projectId = host.addProject('/home/ada/projects/harbour')
  const activity = new Map<TaskId, Activity>()
  const seen: Record<TaskId, string> = {}
  const questions = [questionWith()]
  questions.length = 0
  const needs = () =>
    needsYou({
      tasks: host.state.tasks,
      activity,
      questions,
      seen: { seen, seenSince: '2000-01-01T00:00:00.000Z' },
    })
  const start = (title: string) => host.start({ projectId, title })
  const kinds = () => needs().map(({ kind, title, text }) => [kind, title, text])
  return { host, activity, seen, questions, needs, start, kinds }
}

it('[Q4] lists waiting agents before ended ones, and each only while it applies', () => {
  const { host, activity, seen, questions, start, kinds } = stage()
  const done = start('Write the docs')
  host.complete(done)
  const failed = start('Repair the fog horn')
  const cause = { kind: 'said', text: 'no fog' } as const
  host.record({ type: 'task.failed', taskId: failed, run: 1, cause, usage: noUsage })
  const limited = start('Light the harbour')
  host.record(
    { type: 'task.budget-set', taskId: limited, budget: { usd: 5 } },
    { type: 'task.budget-reached', taskId: limited, part: 'usd', level: 'near', used: 4.2 },
  )
  expect(kinds()).toEqual([
    ['review', 'Write the docs', 'Completed'],
    ['failed', 'Repair the fog horn', 'no fog'],
  ])
  host.record({
    type: 'task.budget-reached',
    taskId: limited,
    part: 'usd',
    level: 'spent',
    used: 5.1,
  })
  activity.set(limited, { state: 'working', text: 'Running npm test', silentSince: 5 })
  questions.push(questionWith({ text: 'rm -rf build\nsecond line' }))
  const kindsNow = () => kinds().map(([kind, , text]) => [kind, text])
  expect(kindsNow().slice(0, 3).sort()).toEqual([
    ['budget', '$5.10 of $5.00 used'],
    ['permission', 'rm -rf build'],
    ['stuck', 'Running npm test'],
  ])
  questions.push(questionWith({ id: 'own', kind: 'question', text: '**Keep** it?', askedAt: 9e14 }))
  expect(kindsNow()).toContainEqual(['question', 'Keep it?'])
  questions.pop()
  // Asked to wrap up: the limit asks nothing any more.
  activity.set(limited, { state: 'working', text: 'Running npm test', wrapsUp: true })
  expect(kindsNow().map(([kind]) => kind)).toEqual(['permission', 'review', 'failed'])
  // Answered, raised, heard of again, looked at.
  questions.pop()
  host.record({ type: 'task.budget-set', taskId: limited, budget: { usd: 10 } })
  activity.set(limited, { state: 'working', text: 'Running npm test' })
  for (const id of [done, failed]) seen[id] = host.state.tasks.get(id)?.endedAt ?? ''
  expect(kinds()).toEqual([])
})

it('[Q4] names a tree that slept and could not continue, until it runs again', () => {
  const { host, start, kinds } = stage()
  const root = start('Light the harbour')
  const cause = { kind: 'quota', untilMs: 1, detail: '5-hour limit' } as const
  host.record(
    { type: 'task.interrupted', taskId: root, run: 1, cause, usage: noUsage },
    { type: 'task.sleep-started', taskId: root, untilMs: 1, wait: 1, reason: '5-hour limit' },
  )
  expect(kinds()).toEqual([])
  host.record({ type: 'task.sleep-ended', taskId: root, because: 'not-resumed' })
  expect(kinds()).toEqual([['not-resumed', 'Light the harbour', 'Files changed while it slept']])
})

it('states the badge of the desktop app in the title of the page', () => {
  expect(['(3) Fix it · Shiplog', 'Shiplog', 'Is (2) enough'].map(badgeCountOf)).toEqual([3, 0, 0])
})

it('[Q4] each item names the screen that it opens', () => {
  const { host, questions, needs, start } = stage()
  const done = start('Write the docs')
  host.complete(done)
  const limited = start('Light the harbour')
  host.record(
    { type: 'task.budget-set', taskId: limited, budget: { usd: 5 } },
    { type: 'task.budget-reached', taskId: limited, part: 'usd', level: 'spent', used: 5.1 },
  )
  questions.push(questionWith({ id: 'q7' }))
  expect(Object.fromEntries(needs().map(({ kind, at }) => [kind, at]))).toEqual({
    permission: { question: 'q7' },
    budget: 'limit',
    review: 'end',
  })
})

it('[Q4] conflicts found before a resume are listed until the user decides about the agent', () => {
  const { host, start, kinds } = stage()
  const id = start('Light the harbour')
  const found = (files: number) => host.record({ type: 'task.conflicts-found', taskId: id, files })
  // A check that ended after the task was resumed.
  found(2)
  expect(kinds()).toEqual([])
  host.interrupt(id)
  found(2)
  expect(kinds()).toEqual([['drift', 'Light the harbour', '2 files changed since it stopped']])
  found(0)
  expect(kinds()).toEqual([])
  found(1)
  host.record({ type: 'task.resumed', taskId: id, run: 2, process: { pid: 1, startedAt: '1' } })
  host.interrupt(id)
  expect(kinds()).toEqual([])
  found(1)
  host.record({ type: 'task.abandoned', taskId: id, cause: { kind: 'abandoned' } })
  expect(kinds()).toEqual([])
})

it('[Q4] a tree that slept and has conflicts is listed once', () => {
  const { host, start, kinds } = stage()
  const root = start('Light the harbour')
  const cause = { kind: 'quota', untilMs: 1, detail: '5-hour limit' } as const
  host.record(
    { type: 'task.interrupted', taskId: root, run: 1, cause, usage: noUsage },
    { type: 'task.sleep-started', taskId: root, untilMs: 1, wait: 1, reason: '5-hour limit' },
    { type: 'task.conflicts-found', taskId: root, files: 1 },
    { type: 'task.sleep-ended', taskId: root, because: 'not-resumed' },
  )
  expect(kinds().map(([kind]) => kind)).toEqual(['not-resumed'])
})
