import { copyFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { keptScans, readJournalPage, scansKeptBytesMax } from '../../src/main/journal/reader.ts'
import { journalWith, notes } from './scratch.ts'

it('[J8] keeps scans of journals by the memory that they take, and the newest in any case', async () => {
  const recordsEach = 60_000
  const file = await journalWith(notes(recordsEach))
  await readJournalPage(file, { last: 1 })
  const { bytes: ofOne } = keptScans()
  expect(ofOne).toBeGreaterThan(recordsEach * 16)
  const fitting = Math.floor(scansKeptBytesMax / ofOne)
  for (let n = 0; n < fitting + 3; n++) {
    const copy = `${file}-${n}`
    await copyFile(file, copy)
    expect((await readJournalPage(copy, { last: 1 })).total).toBe(recordsEach)
    expect(keptScans().bytes).toBeLessThanOrEqual(scansKeptBytesMax)
  }
  expect(keptScans().count).toBe(fitting)
})
