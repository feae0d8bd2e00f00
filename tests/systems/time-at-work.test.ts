/** How long an agent was at work, and where, is right after a crash as well. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { readHeartbeat, startHeartbeat } from '../../src/main/runs/heartbeat.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'
import { entriesOf, openFixture, start, taskOf, temporaryDir, untilQuiet } from '../harness.ts'
import { taskCreated } from '../ledger/histories.ts'

it('[T3] writes heartbeats only while agents run, and leaves nothing behind', async () => {
  const folder = join(await temporaryDir(), 'running')
  let isNeeded = false
  let now = 1_000
  const heartbeat = startHeartbeat(folder, {
    clock: () => now,
    isNeeded: () => isNeeded,
    intervalMs: 1,
  })
  expect(await readHeartbeat(folder)).toBeNull()
  isNeeded = true
  await expect.poll(() => readHeartbeat(folder)).toBe(1_000)
  now = 2_000
  await expect.poll(() => readHeartbeat(folder)).toBe(2_000)
  await heartbeat.stop()
  expect(await readdir(folder)).toEqual([])
})

it('[T3] dates the end of a run that a crash interrupted by the last heartbeat of its process', async () => {
  const started = Date.now() - 60_000
  expect(await endOfLostRun(started, String(started + 40_000))).toBe(started + 40_000)
  // From before the run, from a clock that was wrong, or no time at all.
  for (const beat of [started - 5_000, Date.now() + 3_600_000, 'soon'])
    expect(await endOfLostRun(started, String(beat))).toBeGreaterThan(started + 50_000)
}, 60_000)

/** Milliseconds since the epoch. */
async function endOfLostRun(startedMs: number, beat: string): Promise<number> {
  const fixture = await openFixture()
  await fixture.shiplog.close()
  const layout = layoutOf(fixture.dataDir)
  vi.useFakeTimers({ toFake: ['Date'], now: startedMs })
  const ledger = await openLedger(layout.ledger, fixture.dataDir)
  const taskId = newTaskId()
  await ledger.record(taskCreated(taskId, fixture.project.id, null), {
    type: 'task.spawned',
    taskId,
    run: 1,
    process: { pid: 2 ** 22, startedAt: 'long ago' },
    spawnCommit: null,
  })
  await ledger.close()
  vi.useRealTimers()
  await mkdir(layout.running, { recursive: true })
  await writeFile(join(layout.running, 'heartbeat'), beat)
  const { runs } = await taskOf(await fixture.restart(), taskId)
  return Date.parse(runs[0]?.endedAt ?? '')
}

it('[S4] a message says where the shell stood when it began', async () => {
  const fixture = await openFixture({ files: { 'deep/er/a.txt': 'a\n' } })
  const id = await start(
    fixture,
    `version: 1
name: deeper
agents:
  lead:
    turns:
      - call: bash
        with: { command: cd deep/er }
      - say: Here I am.
`,
  )
  await untilQuiet(fixture.shiplog)
  const { workspace } = await taskOf(fixture.shiplog, id)
  const cwds = (await entriesOf(fixture.shiplog, id)).flatMap((entry) =>
    entry.type === 'message' ? [entry.cwd.slice(workspace?.path.length)] : [],
  )
  expect(cwds).toEqual(['', '', '/deep/er'])
})
