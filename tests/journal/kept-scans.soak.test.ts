import { copyFile } from 'node:fs/promises'
import { expect, it, vi } from 'vitest'
import { journalWith, notes } from './scratch.ts'

it('[J8] limits cached journal scans by their memory, and always keeps the newest', async () => {
  // A module of its own: other tests of this process read journals, too.
  vi.resetModules()
  const { keptScans, readJournalPage, scansKeptBytesMax } = await import(
    '../../src/main/journal/reader.ts'
  )
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
