import { mkdir, rename, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { entriesOf, openFixture, start, taskOf, untilQuiet } from '../harness.ts'
import { itInSoak } from '../soak.ts'

const pair = `
version: 1
name: one
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Worker, prompt: Go }
  worker:
    turns:
      - report: { title: Worked, markdown: Yes. }
`

it('[A5] finds the transcript of a sub-agent that is being removed, which has left its directory already', async () => {
  const fixture = await openFixture()
  await start(fixture, pair)
  await untilQuiet(fixture.shiplog)
  const { id } = await taskOf(fixture.shiplog, 'Worker')
  const entries = await entriesOf(fixture.shiplog, id)
  // As it is between the move of the transcript and the end of its directory.
  await mkdir(join(fixture.dataDir, 'sessions', id, 'subagent-reports'), { recursive: true })
  expect(await entriesOf(fixture.shiplog, id)).toEqual(entries)
  const { transcripts } = await fixture.shiplog.client.workspace.listTranscripts({})
  expect(transcripts.find((one) => one.taskId === id)?.entries).toBe(entries.length)
  const feed = await fixture.shiplog.client.feed.session({ workspaceId: id })
  const events = await Array.fromAsync(feed)
  expect(events[0]).toMatchObject({ type: 'snapshot', seq: entries.length })
  expect(events.at(-1)).toEqual({ type: 'ended' })
})

async function worked() {
  const fixture = await openFixture()
  const rootId = await start(fixture, pair)
  await untilQuiet(fixture.shiplog)
  const { id } = await taskOf(fixture.shiplog, 'Worker')
  return { fixture, client: fixture.shiplog.client, rootId, id }
}

it('[A5] says that a report or transcript lies in the trash, and how to take it back', async () => {
  const { fixture, client, rootId, id } = await worked()
  const entries = await entriesOf(fixture.shiplog, id)
  await client.workspace.remove({ workspaceId: rootId })
  await client.workspace.trash({ workspaceId: rootId })
  const inTrash = {
    code: 'REFUSED',
    message: `"Worker" is in the trash. \`shiplog workspaces restore ${rootId.slice(0, 8)}\` restores it.`,
  }
  await expect(client.tasks.report({ taskId: id })).rejects.toMatchObject(inTrash)
  const show = client.workspace.getSubagentTranscript({ taskId: id })
  await expect(show).rejects.toMatchObject(inTrash)
  await client.workspace.restore({ workspaceId: rootId })
  expect(await entriesOf(fixture.shiplog, id)).toEqual(entries)
  expect(await client.tasks.report({ taskId: id })).toMatchObject({ reportMarkdown: 'Yes.' })
})

itInSoak('[A5] calls a transcript damaged whose file is gone, and not empty', async () => {
  const { fixture, client, rootId, id } = await worked()
  const kept = join(fixture.dataDir, 'sessions', rootId, 'subagent-transcripts', id)
  await rm(join(kept, 'chat.jsonl'))
  expect(await client.workspace.getSubagentTranscript({ taskId: id })).toMatchObject({
    entries: [],
    status: 'missing',
    damage: [{ file: 'chat.jsonl', reason: 'the file is gone' }],
  })
})

it.runIf(process.platform !== 'win32')(
  '[A3] reads nothing through a symbolic link in a session directory',
  async () => {
    const { fixture, client, rootId, id } = await worked()
    const session = join(fixture.dataDir, 'sessions', rootId)
    for (const name of ['subagent-transcripts', 'subagent-reports']) {
      await rename(join(session, name), join(fixture.dir, name))
      await symlink(join(fixture.dir, name), join(session, name))
    }
    for (const ask of [client.workspace.getSubagentTranscript, client.tasks.report])
      await expect(ask({ taskId: id })).rejects.toMatchObject({
        code: 'DAMAGED',
        message: expect.stringContaining('symbolic link'),
      })
  },
)

itInSoak('[A5] says of a task without a report what became of it', async () => {
  const fixture = await openFixture()
  const id = await start(
    fixture,
    'version: 1\nname: n\nagents:\n  lead:\n    turns:\n      - fail: Broken on purpose\n',
  )
  await untilQuiet(fixture.shiplog)
  await expect(fixture.shiplog.client.tasks.report({ taskId: id })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: '"Do it" has no report: it is failed (Broken on purpose).',
  })
})

it('says how much is kept of an archived session, of a sub-agent by what its ancestor keeps of it', async () => {
  const { fixture, client, rootId, id } = await worked()
  const sizes = async () => {
    const { workspaces } = await client.workspace.list({ archived: true })
    return Object.fromEntries(workspaces.map((one) => [one.id, one.bytes]))
  }
  const transcript = join('subagent-transcripts', id, 'chat.jsonl')
  const { size } = await stat(join(fixture.dataDir, 'sessions', rootId, transcript))
  const live = (await sizes())[id] ?? 0
  expect(live).toBeGreaterThan(size)
  await client.workspace.remove({ workspaceId: rootId })
  const archived = await sizes()
  // Its root's directory moved as it is, and holds it.
  expect(archived[id]).toBe(live)
  expect(archived[rootId]).toBeGreaterThan(live)
})
