import { appendFile, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  indexFileOf,
  openJournal,
  readJournal,
  readJournalPage,
} from '../../src/main/journal/index.ts'
import { collect, journalWith, notes, scratchDirectory, seqsOf } from './scratch.ts'
import { bytesReadDuring } from './watched-reads.ts'

describe('pages', () => {
  it.each([
    [{ limit: 3 }, [1, 2, 3], 4],
    [{ fromSeq: 4, limit: 3 }, [4, 5, 6], 7],
    [{ fromSeq: 9, limit: 3 }, [9, 10], null],
    [{ fromSeq: 11, limit: 3 }, [], null],
    [{ fromSeq: -5, limit: 1 }, [1], 2],
    [{ last: 2 }, [9, 10], null],
    [{ last: 99 }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], null],
    [{ limit: 0 }, [], 1],
    [{ limit: 9, throughSeq: 3 }, [1, 2, 3], null],
    [{ limit: 2, throughSeq: 3 }, [1, 2], 3],
    [{ fromSeq: 4, limit: 2, throughSeq: 3 }, [], null],
    [{ last: 2, throughSeq: 3 }, [2, 3], null],
    [{ last: 2, throughSeq: Number.MAX_SAFE_INTEGER }, [9, 10], null],
  ])('[J8] %j', async (query, seqs, nextSeq) => {
    const file = await journalWith(notes(10))
    const journal = await openJournal(file)
    const page = await journal.page(query)
    await journal.close()
    expect([seqsOf(page.records), page.nextSeq, page.total]).toEqual([seqs, nextSeq, 10])
    expect(await readJournalPage(file, query)).toEqual(page)
  })

  it.each([
    ['nothing of an unreadable line after it', [5], 4, []],
    ['an unreadable line before it', [3], 4, [3]],
    ['its own line', [4], 4, [4]],
    ['a line that is gone before it, and none after it', [-3, 6], 4, [3]],
    ['nothing of lines that are gone after it', [-5], 4, []],
  ])('through a record tell of %s', async (_, lines, throughSeq, told) => {
    const file = await journalWith(notes(8))
    const text = (await readFile(file, 'utf8')).split('\n')
    // A negative one is taken out.
    for (const line of lines.toReversed())
      text.splice(Math.abs(line) - 1, 1, ...(line < 0 ? [] : ['damaged']))
    await writeFile(file, text.join('\n'))
    const { damage } = await readJournalPage(file, { limit: 9, throughSeq })
    expect(damage.map(({ line }) => line)).toEqual(told)
    expect((await readJournalPage(file, { limit: 9 })).damage).toHaveLength(lines.length)
  })

  it('that start at a record report that this record was replaced', async () => {
    const file = await journalWith(notes(8))
    const other = await journalWith([...notes(2), { type: 'note', text: 'another' }])
    const text = (await readFile(file, 'utf8')).split('\n')
    const [, , replaced = ''] = (await readFile(other, 'utf8')).split('\n')
    await writeFile(file, text.with(2, replaced).join('\n'))
    const told = async (throughSeq: number) =>
      (await readJournalPage(file, { limit: 9, throughSeq })).damage.map(({ line }) => line)
    expect(await told(2)).toEqual([])
    expect(await told(3)).toEqual([4])
  })

  it.each([{ limit: -1 }, { limit: 1.5 }, { last: Number.NaN }])('refuse %j', async (query) => {
    const file = await journalWith(notes(1))
    await expect(readJournalPage(file, query)).rejects.toThrow(RangeError)
  })

  it('[J8] read no more than the page, once the journal has been scanned', async () => {
    const file = await journalWith(
      Array.from({ length: 2000 }, () => ({ type: 'note', text: 'x'.repeat(1000) })),
    )
    const { size } = await stat(file)
    const journal = await openJournal(file)
    const queries = [{ fromSeq: 1000, limit: 10 }, { last: 10 }, { limit: 10 }]
    for (const query of queries)
      expect(await bytesReadDuring(() => journal.page(query))).toBeLessThan(15_000)
    await journal.close()
    await rm(indexFileOf(file))
    expect(await bytesReadDuring(() => readJournalPage(file, { last: 10 }))).toBeGreaterThan(size)
    for (const query of queries)
      expect(await bytesReadDuring(() => readJournalPage(file, query))).toBeLessThan(15_000)
  })

  it('[J8] of a file that another process appends to read only what was added', async () => {
    const file = await journalWith(notes(2000))
    const writer = await openJournal(file)
    expect((await readJournalPage(file, { limit: 1 })).total).toBe(2000)
    await writer.append({ type: 'note' })
    const bytes = await bytesReadDuring(async () => {
      expect((await readJournalPage(file, { limit: 1 })).total).toBe(2001)
    })
    expect(bytes).toBeLessThan(2000)
    await writer.close()
  })

  it('notice that another file has taken the place of the one scanned', async () => {
    const file = await journalWith(notes(3))
    const other = await journalWith(notes(5))
    expect((await readJournalPage(file, { limit: 9 })).total).toBe(3)
    await rename(other, file)
    expect((await readJournalPage(file, { limit: 9 })).records).toHaveLength(5)
  })
})

describe('a file that changed under its reader', () => {
  it('is scanned again if it grew but its earlier part changed', async () => {
    const file = await journalWith(notes(3))
    const longer = await readFile(await journalWith(notes(9).map((one) => ({ ...one, more: 1 }))))
    expect((await readJournalPage(file, { limit: 0 })).total).toBe(3)
    await writeFile(file, longer)
    expect(await readJournalPage(file, { limit: 0 })).toMatchObject({ total: 9, damage: [] })
  })

  it('is scanned again if it is another file of the same size and time', async () => {
    const file = await journalWith(notes(3))
    const { size } = await stat(file)
    const other = path.join(path.dirname(file), 'other')
    await writeFile(other, Buffer.alloc(size, 'x'))
    for (const one of [file, other]) await utimes(one, 1, 1)
    expect((await readJournalPage(file, { limit: 0 })).total).toBe(3)
    await rename(other, file)
    expect((await readJournalPage(file, { limit: 0 })).total).toBe(0)
  })
})

describe('reading without writing', () => {
  it('returns all records in order, from a given seq', async () => {
    const file = await journalWith(notes(3000))
    expect(seqsOf(await collect(readJournal(file)))).toEqual(
      Array.from({ length: 3000 }, (_, i) => i + 1),
    )
    expect(seqsOf(await collect(readJournal(file, { fromSeq: 2999 })))).toEqual([2999, 3000])
  })

  it('returns the records that existed at its start, while more are appended', async () => {
    const file = await journalWith(notes(3))
    const journal = await openJournal(file)
    const seqs: number[] = []
    for await (const { seq } of journal.records()) {
      seqs.push(seq)
      await journal.append({ type: 'note' })
    }
    expect(seqs).toEqual([1, 2, 3])
    expect(journal.lastSeq).toBe(6)
    await journal.close()
  })

  it('[J1] ignores a record without its newline', async () => {
    const file = await journalWith(notes(2))
    await appendFile(file, '{"v":1,"seq":3,')
    expect(await collect(readJournal(file))).toHaveLength(2)
    expect((await readJournalPage(file, { limit: 9 })).damage).toEqual([])
  })

  it('says which file is missing', async () => {
    const file = path.join(await scratchDirectory(), 'none.jsonl')
    const failure = { kind: 'journal-read-failed', code: 'ENOENT', path: file }
    await expect(readJournalPage(file, { limit: 1 })).rejects.toMatchObject(failure)
    await expect(collect(readJournal(file))).rejects.toMatchObject(failure)
  })
})
