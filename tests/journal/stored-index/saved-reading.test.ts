/** What the index beside a journal saves, when it is written, and what it costs. */
import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  indexFileOf,
  openJournal,
  readJournal,
  readJournalPage,
  verifyJournal,
} from '../../../src/main/journal/index.ts'
import { readLine } from '../../../src/main/journal/line.ts'
import { spyOnHandles } from '../disk-faults.ts'
import { collect, linesOf, notes, scratchDirectory } from '../scratch.ts'
import { bytesReadDuring } from '../watched-reads.ts'
import { bodyOf, expectTruth, indexedJournal, longJournal, open } from './indexed-journal.ts'

describe('an index', () => {
  it('[J8] opens and reads a page of a long journal without reading the rest', async () => {
    const file = await longJournal()
    const { size } = await stat(file)
    const reading = async () => {
      const journal = await openJournal(file)
      expect((await journal.page({ fromSeq: 1000, limit: 5 })).records).toHaveLength(5)
      await journal.close()
      expect((await readJournalPage(file, { last: 5 })).total).toBe(2000)
    }
    expect(await bytesReadDuring(reading)).toBeLessThan(20_000)
    await rm(indexFileOf(file))
    expect(await bytesReadDuring(reading)).toBeGreaterThan(size)
  })

  it('[J8] lets the scan continue from its end if records follow', async () => {
    const file = await longJournal()
    const index = await readFile(indexFileOf(file))
    const journal = await openJournal(file)
    await journal.append({ type: 'note' })
    await journal.close()
    await writeFile(indexFileOf(file), index)
    const bytes = await bytesReadDuring(async () => {
      const again = await openJournal(file)
      expect(again.lastSeq).toBe(2001)
      await again.append({ type: 'note' })
      await again.close()
    })
    expect(bytes).toBeLessThan(30_000)
    expect(await verifyJournal(file)).toMatchObject({ records: 2002, damage: [] })
  })

  it('is as FORMAT.md describes', async () => {
    const file = await indexedJournal(3)
    const lines = await linesOf(file)
    const { size, mtimeNs, ino } = await stat(file, { bigint: true })
    const bytes = await readFile(indexFileOf(file))
    expect(bytes).toHaveLength(48 + 3 * 10 + 32)
    expect(bytes.subarray(-32)).toEqual(hash('sha256', bytes.subarray(0, -32), 'buffer'))
    const sums = lines.map((line) => readLine(line, 0, line.length - 1)?.sum ?? '')
    expect(await bodyOf(indexFileOf(file))).toEqual({
      magic: 'slogindx',
      version: 2,
      placeBytes: 10,
      count: 3,
      lengths: lines.map((line) => line.length),
      // The first 48 bits of each sum.
      fingerprints: sums.map((sum) => Buffer.from(sum.slice(0, 8), 'base64url').readUIntBE(0, 6)),
      size,
      modifiedNs: mtimeNs,
      inode: ino,
    })
    expect((await stat(indexFileOf(file))).mode & 0o777).toBe(0o600)
  })

  it('[J8] is complete if it is written in several parts', async () => {
    const count = 70_000
    const file = path.join(await scratchDirectory(), 'chat.jsonl')
    const journal = await openJournal(file)
    await journal.write(notes(count))
    await journal.close()
    const bytes = await readFile(indexFileOf(file))
    expect(bytes).toHaveLength(48 + count * 10 + 32)
    expect(bytes.subarray(-32)).toEqual(hash('sha256', bytes.subarray(0, -32), 'buffer'))
    const { size } = await stat(file)
    const reading = async () => {
      const again = await openJournal(file)
      // Around the end of the first 65,536 places, which make the first part.
      const { records } = await again.page({ fromSeq: 65_535, limit: 4 })
      expect(records.map(({ seq, text }) => [seq, text])).toEqual(
        [65_535, 65_536, 65_537, 65_538].map((seq) => [seq, `note ${seq}`]),
      )
      await again.close()
    }
    expect(await bytesReadDuring(reading)).toBeLessThan(size / 2)
  })

  it('is not stored for a short journal', async () => {
    const file = path.join(await scratchDirectory(), 'chat.jsonl')
    const journal = await openJournal(file)
    await journal.appendAll(notes(100))
    await journal.close()
    expect(await readdir(path.dirname(file))).toEqual(['chat.jsonl'])
  })

  it('is written while a journal grows, and serves another process before the journal is closed', async () => {
    const file = path.join(await scratchDirectory(), 'chat.jsonl')
    const journal = await openJournal(file)
    const text = 'x'.repeat(200_000)
    await journal.appendAll(Array.from({ length: 50 }, () => ({ type: 'note', text })))
    await vi.waitFor(() => stat(indexFileOf(file)), { timeout: 60_000 })
    await journal.append({ type: 'note' })
    const bytes = await bytesReadDuring(async () => {
      expect((await readJournalPage(file, { last: 1 })).total).toBe(51)
    })
    expect(bytes).toBeLessThan(6_000_000)
    await journal.close()
  })

  it('is not changed by opening and closing, or by readers', async () => {
    const file = await longJournal()
    const before = await stat(indexFileOf(file), { bigint: true })
    await (await openJournal(file)).close()
    await readJournalPage(file, { limit: 1 })
    expect((await stat(indexFileOf(file), { bigint: true })).ino).toBe(before.ino)
    await rm(indexFileOf(file))
    await readJournalPage(file, { limit: 1 })
    await collect(readJournal(file))
    expect(await readdir(path.dirname(file))).toEqual(['chat.jsonl'])
  })

  it('[J7] fails without effect if the disk refuses it', async () => {
    const file = await indexedJournal(3)
    await rm(indexFileOf(file))
    await mkdir(indexFileOf(file))
    const journal = await open(file)
    await journal.append({ type: 'note' })
    await journal.close()
    expect((await readdir(path.dirname(file))).sort()).toEqual(['chat.index', 'chat.jsonl'])
    await expectTruth(file)
  })

  it('is never synced', async () => {
    const file = await indexedJournal(3)
    const journal = await open(file)
    await journal.append({ type: 'note' })
    const syncs = await Promise.all([spyOnHandles('sync'), spyOnHandles('datasync')])
    onTestFinished(() => void vi.restoreAllMocks())
    await journal.close()
    for (const sync of syncs) expect(sync).not.toHaveBeenCalled()
    expect((await bodyOf(indexFileOf(file))).lengths).toHaveLength(4)
  })

  it('is ignored by a check for damage', async () => {
    const file = await longJournal()
    const { size } = await stat(file)
    expect(await bytesReadDuring(() => verifyJournal(file))).toBeGreaterThan(size)
  })
})

it('opening a small file allocates a small buffer', async () => {
  const file = path.join(await scratchDirectory(), 'chat.jsonl')
  const journal = await openJournal(file)
  await journal.appendAll(notes(3))
  await journal.close()
  const allocated = vi.spyOn(Buffer, 'allocUnsafe')
  onTestFinished(() => void vi.restoreAllMocks())
  await (await openJournal(file)).close()
  await readJournalPage(file, { last: 1 })
  expect(allocated).toHaveBeenCalled()
  for (const [bytes] of allocated.mock.calls) expect(bytes).toBeLessThan(10_000)
})
