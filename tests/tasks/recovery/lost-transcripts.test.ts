/** A transcript that is gone is missing: nothing that Shiplog does by itself makes one in its place. */

import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import { causeText } from '../../fixtures/cause-text.ts'
import { entriesOf, openFixture, start, taskOf, until, untilQuiet } from '../../harness.ts'
import { preparedFixture } from '../../prepared-fixture.ts'
import { itInSoak } from '../../soak.ts'

const scenario = `
version: 1
name: family
agents:
  lead:
    turns:
      - call: task
        with: { agent: child, title: Child, prompt: Go }
      - report: { title: Lead, markdown: Done. }
  child:
    turns:
      - say: I look around.
      - report: { title: Child, markdown: Done. }
`

const waiting = `
version: 1
name: waits
agents:
  lead:
    turns:
      - call: task
        with: { agent: child, title: Child, prompt: Go }
  child:
    turns:
      - say: I look around.
      - wait: 10m
`

const interruptedChild = preparedFixture(async (fixture) => {
  const root = await start(fixture, waiting)
  await until(fixture.shiplog, async () => {
    const child = await taskOf(fixture.shiplog, 'Child').catch(() => null)
    return child?.status === 'spawned' && (await entriesOf(fixture.shiplog, child.id)).length > 2
  })
  await fixture.shiplog.close()
  const child = await taskOf(await fixture.restart(), 'Child')
  expect(child.status).toBe('interrupted')
  const chat = join(layoutOf(fixture.dataDir).sessionDir(child.id), 'chat.jsonl')
  return { root, child, chat }
})

const problemsOf = async ({ shiplog }: Awaited<ReturnType<typeof openFixture>>) =>
  (await shiplog.client.doctor.check({ repair: false })).problems

it('[A8] archives an interrupted agent with a deleted transcript as missing, and the doctor reports that', async () => {
  const { fixture, root, child, chat } = await interruptedChild()
  await fixture.shiplog.close()
  await rm(chat)
  await fixture.restart()
  await fixture.shiplog.client.workspace.remove({ workspaceId: root })
  const page = await fixture.shiplog.client.workspace.getSubagentTranscript({ taskId: child.id })
  expect(page).toMatchObject({ status: 'missing', total: 0 })
  const index = join(layoutOf(fixture.dataDir).archiveDir(root), 'subagent-transcripts.json')
  const { artifactsByChildTaskId } = JSON.parse(await readFile(index, 'utf8'))
  expect(artifactsByChildTaskId[child.id]).toMatchObject({ status: 'missing', messageCount: 0 })
  expect(await problemsOf(fixture)).toMatchObject([{ kind: 'transcript-missing' }])
})

it('[A8] a resume starts no new transcript in place of a missing one', async () => {
  const { fixture, child, chat } = await interruptedChild()
  await rm(chat)
  const { client } = fixture.shiplog
  await client.tasks.resume({ selector: { by: 'task', taskId: child.id } }).catch(() => undefined)
  await untilQuiet(fixture.shiplog).catch(() => undefined)
  expect(existsSync(chat)).toBe(false)
  expect((await taskOf(fixture.shiplog, child.id)).status).toBe('interrupted')
})

itInSoak(
  '[A8] does not begin a transcript in place of one that is gone when it is prompted again',
  async () => {
    const fixture = await openFixture()
    const root = await start(fixture, scenario)
    await untilQuiet(fixture.shiplog)
    const chat = join(layoutOf(fixture.dataDir).sessionDir(root), 'chat.jsonl')
    await rm(chat)
    await fixture.shiplog.client.tasks.prompt({ taskId: root, prompt: 'Go on' })
    await until(fixture.shiplog, async () => {
      const { runs, status } = await taskOf(fixture.shiplog, root)
      return runs.length === 2 && status === 'interrupted'
    })
    expect(causeText((await taskOf(fixture.shiplog, root)).cause)).toContain(
      'its transcript is gone',
    )
    expect(existsSync(chat)).toBe(false)
  },
)

/** Cuts the ledger before the first record that `is` is true of. */
async function cutLedger(dataDir: string, is: (record: Record<string, unknown>) => boolean) {
  const path = layoutOf(dataDir).ledger
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  const at = lines.findIndex((line) => is(JSON.parse(line)))
  expect(at).toBeGreaterThan(0)
  await writeFile(path, `${lines.slice(0, at).join('\n')}\n`)
  await rm(join(dataDir, 'ledger.snapshot.json'), { force: true })
}

it.each([
  ["its parent's directory", false],
  ['the archive, with its parent', true],
])(
  '[T3] a start with a ledger that lost its end looks for the transcript in %s',
  async (_, removed) => {
    const fixture = await openFixture()
    const root = await start(fixture, scenario)
    await untilQuiet(fixture.shiplog)
    const child = await taskOf(fixture.shiplog, 'Child')
    const entries = await entriesOf(fixture.shiplog, child.id)
    if (removed) await fixture.shiplog.client.workspace.remove({ workspaceId: root })
    await fixture.shiplog.close()
    await cutLedger(
      fixture.dataDir,
      ({ type, taskId }) => type === 'task.completed' && taskId === child.id,
    )
    const shiplog = await fixture.restart()
    const layout = layoutOf(fixture.dataDir)
    expect(existsSync(join(layout.sessionDir(child.id), 'chat.jsonl'))).toBe(false)
    expect(await entriesOf(shiplog, child.id)).toEqual(entries)
    expect((await taskOf(shiplog, child.id)).status).toBe('completed')
  },
)

itInSoak('[T3] reports that the transcript of a lost run is missing', async () => {
  const fixture = await openFixture()
  const root = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  await fixture.shiplog.close()
  await cutLedger(
    fixture.dataDir,
    ({ type, taskId }) => type === 'task.completed' && taskId === root,
  )
  const chat = join(layoutOf(fixture.dataDir).sessionDir(root), 'chat.jsonl')
  await rm(chat)
  const shiplog = await fixture.restart()
  expect(existsSync(chat)).toBe(false)
  const page = await shiplog.client.workspace.getSubagentTranscript({ taskId: root })
  expect(page.status).toBe('missing')
  const { notices } = await shiplog.client.app.info()
  expect(notices.map(({ text }) => text).join()).toContain('is gone')
})
