/** Trees that wait for a spent quota, on a real ledger with a clock of the test's. */
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type Ledger, openLedger } from '../../../src/main/ledger/ledger.ts'
import { createQuotaSleep, type QuotaSleep } from '../../../src/main/tasks/limits/quota-sleep.ts'
import type { Cause } from '../../../src/shared/records/causes.ts'
import { newProjectId, newTaskId, type TaskId } from '../../../src/shared/records/ids.ts'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { temporaryDir } from '../../harness.ts'
import { taskCreated } from '../../ledger/histories.ts'

const minuteMs = 60_000

/** A root and its sub-agents, all at work, and the process that holds them. */
async function fleet({
  agents = 20,
  quotaWaits = 3,
  queued = 0,
}: {
  agents?: number
  quotaWaits?: number
  /** How many of the agents have not begun. */
  queued?: number
} = {}) {
  const path = join(await temporaryDir(), 'ledger.jsonl')
  let ledger: Ledger = await openLedger(path, '')
  let sleep: QuotaSleep | null = null
  onTestFinished(async () => {
    sleep?.close()
    await ledger.close()
  })
  const project = newProjectId()
  const ids = Array.from({ length: agents }, () => newTaskId())
  const [root] = ids as [TaskId]
  await ledger.record(
    ...ids.map((id) => {
      const created = taskCreated(id, project, id === root ? null : root)
      return { ...created, options: { ...created.options, quotaWaits } }
    }),
  )
  let nowMs = Date.now()
  const resumed: TaskId[][] = []
  const problems: string[] = []
  let obstacle: Error | null = null
  let sleepAtResume: unknown
  const alarms = new Map<() => void, number>()
  const begin = (taskId: TaskId) =>
    ledger.record({
      type: 'task.spawned',
      taskId,
      run: runOf(taskId),
      spawnCommit: null,
      process: { pid: 1, startedAt: '1' },
    })
  const runOf = (taskId: TaskId) => (ledger.state.tasks.get(taskId)?.runs.length ?? 0) + 1
  const interrupt = (taskId: TaskId, cause: Cause) =>
    ledger.record({
      type: 'task.interrupted',
      taskId,
      run: runOf(taskId) - 1,
      cause,
      usage: noUsage,
    })

  function open(): void {
    alarms.clear()
    sleep = createQuotaSleep({
      ledger,
      clock: () => nowMs,
      random: () => 0.5,
      schedule(atMs, run) {
        alarms.set(run, atMs)
        return () => alarms.delete(run)
      },
      async resume(_root, taskIds) {
        if (obstacle) throw obstacle
        sleepAtResume = ledger.state.tasks.get(root)?.sleep
        resumed.push(taskIds)
        for (const id of taskIds) await begin(id)
        return taskIds
      },
      onProblem: (text) => problems.push(text),
    })
    sleep.start()
  }
  open()
  for (const id of ids.slice(0, agents - queued)) await begin(id)
  return {
    root,
    ids,
    resumed,
    interrupt,
    begin,
    problems,
    fail: (error: Error) => {
      obstacle = error
    },
    sleepAtResume: () => sleepAtResume,
    quota: async (taskIds: TaskId[], minutes: number) => {
      const untilMs = nowMs + minutes * minuteMs
      for (const id of taskIds)
        await interrupt(id, { kind: 'quota', untilMs, detail: '5-hour limit' })
    },
    state: (id: TaskId = root) => ledger.state.tasks.get(id),
    sleep: () => sleep as QuotaSleep,
    /** The time passes, and what is due is called, as often as it sets itself again. */
    pass(minutes: number) {
      nowMs += minutes * minuteMs
      for (;;) {
        const due = [...alarms].find(([, atMs]) => atMs <= nowMs)
        if (!due) return
        alarms.delete(due[0])
        due[0]()
      }
    },
    async restart() {
      sleep?.close()
      await ledger.close()
      ledger = await openLedger(path, '')
      open()
    },
  }
}

it('[Q1] twenty agents sleep through two restarts; one wakes first, then each other once', async () => {
  const { root, ids, resumed, quota, state, pass, restart, sleep } = await fleet()
  await quota(ids, 60)
  await expect.poll(() => state()?.sleep?.reason).toBe('5-hour limit')
  expect(state()?.sleep?.wait).toBe(1)
  await restart()
  pass(30)
  expect(resumed).toEqual([])
  // Time that no timer counted: a laptop that slept, or a process that was not there.
  pass(31)
  await expect.poll(() => resumed.length).toBe(1)
  const [probe] = resumed[0] as [TaskId]
  expect(resumed[0]).toHaveLength(1)
  await quota([probe], 45)
  await expect.poll(() => state()?.sleep?.wait).toBe(2)
  expect(resumed).toHaveLength(1)
  await restart()
  pass(50)
  await expect.poll(() => resumed.length).toBe(2)
  expect(resumed[1]).toHaveLength(1)
  sleep().answered((resumed[1] as [TaskId])[0])
  await expect.poll(() => resumed.length).toBe(3)
  expect(new Set([...(resumed[1] ?? []), ...(resumed[2] ?? [])])).toEqual(new Set(ids))
  expect(resumed[2]).toHaveLength(ids.length - 1)
  // It ends after the last of them has begun.
  await expect.poll(() => state()?.sleep).toBe(undefined)
  expect(state(root)?.quotaWaitsUsed).toBe(2)
})

