import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { createSessions } from '../../src/main/sessions/sessions.ts'
import { newProjectId, newTaskId } from '../../src/shared/records/ids.ts'
import type { LedgerRecord } from '../../src/shared/records/ledger.ts'
import { temporaryDir } from '../harness.ts'

const added = (name: string) => ({
  type: 'project.added' as const,
  projectId: newProjectId(),
  name,
  dir: `/${name}`,
  git: false,
})

it('[T2] reports a listener that throws, and the event counts as recorded for all others', async () => {
  const dir = await temporaryDir()
  const errors: unknown[] = []
  const ledger = await openLedger(join(dir, 'ledger.jsonl'), dir, {
    onListenerError: (error) => errors.push(error),
  })
  onTestFinished(() => ledger.close())
  const heard: string[] = []
  const hear = (records: LedgerRecord[]) =>
    heard.push(...records.map(({ event }) => (event.type === 'project.added' ? event.name : '')))
  const failure = new Error('a view fell over')
  ledger.subscribe(() => {
    throw failure
  })
  ledger.subscribe(hear)

  await ledger.record(added('first'))
  await Promise.all([ledger.record(added('second')), ledger.record(added('third'))])

  expect(heard).toEqual(['first', 'second', 'third'])
  expect([...ledger.state.projects.values()].map(({ name }) => name)).toEqual(heard)
  expect(errors).toEqual([failure, failure, failure])
})

it('[J6] an entry that a listener could not handle is written and acknowledged', async () => {
  const dir = await temporaryDir()
  const errors: unknown[] = []
  const sessions = createSessions({ onListenerError: (error) => errors.push(error) })
  const id = newTaskId()
  const heard: string[] = []
  sessions.subscribe(id, () => {
    throw new Error('a feed fell over')
  })
  sessions.subscribe(id, (event) => heard.push(event.type))
  const session = await sessions.open(id, join(dir, id))
  onTestFinished(() => sessions.close(id))

  const [first] = await session.append({ type: 'title', title: 'One' })
  const [second] = await session.append({ type: 'title', title: 'Two' })

  expect(second).toMatchObject({ seq: 2, parentUuid: first?.uuid })
  expect(heard).toEqual(['entries', 'entries'])
  expect(errors).toHaveLength(2)
})
