/** Reports and transcripts of sub-agents that outlive them, walked step by step on real services. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { newTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import { allTasks, entriesOf, openFixture, start, taskOf, until, untilQuiet } from '../harness.ts'
import { preparedFixture } from '../prepared-fixture.ts'
import { holdFor, spokenIn } from './held-scenarios.ts'

/** Git on a machine that is busy with other tests. */
const timeout = 120_000

/** The lead asks for a mate, who asks for a boy; and once more for what the mate had reported. */
const nested = `
version: 1
name: nested
agents:
  lead:
    turns:
      - call: task
        with: { agent: mate, title: Mate, prompt: Look after the boy }
      - call: task
        with: { agent: boy, title: Cook, prompt: Cook }
      - report: { title: Sent, markdown: Sent. }
      - call: task_await
        with: { tasks: [Mate] }
      - report: { title: Awaited, markdown: "{{last.output}}" }
  mate:
    turns:
      - call: task
        with: { agent: boy, title: Boy, prompt: Look out }
      - say: The boy is back.
      - report: { title: Watch kept, markdown: "The mate's own words." }
  boy:
    turns:
      - say: I look out.
      - call: write_file
        with: { path: "{{taskId}}.txt", content: land }
      - report: { title: Land, markdown: "Land ahead." }
`

const played = preparedFixture(async (fixture) => {
  const root = await start(fixture, nested)
  await untilQuiet(fixture.shiplog)
  const idOf = async (title: string) => (await taskOf(fixture.shiplog, title)).id
  return { root, mate: await idOf('Mate'), boy: await idOf('Boy') }
})

