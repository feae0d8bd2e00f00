/** What `shiplog prune` asks for and prints. What goes is decided in tests/retention. */
import { expect, it } from 'vitest'
import { dayOf } from '../../../src/shared/text/format-time.ts'
import { runToEnd, startCli } from '../fake-process.ts'
import { createFakeShiplog } from '../fake-shiplog.ts'

/** Three finished tasks, two of which a sweep takes, and something that leaves the trash. */
function fakeWithOldTasks() {
  const fake = createFakeShiplog()
  const projectId = fake.addProject('/code/api')
  const ids = ['Parse', 'Print', 'Keep'].map((title) => {
    const id = fake.createTask({ projectId, title })
    fake.spawn(id)
    fake.complete(id)
    return id
  })
  const transcript = (id: string | undefined, title: string, bytes: number, day: string) => ({
    id: id ?? '',
    kind: 'transcript' as const,
    reason: 'age' as const,
    bytes,
    title,
    lastActiveAt: `2026-${day}T08:00:00.000Z`,
  })
  fake.expire([
    transcript(ids[0], 'Parse', 339_000_000, '08-01'),
    transcript(ids[1], 'Print', 1_000_000, '10-01'),
    {
      id: 'doctor-2026',
      kind: 'trashed-file',
      reason: 'trash',
      bytes: 2000,
      title: 'doctor-2026',
      lastActiveAt: '2026-11-01T08:00:00.000Z',
    },
  ])
  return { fake, ids }
}

it('[X3] --dry-run lists what would be removed, with a sum, and changes nothing', async () => {
  const { fake, ids } = fakeWithOldTasks()
  const { code, stdout, stderr } = await runToEnd(['prune', '--dry-run'], { fake })
  expect(code).toBe(0)
  expect(stdout.split('\n')[1]).toMatch(
    new RegExp(
      `^to the trash +Parse +${ids[0]?.slice(0, 8)} +339 MB +inactive for too long +\\d+d ago$`,
    ),
  )
  expect(stdout).toMatch(/permanently +doctor-2026 +2 kB +expired in the trash/)
  expect(stderr).toMatch(
    /^Would remove 2 transcripts, 340 MB, oldest \d+d ago\. Would delete 1 item in the trash permanently, 2 kB\. 3 transcripts are kept\.\n$/,
  )
  expect(fake.asked('retention.preview')).toHaveLength(1)
  expect(fake.asked('retention.sweep')).toEqual([])
})

it('[X3] sweeps, names the receipt, and is undone by --undo', async () => {
  const { fake, ids } = fakeWithOldTasks()
  const { code, stdout } = await runToEnd(['prune', '--json'], { fake })
  const swept = JSON.parse(stdout)
  expect({ code, dryRun: swept.dryRun, kept: swept.kept }).toEqual({
    code: 0,
    dryRun: false,
    kept: 3,
  })
  expect(swept.removed.map(({ id }: { id: string }) => id)).toEqual([ids[0], ids[1], 'doctor-2026'])
  expect(fake.state.tasks.get(ids[0] as never)?.transcriptExpired?.receiptId).toBe(swept.receipt)
  const undone = await runToEnd(['prune', '--undo', swept.receipt.slice(0, 8)], { fake })
  expect(undone).toEqual({
    code: 0,
    stdout: '',
    stderr: 'Restored 2 transcripts from the trash.\n',
  })
  expect(fake.state.tasks.get(ids[0] as never)?.transcriptExpired).toBeNull()
})

it('prints how to undo it, and reports if there is nothing to remove', async () => {
  const { fake } = fakeWithOldTasks()
  const told = await runToEnd(['prune'], { fake })
  expect(told.stderr).toMatch(
    /Moved to the trash: 2 transcripts, 340 MB.*`shiplog prune --undo [0-9a-f]{8}` puts the transcripts back\./,
  )
  const nothing = await runToEnd(['prune', '--dry-run', '--json'], { fake: createFakeShiplog() })
  expect(JSON.parse(nothing.stdout)).toEqual({
    dryRun: true,
    removed: [],
    kept: 3,
    receipt: null,
    clockAhead: null,
  })
})

