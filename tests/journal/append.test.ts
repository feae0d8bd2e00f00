import { readdir, readFile, stat, truncate } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  JournalClosedError,
  JournalQueueFullError,
  JournalWriteError,
  openJournal,
  type RecordBody,
} from '../../src/main/journal/index.ts'
import fc, { anyCharacter, anyText } from '../random.ts'
import { deferred, diskError, shortenNextWrite, spyOnHandles } from './disk-faults.ts'
import { collect, linesOf, notes, scratchDirectory, seqsOf } from './scratch.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

async function newJournal(options = {}) {
  const file = path.join(await scratchDirectory(), 'deep/er/chat.jsonl')
  return { file, journal: await openJournal(file, options) }
}

describe('records', () => {
  it('[J2] stamps v, seq from 1 without gaps, and at', async () => {
    const { file, journal } = await newJournal({ clock: () => 1_700_000_000_000 })
    await journal.append({ type: 'title', title: 'one' })
    await journal.appendAll(notes(2))
    await journal.close()
    const reopened = await openJournal(file)
    await reopened.append({ type: 'title', title: 'four', v: 3, at: 5 })
    expect((await reopened.page({ limit: 10 })).records).toEqual([
      { v: 1, seq: 1, at: 1_700_000_000_000, type: 'title', title: 'one' },
      { v: 1, seq: 2, at: 1_700_000_000_000, type: 'note', text: 'note 1' },
      { v: 1, seq: 3, at: 1_700_000_000_000, type: 'note', text: 'note 2' },
      { v: 3, seq: 4, at: 5, type: 'title', title: 'four' },
    ])
    expect(reopened.damage).toEqual([])
    await reopened.close()
  })

  it('[J5] keeps a record of unknown type or newer version unchanged', async () => {
    const { journal } = await newJournal()
    const body = { type: 'from-the-future', v: 99, shape: { not: ['known', null] }, at: 1 }
    await journal.append(body)
    expect((await journal.page({ limit: 1 })).records).toEqual([{ seq: 1, ...body }])
    await journal.close()
  })

  it('[J9] keeps the order of appends if the clock goes backwards', async () => {
    let now = 1000
    const { file, journal } = await newJournal({ clock: () => now-- })
    await Promise.all(notes(5).map((body) => journal.append(body)))
    await journal.close()
    const reopened = await openJournal(file)
    const { records } = await reopened.page({ limit: 10 })
    expect(records.map(({ text }) => text)).toEqual(notes(5).map(({ text }) => text))
    expect(records.map(({ at }) => at)).toEqual([1000, 999, 998, 997, 996])
    await reopened.close()
  })

  it('[J10] returns lone surrogates, NUL, separators and long values unchanged', async () => {
    const text = `\ud800 \udc00\0\u2028\u2029\n\r "\\ é 🚢 ${'x'.repeat(300_000)}\udfff`
    const { file, journal } = await newJournal()
    const appended = await journal.append({ type: 'hostile', text, '\ud801': { '': text } })
    await journal.close()
    expect(await linesOf(file)).toHaveLength(1)
    const reopened = await openJournal(file)
    const { records } = await reopened.page({ limit: 1 })
    expect(records).toEqual([appended])
    expect(records[0]?.text).toBe(text)
    await reopened.close()
  })

  it('[J10] returns any JSON unchanged, and append resolves with what will be read', {
    timeout: 120_000,
  }, async () => {
    const reserved = ['v', 'seq', 'at', 'type', 'prev', 'sum', 'toJSON']
    const anyBody = fc
      .dictionary(
        anyText().filter((name) => !reserved.includes(name)),
        fc.jsonValue({ stringUnit: anyCharacter }),
      )
      .map((fields): RecordBody => ({ ...fields, type: 'any' }))
    await fc.assert(
      fc.asyncProperty(fc.array(anyBody, { maxLength: 8 }), async (bodies) => {
        const { file, journal } = await newJournal({ clock: () => 7 })
        const appended = await journal.appendAll(bodies)
        await journal.close()
        const reopened = await openJournal(file)
        const records = await collect(reopened.records())
        await reopened.close()
        expect(records).toEqual(appended)
        const plain = JSON.parse(JSON.stringify(bodies))
        expect(records).toEqual(
          plain.map((body: object, i: number) => ({ ...body, v: 1, seq: i + 1, at: 7 })),
        )
      }),
      { numRuns: 40 },
    )
  })

  it('writes the body as it was at the call, even if it is changed later', async () => {
    const { journal } = await newJournal()
    const body = { type: 'note', text: 'before' }
    const appended = journal.append(body)
    body.text = 'after'
    expect((await appended).text).toBe('before')
    await journal.close()
  })

  it.each([
    [{ type: '' }, /needs a type/],
    [{ type: 'x', seq: 4 }, /"seq"/],
    [{ type: 'x', sum: 'a' }, /"sum"/],
    [{ type: 'x', big: 1n }, /must be JSON/],
    [{ type: 'x', at: Number.NaN }, /milliseconds/],
    [{ type: 'x', v: 0 }, /whole number/],
    [{ type: 'x', toJSON: () => null }, /plain/],
  ])('refuses a body that is no record: %o', async (body, message) => {
    const { journal } = await newJournal()
    await expect(journal.append(body as RecordBody)).rejects.toThrow(message)
    expect(await journal.append({ type: 'next' })).toMatchObject({ seq: 1 })
    await journal.close()
  })
})

