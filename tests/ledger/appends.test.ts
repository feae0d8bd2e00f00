/** What a ledger tells after a disk refused something, and to whom has missed something. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openJournal } from '../../src/main/journal/index.ts'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { newProjectId } from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import { record } from '../crash/fault-fs/record.ts'
import { temporaryDir } from '../harness.ts'

const added = (name: string): LedgerEvent => ({
  type: 'project.added',
  projectId: newProjectId(),
  name,
  dir: `/${name}`,
  git: false,
})

it('[J7][T2] folds and publishes what is recorded after an append that the disk refused', async () => {
  const dir = await temporaryDir()
  let isFull = false
  const recording = record(dir, {
    inject: ({ call }) => (isFull && call === 'write' ? { code: 'ENOSPC' } : null),
  })
  onTestFinished(() => void recording.stop())
  const ledger = await openLedger(join(dir, 'ledger.jsonl'), dir)
  onTestFinished(() => ledger.close())
  const heard: number[] = []
  ledger.subscribe((records) => heard.push(...records.map(({ seq }) => seq)))
  await ledger.record(added('first'))
  isFull = true
  await expect(ledger.record(added('refused'))).rejects.toThrow('ENOSPC')
  isFull = false
  await ledger.record(added('second'))
  await ledger.record(added('third'))
  const names = [...ledger.state.projects.values()].map(({ name }) => name)
  expect(names).toEqual(['first', 'second', 'third'])
  expect(heard).toEqual([1, 2, 3])
})

it('gives what came after a record only where it still has all of it', async () => {
  const dir = await temporaryDir()
  const path = join(dir, 'ledger.jsonl')
  const before = await openLedger(path, dir, { snapshotAfterRecords: 2 })
  for (const name of ['a', 'b', 'c']) await before.record(added(name))
  expect(before.recordsAfter(1)?.map(({ seq }) => seq)).toEqual([2, 3])
  await before.close()
  // From here on only what follows the snapshot was read.
  const ledger = await openLedger(path, dir, { snapshotAfterRecords: 2 })
  onTestFinished(() => ledger.close())
  expect(ledger.snapshotSeq).toBe(2)
  await ledger.record(added('d'))
  expect(ledger.recordsAfter(2)?.map(({ seq }) => seq)).toEqual([3, 4])
  expect(ledger.recordsAfter(4)).toEqual([])
  for (const unknown of [1, 0, 5, Number.NaN]) expect(ledger.recordsAfter(unknown)).toBeNull()
})

it('[J5] makes no snapshot while it holds a record of an unknown type, which a newer version will fold', async () => {
  const dir = await temporaryDir()
  const path = join(dir, 'ledger.jsonl')
  const journal = await openJournal(path)
  await journal.append({ v: 1, type: 'project.painted', colour: 'blue' })
  await journal.close()
  const ledger = await openLedger(path, dir, { snapshotAfterRecords: 1 })
  for (const name of ['a', 'b', 'c']) await ledger.record(added(name))
  expect(ledger.unknownRecords).toBe(1)
  await ledger.close()
  expect(existsSync(join(dir, 'ledger.snapshot.json'))).toBe(false)
})