it('[Q1] waits at most as often as is set', async () => {
  const { ids, quota, state, pass, resumed } = await fleet({ agents: 2, quotaWaits: 1 })
  await quota(ids, 10)
  await expect.poll(() => state()?.sleep?.wait).toBe(1)
  pass(12)
  await expect.poll(() => resumed.length).toBe(1)
  await quota(resumed[0] ?? [], 10)
  await expect.poll(() => state()?.sleep).toBe(undefined)
  pass(60)
  expect(resumed).toHaveLength(1)
})

it('[Q1] wakes no tree that the user stopped or that may not wait', async () => {
  const { ids, root, quota, state, pass, resumed, sleep } = await fleet({ agents: 2 })
  await quota(ids, 10)
  await expect.poll(() => state()?.sleep?.wait).toBe(1)
  await sleep().stopped(root)
  pass(20)
  expect(state()?.sleep).toBe(undefined)
  expect(resumed).toEqual([])
  await expect(sleep().wakeNow(root)).rejects.toThrow('is not asleep')
})

it('[Q1] is woken now, or not at all, at the user’s request', async () => {
  const woken = await fleet({ agents: 2 })
  await woken.quota(woken.ids, 600)
  await expect.poll(() => woken.state()?.sleep?.wait).toBe(1)
  await woken.sleep().wakeNow(woken.root)
  expect(woken.resumed).toHaveLength(1)
  const left = await fleet({ agents: 2 })
  await left.quota(left.ids, 10)
  await expect.poll(() => left.state()?.sleep?.wait).toBe(1)
  await left.sleep().cancel(left.root)
  left.pass(60)
  expect(left.resumed).toEqual([])
})

it('[Q1] probes again after a crash in the probe', async () => {
  const { ids, quota, interrupt, state, pass, resumed, restart } = await fleet({ agents: 3 })
  await quota(ids, 10)
  await expect.poll(() => state()?.sleep?.wait).toBe(1)
  pass(12)
  await expect.poll(() => resumed.length).toBe(1)
  const [probe] = resumed[0] as [TaskId]
  await restart()
  await interrupt(probe, { kind: 'crashed' })
  pass(1)
  await expect.poll(() => resumed.length).toBe(2)
  expect(resumed[1]).toHaveLength(1)
})

it('[Q1] stays asleep while a queued agent begins, and counts one wait for it', async () => {
  const { ids, quota, begin, state, sleep, pass, resumed } = await fleet({ agents: 3, queued: 1 })
  const [first, second, queued] = ids as [TaskId, TaskId, TaskId]
  await quota([first], 10)
  await begin(queued)
  await quota([second], 10)
  await begin(first)
  await expect.poll(() => state()?.sleep).toBe(undefined)
  expect(state()?.quotaWaitsUsed).toBe(1)
  await quota([first, queued], 10)
  await expect.poll(() => state()?.sleep?.wait).toBe(2)
  pass(12)
  await expect.poll(() => resumed.length).toBe(1)
  sleep().answered(resumed[0]?.[0] as TaskId)
  await expect.poll(() => resumed.length).toBe(2)
})

it('[Q1] reports that it could not be woken, and sleeps no longer', async () => {
  const { ids, quota, state, pass, fail, problems } = await fleet({ agents: 2 })
  await quota(ids, 10)
  await expect.poll(() => state()?.sleep?.wait).toBe(1)
  fail(new Error('the transcript can not be read'))
  pass(12)
  await expect.poll(() => state()?.sleepEnded?.because).toBe('not-resumed')
  await expect
    .poll(() => problems)
    .toEqual(['A sleeping agent could not be woken: the transcript can not be read'])
  expect(state()?.sleep).toBe(undefined)
})

it('[Q1] stays recorded as asleep until the others are resumed, so that a crash in between loses none', async () => {
  const { ids, quota, state, sleep, pass, resumed, sleepAtResume } = await fleet({ agents: 3 })
  await quota(ids, 10)
  await expect.poll(() => state()?.sleep?.wait).toBe(1)
  pass(12)
  await expect.poll(() => resumed.length).toBe(1)
  sleep().answered(resumed[0]?.[0] as TaskId)
  await expect.poll(() => state()?.sleep).toBe(undefined)
  expect(resumed).toHaveLength(2)
  expect(sleepAtResume()).toMatchObject({ wait: 1 })
})