describe('durability', () => {
  it('[J6] resolves only after the sync, and memory follows disk', async () => {
    const { journal } = await newJournal()
    const [reached, release] = [deferred(), deferred()]
    const datasync = await spyOnHandles('datasync')
    datasync.mockImplementationOnce(async () => {
      reached.resolve()
      await release.promise
    })
    let settled = false
    const append = journal.append({ type: 'note' }).then(() => {
      settled = true
    })
    await reached.promise
    expect(settled).toBe(false)
    expect(journal.lastSeq).toBe(0)
    expect((await journal.page({ limit: 1 })).records).toEqual([])
    release.resolve()
    await append
    expect(journal.lastSeq).toBe(1)
    await journal.close()
  })

  it('[J6] uses one sync for concurrent appends and for those waiting for a sync', async () => {
    const { journal } = await newJournal()
    const datasync = await spyOnHandles('datasync')
    const [reached, release] = [deferred(), deferred()]
    datasync.mockImplementationOnce(async () => {
      reached.resolve()
      await release.promise
    })
    const first = notes(20).map((body) => journal.append(body))
    await reached.promise
    const second = notes(30).map((body) => journal.append(body))
    release.resolve()
    expect(seqsOf(await Promise.all([...first, ...second]))).toEqual(
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
    expect(datasync).toHaveBeenCalledTimes(2)
    await journal.close()
  })

  it('makes the file 0600 and its folders 0700', async () => {
    const { file, journal } = await newJournal()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700)
    await journal.close()
  })

  it('closes after queued appends, and accepts no more', async () => {
    const { file, journal } = await newJournal()
    const appends = notes(5).map((body) => journal.append(body))
    const closed = journal.close()
    await expect(journal.append({ type: 'late' })).rejects.toThrow(JournalClosedError)
    await closed
    await Promise.all(appends)
    await journal.close()
    await expect(journal.page({ limit: 1 })).rejects.toThrow(JournalClosedError)
    expect(await linesOf(file)).toHaveLength(5)
  })

  it('flush resolves once all queued appends are settled', async () => {
    const { journal } = await newJournal()
    const appends = journal.appendAll(notes(3))
    await journal.flush()
    expect(journal.lastSeq).toBe(3)
    await appends
    await journal.flush()
    await journal.close()
  })
})

