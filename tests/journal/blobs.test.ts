import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type BlobReference,
  openJournal,
  type RecordBody,
  readJournal,
  readJournalPage,
  storeBlobFile,
} from '../../src/main/journal/index.ts'
import { crashState, forgottenAt } from '../crash/fault-fs/crash-state.ts'
import { record } from '../crash/fault-fs/record.ts'
import { diskError, spyOnHandles } from './disk-faults.ts'
import { collect, journalWith, scratchDirectory } from './scratch.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const long = `begins here ${'ñ'.repeat(150_000)} ends here`
const hostile = `\ud800\0${'x'.repeat(270_000)}`
const body: RecordBody = {
  type: 'message',
  parts: [{ text: 'short' }, { text: long }],
  ledger: { '': hostile },
}

async function blobFiles(file: string): Promise<string[]> {
  return (await readdir(path.join(path.dirname(file), 'blobs'))).sort()
}

describe('values over 256 KB', () => {
  it('[J10] are stored as blobs, and returned whole to every reader', async () => {
    const file = await journalWith([body, { type: 'note' }])
    const expected = { ...body, v: 1, seq: 1, at: 1 }
    expect((await stat(file)).size).toBeLessThan(10_000)
    expect(await blobFiles(file)).toHaveLength(2)
    const page = await readJournalPage(file, { limit: 9 })
    expect(page.records[0]).toEqual(expected)
    expect(page.damage).toEqual([])
    expect((await collect(readJournal(file)))[0]).toEqual(expected)
    const journal = await openJournal(file, { clock: () => 1 })
    expect((await journal.page({ last: 2 })).records[0]).toEqual(expected)
    expect(await journal.append(body)).toEqual({ ...expected, seq: 3 })
    expect(await blobFiles(file)).toHaveLength(2)
    await journal.close()
  })

  it('[J10][J6] are durable before their record, even if an earlier process wrote them just before', async () => {
    const dir = await scratchDirectory()
    const file = path.join(dir, 'chat.jsonl')
    const first = await openJournal(file)
    await first.append({ type: 'message', text: hostile })
    await first.close()
    const recording = record(dir)
    // As far as it came before it was killed: the bytes are synced, and the name is not.
    const name = path.join(dir, 'blobs', createHash('sha256').update(long).digest('hex'))
    const handle = await open(`${name}.tmp`, 'wx')
    await handle.writeFile(long)
    await handle.sync()
    await handle.close()
    await rename(`${name}.tmp`, name)
    const journal = await openJournal(file)
    await journal.append({ type: 'message', text: long })
    await journal.close()
    const trace = recording.stop()
    const { tree } = crashState(trace, forgottenAt(trace.steps.length))
    expect(tree.get(path.relative(dir, name))).toMatchObject({
      kind: 'file',
      data: Buffer.from(long),
    })
  })

  it('[J10] have a preview in the record, with a reference to the rest', async () => {
    const file = await journalWith([body])
    const { records } = await readJournalPage(file, { limit: 1, previews: true })
    expect(records[0]).toMatchObject({
      parts: [{ text: 'short' }, { text: long.slice(0, 2000) }],
      blobs: [
        { at: ['parts', 1, 'text'], bytes: Buffer.byteLength(long), encoding: 'utf8' },
        { at: ['ledger', ''], encoding: 'json' },
      ],
    })
    const [reference] = (records[0]?.blobs ?? []) as BlobReference[]
    const stored = path.join(path.dirname(file), 'blobs', reference?.sha256 ?? '')
    expect(await readFile(stored, 'utf8')).toBe(long)
    expect((await stat(stored)).mode & 0o777).toBe(0o600)
  })

  it('are stored in the line up to exactly 256 KB', async () => {
    const file = await journalWith([{ type: 'note', text: 'x'.repeat(256 * 1024) }])
    expect(await readdir(path.dirname(file))).toEqual(['chat.jsonl'])
    const over = await journalWith([{ type: 'note', text: 'x'.repeat(256 * 1024 + 1) }])
    expect(await blobFiles(over)).toHaveLength(1)
  })

  it.each(['missing', 'damaged'])(
    'are told as damage when %s, with the preview kept',
    async (how) => {
      const file = await journalWith([{ type: 'note', text: long }, { type: 'note' }])
      const [name = ''] = await blobFiles(file)
      const stored = path.join(path.dirname(file), 'blobs', name)
      if (how === 'missing') await rm(stored)
      else await writeFile(stored, long.replace('ends', 'ENDS'))
      const page = await readJournalPage(file, { limit: 9 })
      expect(page.records).toHaveLength(2)
      expect(page.records[0]).toMatchObject({
        text: long.slice(0, 2000),
        blobs: [{ sha256: name }],
      })
      expect(page.damage).toMatchObject([
        { line: 1, bytes: Buffer.byteLength(long), reason: expect.stringContaining(name) },
      ])
      expect((await readJournalPage(file, { limit: 9 })).damage).toHaveLength(1)
    },
  )

  it('[J7] fail the append if they cannot be stored, and leave nothing behind', async () => {
    const file = path.join(await scratchDirectory(), 'chat.jsonl')
    const journal = await openJournal(file)
    const write = await spyOnHandles('write')
    write.mockRejectedValueOnce(diskError('ENOSPC'))
    await expect(journal.append({ type: 'note', text: long })).rejects.toMatchObject({
      kind: 'journal-write-failed',
      code: 'ENOSPC',
    })
    expect((await readFile(file)).length).toBe(0)
    expect(await blobFiles(file)).toEqual([])
    expect(await journal.append({ type: 'note', text: long })).toMatchObject({ seq: 1, text: long })
    await journal.close()
  })

  it('are written again over a half-written one', async () => {
    const file = await journalWith([{ type: 'note', text: long }])
    const [name = ''] = await blobFiles(file)
    await writeFile(path.join(path.dirname(file), 'blobs', name), 'begins')
    const journal = await openJournal(file)
    await journal.append({ type: 'note', text: long })
    expect((await journal.page({ limit: 9 })).damage).toEqual([])
    await journal.close()
  })

  it('limit a page: it has fewer records, and nextSeq states where to continue', async () => {
    const bodies = Array.from({ length: 5 }, (_, i) => ({
      type: 'note',
      text: String(i).repeat(5 << 20),
    }))
    const file = await journalWith(bodies)
    const first = await readJournalPage(file, { limit: 5 })
    expect(first.records.map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(first).toMatchObject({ nextSeq: 4, total: 5 })
    expect(await collect(readJournal(file))).toHaveLength(5)
  })
})

describe('a file that becomes a blob', () => {
  const content = 'the whole output'
  const sha256 = createHash('sha256').update(content).digest('hex')

  it.each([
    ['nothing is there', null],
    ['one was left half written', 'the who'],
    ['it is there already', content],
  ])('[J10] is whole in its place and gone from where it was, where %s', async (_, there) => {
    const directory = path.join(await scratchDirectory(), 'blobs')
    const file = path.join(path.dirname(directory), 'output')
    await writeFile(file, content)
    await mkdir(directory)
    if (there !== null) await writeFile(path.join(directory, sha256), there)
    await storeBlobFile(directory, { file, sha256, bytes: Buffer.byteLength(content) })
    expect(await readdir(directory)).toEqual([sha256])
    expect(await readFile(path.join(directory, sha256), 'utf8')).toBe(content)
    expect(await readdir(path.dirname(directory))).toEqual(['blobs'])
  })
})