describe('persisted sub-agent artifacts', { timeout }, () => {
  it('[A4][A7] a report is awaited after clean-up and restart, and after the root was removed', async () => {
    const { fixture, root, mate } = await played()
    expect(existsSync(join(fixture.dataDir, 'sessions', mate))).toBe(false)
    const shiplog = await fixture.restart()
    await shiplog.client.tasks.prompt({ taskId: root, prompt: 'What did the mate say?' })
    await until(shiplog, (tasks) =>
      tasks.some(({ id, reportTitle }) => id === root && reportTitle === 'Awaited'),
    )
    const { run, reportMarkdown } = await shiplog.client.tasks.report({ taskId: root })
    expect(run).toBe(2)
    expect(reportMarkdown).toContain("The mate's own words.")
    expect((await shiplog.client.tasks.report({ taskId: root, run: 1 })).title).toBe('Sent')

    await untilQuiet(shiplog)
    await shiplog.client.workspace.remove({ workspaceId: root })
    const again = await fixture.restart()
    expect(await again.client.tasks.report({ taskId: mate })).toMatchObject({
      title: 'Watch kept',
      reportMarkdown: "The mate's own words.",
      ancestorIds: [root],
    })
  })

  it('[A8][R2] a transcript is viewed after clean-up, entry for entry', async () => {
    const fixture = await openFixture()
    const { dir, dataDir } = fixture
    const gate = join(dir, 'go')
    const root = await start(
      fixture,
      `
version: 1
name: watched
agents:
  lead:
    turns:
      - call: task
        with: { agent: scout, title: Scout, prompt: Look }
  scout:
    turns:
      - say: All quiet so far.
      - ${holdFor(gate)}
      - report: { title: Seen, markdown: All quiet. }
`,
    )
    await until(fixture.shiplog, (tasks) =>
      tasks.some(({ title, status }) => title === 'Scout' && status === 'spawned'),
    )
    const { id, workspace } = await taskOf(fixture.shiplog, 'Scout')
    const live = await entriesOf(fixture.shiplog, id)
    await writeFile(gate, '')
    await untilQuiet(fixture.shiplog)
    expect(existsSync(workspace?.path ?? '')).toBe(false)

    for (const shiplog of [fixture.shiplog, await fixture.restart()]) {
      const page = await shiplog.client.workspace.getSubagentTranscript({ taskId: id })
      expect(page).toMatchObject({ source: 'archived', status: 'complete', damage: [] })
      expect(page.entries.slice(0, live.length)).toEqual(live)
      expect(spokenIn(page.entries)).toEqual(['All quiet so far.'])
    }
    const home = join(dataDir, 'sessions', root, 'subagent-transcripts', id)
    expect(existsSync(join(home, 'chat.jsonl'))).toBe(true)
    expect(existsSync(join(home, 'partial.json'))).toBe(false)
  })

  it('[R1] artifacts of nested sub-agents roll up before the session directory between them goes', async () => {
    const { fixture, root, mate, boy } = await played()
    const sessionDir = join(fixture.dataDir, 'sessions', root)
    for (const index of ['subagent-reports', 'subagent-transcripts', 'subagent-patches']) {
      const { artifactsByChildTaskId } = JSON.parse(
        await readFile(join(sessionDir, `${index}.json`), 'utf8'),
      )
      expect(artifactsByChildTaskId[boy], index).toMatchObject({
        childTaskId: boy,
        parentWorkspaceId: mate,
        ancestorWorkspaceIds: [mate, root],
      })
      expect(artifactsByChildTaskId[mate], index).toMatchObject({ ancestorWorkspaceIds: [root] })
    }
    expect(existsSync(join(fixture.dataDir, 'sessions', mate))).toBe(false)
    const entries = await entriesOf(fixture.shiplog, boy)
    await fixture.shiplog.client.workspace.remove({ workspaceId: root })
    expect(existsSync(sessionDir)).toBe(false)
    const shiplog = await fixture.restart()
    expect(await entriesOf(shiplog, boy)).toEqual(entries)
    expect((await shiplog.client.tasks.report({ taskId: boy })).reportMarkdown).toBe('Land ahead.')
    expect((await taskOf(shiplog, boy)).patch).toBe('ready')
  })

  it('[R5] a failing archive does not block the clean-up of what has reported, and is tried again', async () => {
    const fixture = await openFixture()
    const gate = join(fixture.dir, 'go')
    const root = await start(
      fixture,
      `
version: 1
name: blocked
agents:
  lead:
    turns:
      - ${holdFor(gate)}
      - call: task
        with: { agent: scout, title: Scout, prompt: Look }
      - report: { title: Done, markdown: "{{last.output}}" }
  scout:
    turns:
      - report: { title: Seen, markdown: All quiet. }
`,
    )
    const sessionDir = join(fixture.dataDir, 'sessions', root)
    const obstacle = join(sessionDir, 'subagent-transcripts')
    await mkdir(sessionDir, { recursive: true })
    await writeFile(obstacle, 'in the way')
    await writeFile(gate, '')
    await until(
      fixture.shiplog,
      (tasks) =>
        tasks.some(({ id, status }) => id === root && status === 'completed') &&
        tasks.some(({ title, workspace }) => title === 'Scout' && !!workspace?.pending),
    )
    const pending = await taskOf(fixture.shiplog, 'Scout')
    expect(pending).toMatchObject({
      status: 'completed',
      archived: false,
      workspace: { pending: { step: 'transcript-moved' } },
    })
    while (existsSync(pending.workspace?.path ?? '')) await wait(20)
    expect((await fixture.shiplog.client.tasks.report({ taskId: root })).reportMarkdown).toContain(
      'All quiet.',
    )
    expect((await entriesOf(fixture.shiplog, pending.id)).length).toBeGreaterThan(0)

    await rm(obstacle)
    const shiplog = await fixture.restart()
    expect(await taskOf(shiplog, 'Scout')).toMatchObject({
      archived: true,
      workspace: { pending: null },
    })
    expect(
      await shiplog.client.workspace.getSubagentTranscript({ taskId: pending.id }),
    ).toMatchObject({ source: 'archived', status: 'complete' })
  })

  it('[A5] not found, out of scope and damaged are three answers, by the stored ancestry, before and after clean-up', async () => {
    const { fixture, root, mate, boy } = await played()
    const { id: cook } = await taskOf(fixture.shiplog, 'Cook')
    const ask = (taskId: TaskId, requestingWorkspaceId?: TaskId) =>
      fixture.shiplog.client.tasks.report({ taskId, requestingWorkspaceId }).then(
        ({ title }) => title,
        ({ code }) => code,
      )
    const view = (taskId: TaskId, requestingWorkspaceId?: TaskId) =>
      fixture.shiplog.client.workspace
        .getSubagentTranscript({ taskId, requestingWorkspaceId })
        .then(
          ({ status }) => status,
          ({ code }) => code,
        )
    const answers = async () => [
      await ask(boy),
      await ask(boy, root),
      await ask(boy, mate),
      await ask(boy, cook),
      await ask(mate, boy),
      await ask(newTaskId(), mate),
      await view(boy, mate),
      await view(boy, cook),
      await view(newTaskId()),
    ]
    const [scope, unknown] = ['OUT_OF_SCOPE', 'NOT_FOUND']
    const expected = ['Land', 'Land', 'Land', scope, scope, unknown, 'complete', scope, unknown]
    expect(await answers()).toEqual(expected)
    await fixture.shiplog.client.workspace.remove({ workspaceId: root })
    await fixture.restart()
    expect(await answers()).toEqual(expected)

    const archive = join(fixture.dataDir, 'archive', root)
    await writeFile(join(archive, 'subagent-reports', boy, '1', 'report.json'), 'not JSON')
    await rm(join(archive, 'subagent-reports.json'))
    expect(await ask(boy, mate)).toBe('DAMAGED')
    expect(await ask(boy, cook)).toBe('OUT_OF_SCOPE')
    expect((await allTasks(fixture.shiplog)).length).toBe(4)
  })
})
