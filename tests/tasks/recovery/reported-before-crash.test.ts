import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openJournal } from '../../../src/main/journal/index.ts'
import { entriesOf, openFixture, start, taskOf, until } from '../../harness.ts'

const scenario = `
version: 1
name: reports
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Work, prompt: Go }
  worker:
    turns:
      - report: { title: Worked, markdown: Done. }
`

it('[T4] treats a run with a durable report as completed if the record of its end was lost', async () => {
  const fixture = await openFixture()
  await start(fixture, scenario, { keep: true })
  await untilLeadCompleted(fixture)
  const { id } = await taskOf(fixture.shiplog, 'Work')
  await fixture.shiplog.close()
  await cutAfter(join(fixture.dataDir, 'ledger.jsonl'), (record) => record.type === 'task.reported')
  const shiplog = await fixture.restart()
  expect((await taskOf(shiplog, id)).status).toBe('completed')
  expect((await entriesOf(shiplog, id)).at(-1)).toMatchObject({
    type: 'run-end',
    status: 'completed',
  })
  // Its session says how it ended, though the ledger lost that too.
  expect((await taskOf(shiplog, 'Do it')).status).toBe('completed')
})

async function untilLeadCompleted(fixture: Awaited<ReturnType<typeof openFixture>>): Promise<void> {
  await until(fixture.shiplog, (tasks) =>
    tasks.some((task) => task.title === 'Do it' && task.status === 'completed'),
  )
}

/** A ledger as a crash would leave it that came right after the record that `is` names. */
async function cutAfter(path: string, is: (record: { type: string }) => boolean): Promise<void> {
  const journal = await openJournal(path)
  const kept: { type: string }[] = []
  for await (const record of journal.records()) {
    kept.push(record)
    if (is(record)) break
  }
  await journal.close()
  await rm(path)
  const copy = await openJournal(path)
  for (const { seq: _, salt: __, prev: ___, sum: ____, ...body } of kept as Record<
    string,
    unknown
  >[]) {
    await copy.append(body as { type: string })
  }
  await copy.close()
}

it('[T3] takes the end of a run from its session if the ledger has none', async () => {
  const fixture = await openFixture()
  const root = await start(
    fixture,
    'version: 1\nname: gives up\nagents:\n  lead:\n    turns:\n      - fail: I give up\n',
  )
  await until(fixture.shiplog, (tasks) => tasks.some((task) => task.status === 'failed'))
  const before = await taskOf(fixture.shiplog, root)
  await fixture.shiplog.close()
  await cutAfter(join(fixture.dataDir, 'ledger.jsonl'), (record) => record.type === 'task.spawned')
  const shiplog = await fixture.restart()
  const { status, cause } = await taskOf(shiplog, root)
  expect([status, cause]).toEqual([before.status, before.cause])
})