describe('bad disks', () => {
  it.each([
    ['ENOSPC', 'write'],
    ['EIO', 'write'],
    ['EIO', 'datasync'],
    ['EDQUOT', 'datasync'],
  ] as const)(
    '[J7] %s in %s fails the append, keeps what was acknowledged, and continues',
    async (code, method) => {
      const { file, journal } = await newJournal()
      await journal.append({ type: 'note', text: 'acknowledged' })
      const before = await readFile(file)
      const spy = await spyOnHandles(method)
      spy.mockRejectedValueOnce(diskError(code))
      const failure = await journal.append({ type: 'note', text: 'lost' }).catch((error) => error)
      expect(failure).toBeInstanceOf(JournalWriteError)
      expect(failure).toMatchObject({ kind: 'journal-write-failed', code, path: file })
      expect(await readFile(file)).toEqual(before)
      expect(await journal.append({ type: 'note', text: 'later' })).toMatchObject({ seq: 2 })
      await journal.close()
      const reopened = await openJournal(file)
      expect((await reopened.page({ limit: 9 })).records.map(({ text }) => text)).toEqual([
        'acknowledged',
        'later',
      ])
      expect([reopened.healed, reopened.damage]).toEqual([[], []])
      await reopened.close()
    },
  )

  it('[J7] truncates a record that a full disk accepted in part', async () => {
    const { file, journal } = await newJournal()
    await journal.append({ type: 'note' })
    const before = await readFile(file)
    const write = await shortenNextWrite(10)
    write.mockRejectedValueOnce(diskError('ENOSPC'))
    await expect(journal.append({ type: 'note' })).rejects.toThrow(/disk is full/)
    expect(await readFile(file)).toEqual(before)
    await journal.close()
  })

  it('continues if the disk accepts a part at a time', async () => {
    const { journal } = await newJournal()
    await shortenNextWrite(10)
    const record = await journal.append({ type: 'note', text: 'whole' })
    expect((await journal.page({ limit: 1 })).records).toEqual([record])
    await journal.close()
  })

  it('[J7] fails the appends queued after a failed write, so that no record follows a lost one', async () => {
    const { journal } = await newJournal()
    const [reached, release] = [deferred(), deferred()]
    const datasync = await spyOnHandles('datasync')
    datasync.mockImplementationOnce(async () => {
      reached.resolve()
      await release.promise
      throw diskError('EIO')
    })
    const first = journal.append({ type: 'call' })
    await reached.promise
    const second = journal.append({ type: 'result' })
    release.resolve()
    const outcomes = await Promise.allSettled([first, second])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await journal.page({ limit: 9 })).total).toBe(0)
    expect(await journal.append({ type: 'call' })).toMatchObject({ seq: 1 })
    await journal.close()
  })

  it('[J7] repairs the file before the next write if it could not at once', async () => {
    const { file, journal } = await newJournal()
    await journal.append({ type: 'note', text: 'acknowledged' })
    const datasync = await spyOnHandles('datasync')
    const cut = await spyOnHandles('truncate')
    datasync.mockRejectedValueOnce(diskError('EIO'))
    cut.mockRejectedValueOnce(diskError('EROFS')).mockRejectedValueOnce(diskError('EROFS'))
    await expect(journal.append({ type: 'note', text: 'lost' })).rejects.toMatchObject({
      code: 'EIO',
    })
    await expect(journal.append({ type: 'note', text: 'lost too' })).rejects.toMatchObject({
      code: 'EROFS',
    })
    expect((await journal.page({ limit: 9 })).records).toHaveLength(1)
    await journal.append({ type: 'note', text: 'later' })
    await journal.close()
    expect(await linesOf(file)).toHaveLength(2)
  })

  it('[J7] does not write into a file that lost acknowledged records', async () => {
    const { file, journal } = await newJournal()
    await journal.append({ type: 'note' })
    const datasync = await spyOnHandles('datasync')
    datasync.mockRejectedValueOnce(diskError('EIO'))
    const cut = await spyOnHandles('truncate')
    cut.mockRejectedValueOnce(diskError('EIO'))
    await expect(journal.append({ type: 'note' })).rejects.toThrow(JournalWriteError)
    await truncate(file, 5)
    await expect(journal.append({ type: 'note' })).rejects.toThrow(JournalWriteError)
    expect((await stat(file)).size).toBe(5)
    await journal.close()
  })

  it('does not write after another writer that the lease did not prevent, but still reads', async () => {
    const { file, journal } = await newJournal()
    await journal.appendAll(notes(2))
    const other = await openJournal(file)
    await other.append({ type: 'title', title: 'theirs' })
    await other.close()
    const before = await readFile(file)
    const refused = journal.append({ type: 'title', title: 'ours' })
    await expect(refused).rejects.toMatchObject({ kind: 'journal-write-failed' })
    await expect(refused).rejects.toThrow('another process has written it')
    await expect(journal.append({ type: 'title', title: 'again' })).rejects.toThrow(
      JournalWriteError,
    )
    expect(seqsOf((await journal.page({ limit: 10 })).records)).toEqual([1, 2])
    await journal.close()
    expect(await readFile(file)).toEqual(before)
    const reopened = await openJournal(file)
    expect([reopened.lastSeq, reopened.damage]).toEqual([3, []])
    await reopened.close()
  })

  it('writes nothing once another process holds the lease', async () => {
    let isDisplaced = false
    const { file, journal } = await newJournal({ isDisplaced: () => isDisplaced })
    await journal.append({ type: 'title', title: 'one' })
    const before = await readFile(file)
    isDisplaced = true
    const refused = journal.append({ type: 'title', title: 'two' })
    await expect(refused).rejects.toMatchObject({ code: 'WRITTEN_BY_OTHERS' })
    await journal.close()
    expect(await readFile(file)).toEqual(before)
  })

  it('[J7] limits the queued bytes, and always accepts one record of any length', async () => {
    const { journal } = await newJournal({ queueBytesMax: 1000 })
    const long = journal.append({ type: 'note', text: 'x'.repeat(5000) })
    await expect(journal.append({ type: 'note' })).rejects.toThrow(JournalQueueFullError)
    await long
    expect(await journal.append({ type: 'note' })).toMatchObject({ seq: 2 })
    await journal.close()
  })

  it('[J7] releases the queued bytes of failed appends, and of those after them', async () => {
    const { journal } = await newJournal({ queueBytesMax: 1000 })
    const write = await spyOnHandles('write')
    const append = () => journal.append({ type: 'note', text: 'x'.repeat(300) })
    // Many times what may wait in all.
    for (let round = 0; round < 8; round++) {
      write.mockRejectedValueOnce(diskError('ENOSPC'))
      const failed = await Promise.allSettled([append(), append()])
      for (const one of failed) {
        expect(one.status).toBe('rejected')
        expect(one.status === 'rejected' && one.reason).toBeInstanceOf(JournalWriteError)
      }
    }
    const written = await Promise.all([append(), append()])
    expect(seqsOf(written)).toEqual([1, 2])
    await journal.close()
  })

  it('[J7] fails 64 MB of appends on a full disk, and accepts the next one once there is space', async () => {
    const { journal } = await newJournal()
    const write = await spyOnHandles('write')
    const real = write.getMockImplementation()
    write.mockRejectedValue(diskError('ENOSPC'))
    // Below the length that goes to a file of its own.
    const text = 'x'.repeat(200_000)
    const failed = await Promise.allSettled(
      Array.from({ length: 400 }, () => journal.append({ type: 'note', text })),
    )
    expect(failed.filter(({ status }) => status === 'rejected')).toHaveLength(400)
    if (real) write.mockImplementation(real)
    else write.mockRestore()
    expect(await journal.append({ type: 'note', text })).toMatchObject({ seq: 1 })
    await journal.close()
  })

  it('names the file that could not be opened, and leaves nothing behind', async () => {
    const directory = await scratchDirectory()
    const failure = await openJournal(directory).catch((error) => error)
    expect(failure).toMatchObject({ kind: 'journal-write-failed', code: 'EISDIR' })
    expect(await readdir(directory)).toEqual([])
  })
})
