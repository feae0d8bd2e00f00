import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, openFixture, start, taskOf, until, untilQuiet } from '../harness.ts'
import { kindsOf, makePatient } from './patient.ts'

const poll = { timeout: 60_000 }

it('finds nothing after a nested run, a removal, a restore, and the trash and back', async () => {
  const { fixture, rootId, check } = await makePatient()
  const after: Record<string, unknown> = {}
  const look = async (when: string) => {
    const { ok, problems, notes } = await fixture.shiplog.client.doctor.check({ repair: false })
    after[when] = { ok, problems, notes }
  }
  const first = await check()
  expect(first).toMatchObject({ ok: true, problems: [], notes: [] })
  expect(first.checked).toBeGreaterThan(30)
  const { client } = await fixture.restart()
  await client.workspace.remove({ workspaceId: rootId })
  await look('removed')
  await client.workspace.trash({ workspaceId: rootId })
  await look('trashed')
  await client.workspace.untrash({ workspaceId: rootId })
  await look('out of the trash')
  await client.workspace.restore({ workspaceId: rootId })
  await look('restored')
  await client.tasks.prompt({ taskId: rootId, prompt: 'Again' })
  await until(fixture.shiplog, (tasks) =>
    tasks.some((task) => task.id === rootId && task.runs.length === 2 && task.endedAt !== null),
  )
  await untilQuiet(fixture.shiplog)
  await look('followed up')
  const well = { ok: true, problems: [], notes: [] }
  expect(after).toEqual({
    removed: well,
    trashed: well,
    'out of the trash': well,
    restored: well,
    'followed up': well,
  })
})

it('says nothing of a checkpoint, whatever it holds: it is never believed unproved', async () => {
  const { dataDir, rootId, check } = await makePatient()
  const file = join(dataDir, 'sessions', rootId, 'chat.state.json')
  await writeFile(file, 'no checkpoint', { mode: 0o600 })
  expect(await check()).toMatchObject({ ok: true, problems: [], notes: [] })
})

it('lists what start-up healed as no damage', async () => {
  const { dataDir, check } = await makePatient()
  await writeFile(join(dataDir, 'ledger.jsonl'), '{"v":1,"seq":', { flag: 'a' })
  const found = await check()
  expect(found).toMatchObject({ ok: true, problems: [] })
  expect(found.notes.map((note) => [note.kind, note.detail])).toContainEqual([
    'healed',
    expect.stringContaining('ledger.jsonl ended in 13 bytes without a newline'),
  ])
})

it('notes hidden refs without a task, which may be another data directory’s', async () => {
  const { fixture, check } = await makePatient()
  const stranger = crypto.randomUUID()
  git(fixture.project.dir, 'update-ref', `refs/shiplog/${stranger}`, 'HEAD')
  const found = await check(true)
  expect(found).toMatchObject({
    ok: true,
    notes: [{ kind: 'stray-ref', path: `refs/shiplog/${stranger}` }],
  })
  expect(git(fixture.project.dir, 'for-each-ref', 'refs/shiplog/')).toContain(stranger)
  git(fixture.project.dir, 'update-ref', `refs/shiplog/${crypto.randomUUID()}`, 'HEAD')
  expect((await check(true)).notes).toMatchObject([
    { kind: 'stray-ref', path: 'refs/shiplog/', detail: expect.stringMatching(/^keeps 2 commits/) },
  ])
})

it('reports a project whose folder is missing, with advice for a moved one', async () => {
  const { fixture, rootId, check } = await makePatient()
  const { dir } = fixture.project
  await rename(dir, `${dir}-moved`)
  const advice = expect.stringMatching(/is missing.*projects add/)
  expect((await check()).notes).toEqual([{ kind: 'project-gone', path: dir, detail: advice }])
  const { client } = await fixture.restart()
  await client.projects.add({ dir: `${dir}-moved` })
  expect(await client.doctor.check({ repair: false })).toMatchObject({ ok: true, notes: [] })
  expect((await taskOf(fixture.shiplog, rootId)).projectDir).toBe(`${dir}-moved`)
})

it('does not check a running tree, and repairs nothing meanwhile', async () => {
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const id = await start(
    fixture,
    'version: 1\nname: n\nagents:\n  lead:\n    turns:\n      - call: bash\n        with: { command: "touch begun; sleep 60" }\n',
  )
  await until(fixture.shiplog, (tasks) => tasks[0]?.status === 'spawned')
  const { workspace } = await taskOf(fixture.shiplog, id)
  // Its shell is at work: what it does in the repository before its first call is done.
  await expect.poll(() => existsSync(join(workspace?.path ?? '', 'begun')), poll).toBe(true)
  await rm(join(fixture.project.dir, '.git', 'worktrees'), { recursive: true })
  const found = await client.doctor.check({ repair: false })
  expect(kindsOf(found)).toEqual([])
  expect(found.notes).toMatchObject([{ kind: 'not-judged', path: `sessions/${id}` }])
  await expect(client.doctor.check({ repair: true })).rejects.toMatchObject({
    code: 'REFUSED',
    data: { reason: 'running' },
  })
  await client.tasks.stop({ taskId: id })
  expect(kindsOf(await client.doctor.check({ repair: false }))).toEqual(['worktree-unregistered'])
})