it('3 for an unknown receipt, with those that can be undone', async () => {
  const { fake } = fakeWithOldTasks()
  const none = await runToEnd(['prune', '--undo', 'nope'], { fake })
  expect(none).toMatchObject({ code: 3, stdout: '' })
  expect(none.stderr).toMatch(/There is no receipt with the id nope\. .*nothing to restore\.\n$/)
  const swept = JSON.parse((await runToEnd(['prune', '--json'], { fake })).stdout)
  const some = await runToEnd(['prune', '--undo', 'nope'], { fake })
  expect(some.code).toBe(3)
  expect(some.stderr).toContain(
    `  shiplog prune --undo ${swept.receipt.slice(0, 8)}   takes back 2`,
  )
  expect(some.stderr).not.toContain('tasks list')
})

it('refuses --dry-run together with --undo: exit 2', async () => {
  const { code, stderr } = await runToEnd(['prune', '--dry-run', '--undo', 'abcd'])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('cannot be used with'),
  })
})

it('[X2] accepts days for this sweep only, and refuses an invalid number', async () => {
  const fake = createFakeShiplog()
  await runToEnd(['prune', '--transcript-ttl-days', '7'], { fake })
  await runToEnd(['prune', '--transcript-ttl-days', 'never'], { fake })
  await runToEnd(['prune'], { fake })
  expect(fake.asked('retention.sweep')).toEqual([
    { transcriptTtlDays: 7 },
    { transcriptTtlDays: null },
    {},
  ])
  for (const wrong of ['soon', '-1', '1.5', '40000']) {
    const { code, stderr } = await runToEnd(['prune', `--transcript-ttl-days=${wrong}`], { fake })
    expect([code, stderr]).toEqual([2, expect.stringContaining('whole number')])
  }
})

it('[X3] asks on a terminal whether a clock that leapt ahead is right, after showing what would be removed', async () => {
  const { fake } = fakeWithOldTasks()
  fake.leapAhead({ days: 3650, newestAt: '2026-11-20T08:00:00.000Z' })
  const answered = async (answer: string, before = '') => {
    const cli = startCli(['prune'], { fake, stderrTTY: true, stdinText: before })
    await cli.said('and remove all this?')
    cli.type(answer)
    return cli.ended
  }
  const no = await answered('n\n')
  expect(no.code).toBe(5)
  expect(no.stdout).toContain('Parse')
  expect(no.stderr).toContain('Would remove 2 transcripts')
  const day = dayOf('2026-11-20T08:00:00.000Z')
  expect(no.stderr).toContain(`3,650 days past the newest record (${day})`)
  // What was typed before the question is no answer.
  expect((await answered('\n', 'y\ny\n')).code).toBe(5)
  const yes = await answered('y\n')
  expect(yes.code).toBe(0)
  expect(yes.stderr).toContain('Moved to the trash: 2 transcripts')
})

it('[X3] refuses with a clock that leapt ahead if nobody can be asked, unless --yes confirms it', async () => {
  const { fake } = fakeWithOldTasks()
  fake.leapAhead({ days: 30, newestAt: '2026-11-20T08:00:00.000Z' })
  const refused = await runToEnd(['prune', '--json'], { fake, stdinText: 'y\n', stderrTTY: true })
  expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 5, stdout: '' })
  expect(refused.stderr).toContain('nothing was removed. If today’s date is right')
  const dry = await runToEnd(['prune', '--dry-run'], { fake })
  expect(dry.code).toBe(0)
  expect(dry.stderr).toContain('30 days past the newest record')
  const swept = await runToEnd(['prune', '--yes', '--json'], { fake })
  expect(JSON.parse(swept.stdout).removed).toHaveLength(3)
})
