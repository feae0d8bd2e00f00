import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, openFixture, start, taskOf, until } from '../../harness.ts'
import { itInSoak } from '../../soak.ts'

it('[R5] removes the worktree although archiving fails, reports that, and archives at the next start', async () => {
  const fixture = await openFixture()
  const root = await start(
    fixture,
    `
version: 1
name: one
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Work, prompt: Go }
  worker:
    turns:
      - call: write_file
        with: { path: a.txt, content: a }
      - report: { title: Worked, markdown: Done. }
`,
    { keep: true },
  )
  await until(fixture.shiplog, (tasks) =>
    tasks.some((task) => task.id === root && task.status === 'completed'),
  )
  const work = await taskOf(fixture.shiplog, 'Work')
  const obstacle = join(fixture.dataDir, 'sessions', root, 'subagent-transcripts')
  await mkdir(join(fixture.dataDir, 'sessions', root), { recursive: true })
  await writeFile(obstacle, 'in the way')
  await fixture.shiplog.client.workspace.remove({ workspaceId: work.id })

  const pending = await taskOf(fixture.shiplog, 'Work')
  expect(pending.archived).toBe(false)
  expect(pending.workspace?.pending?.step).toBe('transcript-moved')
  expect(existsSync(work.workspace?.path ?? '')).toBe(false)
  const { notices } = await fixture.shiplog.client.app.info()
  expect(notices.map((notice) => notice.text).join()).toContain('archive is pending')
  expect((await fixture.shiplog.client.tasks.report({ taskId: work.id })).title).toBe('Worked')

  // What is above it goes on until its session directory is needed.
  const { workspace } = await taskOf(fixture.shiplog, root)
  await fixture.shiplog.client.workspace.remove({ workspaceId: root })
  expect(existsSync(workspace?.path ?? '')).toBe(false)
  const held = await taskOf(fixture.shiplog, root)
  expect([held.archived, held.workspace?.pending?.error]).toEqual([
    false,
    expect.stringContaining('"Work", below it, is not archived yet'),
  ])

  await rm(obstacle)
  const shiplog = await fixture.restart()
  expect((await taskOf(shiplog, root)).archived).toBe(true)
  expect(await taskOf(shiplog, 'Work')).toMatchObject({ archived: true, patch: 'ready' })
  const page = await shiplog.client.workspace.getSubagentTranscript({ taskId: work.id })
  expect(page).toMatchObject({ source: 'archived', status: 'complete' })
  expect((await shiplog.client.tasks.applyPatch({ taskId: work.id })).kind).toBe('applied')
})

itInSoak(
  '[R3] [R5] keeps what somebody put where the worktree was before the archive could be ended',
  async () => {
    const fixture = await openFixture()
    const root = await start(
      fixture,
      `
version: 1
name: one
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo a > a.txt && git add a.txt && git commit -qm A" }
`,
    )
    await until(fixture.shiplog, (tasks) => tasks.some(({ status }) => status === 'completed'))
    const { workspace } = await taskOf(fixture.shiplog, root)
    const { path = '', branch = '' } = workspace ?? {}
    const obstacle = join(fixture.dataDir, 'archive')
    await rm(obstacle, { recursive: true, force: true })
    await writeFile(obstacle, 'in the way')
    await fixture.shiplog.client.workspace.remove({ workspaceId: root })
    expect(existsSync(path)).toBe(false)
    await fixture.shiplog.close()
    await rm(obstacle)

    git(fixture.project.dir, 'worktree', 'add', '-q', path, branch ?? '')
    await writeFile(join(path, 'mine.txt'), 'mine')
    git(path, 'commit', '-q', '--allow-empty', '-m', 'Mine')
    const shiplog = await fixture.restart()
    expect((await taskOf(shiplog, root)).archived).toBe(true)
    const trash = join(fixture.dataDir, 'trash')
    const { leftovers } = await shiplog.client.workspace.leftovers({ workspaceId: root })
    const [kept = ''] = await readdir(trash)
    expect(leftovers).toMatchObject([{ name: kept, files: 1 }])
    expect(await readFile(join(trash, kept, 'mine.txt'), 'utf8')).toBe('mine')
    expect(git(fixture.project.dir, 'log', '-1', '--format=%s', branch ?? '').trim()).toBe('Mine')
  },
)
