/** The index beside a journal: what it saves, and that it can do no harm whatever is in it. */
import { hash } from 'node:crypto'
import {
  appendFile,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type Damage,
  indexFileOf,
  type JournalRecord,
  openJournal,
  readJournal,
  readJournalPage,
  verifyJournal,
} from '../../src/main/journal/index.ts'
import { encodeLine, prepareRecord, readLine } from '../../src/main/journal/line.ts'
import { pinOf, pinsIn, textOfPins } from '../../src/main/journal/pin.ts'
import { createRandom } from '../crash/fault-fs/random.ts'
import { spyOnHandles } from './disk-faults.ts'
import { collect, linesOf, notes, rewrite, scratchDirectory } from './scratch.ts'
import { bytesReadDuring } from './watched-reads.ts'

/** So that a journal of a few lines has an index too. */
const indexed = { indexedFromBytes: 1, clock: () => 1 }
const open = (file: string) => openJournal(file, indexed)

/** A closed journal with its index. */
async function indexedJournal(count: number): Promise<string> {
  const file = path.join(await scratchDirectory(), 'chat.jsonl')
  const journal = await open(file)
  await journal.appendAll(notes(count))
  await journal.close()
  await stat(indexFileOf(file))
  return file
}

/** A closed journal of 2 MB, which has an index without being asked. */
async function longJournal(): Promise<string> {
  const file = path.join(await scratchDirectory(), 'chat.jsonl')
  const journal = await openJournal(file)
  await journal.appendAll(
    Array.from({ length: 2000 }, (_, i) => ({ type: 'note', text: `${i} ${'x'.repeat(1000)}` })),
  )
  await journal.close()
  return file
}

interface Answer {
  records: JournalRecord[]
  damage: Pick<Damage, 'line' | 'bytes' | 'missing'>[]
}

/** What a scan of every byte says. */
async function truth(file: string): Promise<Answer> {
  const records: JournalRecord[] = []
  const { damage } = await verifyJournal(file, (record) => void records.push(record))
  return { records, damage: brief(damage) }
}

const brief = (damage: readonly Damage[]) =>
  damage.map(({ line, bytes, missing }) => ({ line, bytes, missing }))

/** All that the journal says to the one who writes it, in pages of `limit`. */
async function answerOf(file: string, limit: number): Promise<Answer> {
  const journal = await open(file)
  try {
    const records: JournalRecord[] = []
    for (let fromSeq: number | null = 1; fromSeq !== null; ) {
      const page = await journal.page({ fromSeq, limit })
      records.push(...page.records)
      fromSeq = page.nextSeq
    }
    return { records, damage: brief(journal.damage) }
  } finally {
    await journal.close()
  }
}

/** Whatever is beside the journal and happened to it: what is read is what a scan of all of it says. */
async function expectTruth(file: string): Promise<void> {
  const index = await readFile(indexFileOf(file)).catch(() => null)
  const expected = await truth(file)
  expect(await answerOf(file, 3)).toEqual(expected)
  // Closing has put it right; another look at what was there.
  if (index) await writeFile(indexFileOf(file), index).catch(() => {})
  const journal = await open(file)
  expect(await collect(journal.records())).toEqual(expected.records)
  await journal.append({ type: 'afterwards' })
  await journal.close()
  const { records, damage } = await truth(file)
  expect(records).toHaveLength(expected.records.length + 1)
  expect(brief(await damageListOf(file))).toEqual(damage)
}

const damageListOf = async (file: string) => (await verifyJournal(file)).damage

/** The index with its body changed and its sum right. */
async function forge(
  file: string,
  change: (body: Record<string, unknown> & { lengths: number[]; pins: string }) => object,
): Promise<void> {
  const [body = ''] = (await readFile(indexFileOf(file), 'utf8')).split('\n')
  const changed = JSON.stringify(change(JSON.parse(body)))
  await writeFile(indexFileOf(file), `${changed}\n${hash('sha256', changed, 'base64url')}\n`)
}

/** Keeps the file's time as it was, as what happens below the file system does. */
async function behindItsBack(file: string, change: () => Promise<void>): Promise<void> {
  const { atime, mtime } = await stat(file)
  await utimes(file, atime, mtime)
  const before = await stat(file, { bigint: true })
  await forge(file, (body) => ({ ...body, modifiedNs: String(before.mtimeNs) }))
  await change()
  await utimes(file, atime, mtime)
}

describe('an index', () => {
  it('[J8] lets a long journal be opened and read from without reading the rest', async () => {
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

  it('[J8] lets the scan go on from its end where records came after it', async () => {
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

  it('is as FORMAT.md says', async () => {
    const file = await indexedJournal(3)
    const lines = await linesOf(file)
    const { size, mtimeNs, ino } = await stat(file, { bigint: true })
    const text = await readFile(indexFileOf(file), 'utf8')
    const [body = '', sum, end] = text.split('\n')
    expect([sum, end]).toEqual([hash('sha256', body, 'base64url'), ''])
    expect(JSON.parse(body)).toEqual({
      version: 1,
      lengths: lines.map((line) => line.length),
      pins: lines.map((line) => readLine(line, 0, line.length - 1)?.sum.slice(0, 8)).join(''),
      size: String(size),
      modifiedNs: String(mtimeNs),
      inode: String(ino),
    })
    expect((await stat(indexFileOf(file))).mode & 0o777).toBe(0o600)
  })

  it('is not kept of a short journal', async () => {
    const file = path.join(await scratchDirectory(), 'chat.jsonl')
    const journal = await openJournal(file)
    await journal.appendAll(notes(100))
    await journal.close()
    expect(await readdir(path.dirname(file))).toEqual(['chat.jsonl'])
  })

  it('is written while a journal grows, and serves another process before it is closed', async () => {
    const file = path.join(await scratchDirectory(), 'chat.jsonl')
    const journal = await openJournal(file)
    const text = 'x'.repeat(200_000)
    await journal.appendAll(Array.from({ length: 50 }, () => ({ type: 'note', text })))
    await vi.waitFor(() => stat(indexFileOf(file)), { timeout: 20_000 })
    await journal.append({ type: 'note' })
    const bytes = await bytesReadDuring(async () => {
      expect((await readJournalPage(file, { last: 1 })).total).toBe(51)
    })
    expect(bytes).toBeLessThan(6_000_000)
    await journal.close()
  })

  it('is left alone by opening and closing, and by whoever only reads', async () => {
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

  it('[J7] costs nothing where the disk refuses it', async () => {
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
    expect(
      JSON.parse((await readFile(indexFileOf(file), 'utf8')).split('\n')[0] ?? ''),
    ).toMatchObject({ lengths: { length: 4 } })
  })

  it('is verified past by the one who looks for damage', async () => {
    const file = await longJournal()
    const { size } = await stat(file)
    expect(await bytesReadDuring(() => verifyJournal(file))).toBeGreaterThan(size)
  })
})

describe('an index that is not what it should be is ignored', () => {
  const mishaps: Record<string, (file: string, index: string) => Promise<unknown>> = {
    missing: (_, index) => rm(index),
    empty: (_, index) => truncate(index, 0),
    'with more behind it': (_, index) => appendFile(index, 'more'),
    'twice in its file': async (_, index) => appendFile(index, await readFile(index)),
    'not UTF-8': (_, index) => writeFile(index, Buffer.alloc(300, 0xff)),
    'of another version': (file) => forge(file, (body) => ({ ...body, version: 2 })),
    'without a version': (file) => forge(file, ({ version: _, ...body }) => body),
    'a list': (file) => forge(file, () => []),
    null: (file) => forge(file, () => null as unknown as object),
    'far too large': (_, index) => truncate(index, 1 << 20),
    'a directory': async (_, index) => {
      await rm(index)
      await mkdir(index)
    },
    'a link to itself': async (_, index) => {
      await rename(index, `${index}-elsewhere`)
      await symlink(`${index}-elsewhere`, index)
    },
    'of another journal': async (_, index) => {
      await copyFile(indexFileOf(await indexedJournal(12)), index)
    },
    'of another journal, and names this one’s file': async (file, index) => {
      const other = await otherJournal(12)
      const [body = ''] = (await readFile(index, 'utf8')).split('\n')
      const { size, modifiedNs, inode } = JSON.parse(body)
      await copyFile(indexFileOf(other), index)
      await forge(file, (known) => ({ ...known, size, modifiedNs, inode }))
    },
  }

  it.each(Object.entries(mishaps))('[J8] %s', async (_, mishap) => {
    const file = await indexedJournal(12)
    await mishap(file, indexFileOf(file))
    await expectTruth(file)
  })

  it('[J8] cut anywhere', async () => {
    const file = await indexedJournal(12)
    const whole = await readFile(indexFileOf(file))
    const expected = await truth(file)
    for (let bytes = 0; bytes < whole.length; bytes++) {
      await writeFile(indexFileOf(file), whole.subarray(0, bytes))
      expect(await answerOf(file, 100)).toEqual(expected)
    }
  })

  it('[J8] with a sum that is not its own', async () => {
    const file = await longJournal()
    const { size } = await stat(file)
    const text = await readFile(indexFileOf(file), 'utf8')
    await writeFile(indexFileOf(file), text.replace(/.{10}\n$/, 'AAAAAAAAAA\n'))
    const reading = () => readJournalPage(file, { last: 1 })
    expect(await bytesReadDuring(reading)).toBeGreaterThan(size)
  })

  it('[J8] flipped at any byte', async () => {
    const file = await indexedJournal(5)
    const whole = await readFile(indexFileOf(file))
    const expected = await truth(file)
    for (let at = 0; at < whole.length; at++) {
      const flipped = Buffer.from(whole)
      flipped[at] = (flipped[at] ?? 0) ^ 1
      await writeFile(indexFileOf(file), flipped)
      expect(await answerOf(file, 100)).toEqual(expected)
    }
  })
})

/** Same lengths, other words. */
async function otherJournal(count: number): Promise<string> {
  const file = path.join(await scratchDirectory(), 'chat.jsonl')
  const journal = await open(file)
  await journal.appendAll(
    notes(count).map((one) => ({ ...one, text: String(one.text).toUpperCase() })),
  )
  await journal.close()
  return file
}

describe('an index that lies, with a right sum, changes nothing that is read', () => {
  const swap = <T>(list: T[], a: number, b: number): T[] =>
    list.with(a, list[b] as T).with(b, list[a] as T)
  const lies: Record<string, Parameters<typeof forge>[1]> = {
    'of two lines’ lengths': (body) => ({ ...body, lengths: swap(body.lengths, 3, 11) }),
    'of a line that is two': ({ lengths, pins, ...body }) => ({
      ...body,
      lengths: [...lengths.slice(0, 4), (lengths[4] ?? 0) + (lengths[5] ?? 0), ...lengths.slice(6)],
      pins: pins.slice(0, 40) + pins.slice(48),
    }),
    'of the last line': ({ lengths, pins, ...body }) => ({
      ...body,
      lengths: lengths.slice(0, -1),
      pins: pins.slice(0, -8),
    }),
    'of a line too many': ({ lengths, pins, ...body }) => ({
      ...body,
      lengths: [...lengths, 100],
      pins: `${pins}AAAAAAAA`,
    }),
    'of pins': (body) => ({ ...body, pins: body.pins.replaceAll(/^.{24}/g, 'A'.repeat(24)) }),
    'of pins that are none': (body) => ({ ...body, pins: body.pins.replaceAll(/./g, '!') }),
    'of negative lengths': (body) => ({
      ...body,
      lengths: [-5, (body.lengths[0] ?? 0) + (body.lengths[1] ?? 0) + 5, ...body.lengths.slice(2)],
    }),
    'of lengths that are no numbers': (body) => ({ ...body, lengths: body.lengths.map(String) }),
    'of nothing': (body) => ({ ...body, lengths: [], pins: '' }),
    'of its file': (body) => ({ ...body, inode: '1' }),
    'of everything at once': (body) => ({
      ...body,
      lengths: body.lengths.toReversed(),
      pins: 'A'.repeat(body.pins.length),
    }),
  }

  it.each(Object.entries(lies))('[J8] %s', async (_, lie) => {
    const file = await indexedJournal(12)
    await forge(file, lie)
    await expectTruth(file)
  })

  it('[J8] and those who only read are told the truth as well', async () => {
    const file = await longJournal()
    const expected = await truth(file)
    await forge(file, (body) => ({ ...body, lengths: swap(body.lengths, 3, 1234) }))
    expect((await readJournalPage(file, { fromSeq: 1, limit: 3 })).records).toEqual(
      expected.records.slice(0, 3),
    )
    const other = await longJournal()
    await forge(other, (body) => ({ ...body, lengths: swap(body.lengths, 3, 1234) }))
    expect(await collect(readJournal(other))).toEqual(
      await truth(other).then(({ records }) => records),
    )
    expect((await readJournalPage(other, { limit: 0 })).damage).toEqual([])
  })

  it('[J7] and appends that come meanwhile are kept', async () => {
    const file = await indexedJournal(50)
    await forge(file, (body) => ({ ...body, lengths: swap(body.lengths, 3, 30) }))
    const journal = await open(file)
    const work = await Promise.all([
      journal.page({ fromSeq: 1, limit: 60 }),
      journal.append({ type: 'note' }),
      journal.page({ fromSeq: 1, limit: 60 }),
      journal.appendAll(notes(3)),
      collect(journal.records()),
    ])
    expect(work[0].damage).toEqual([])
    expect(work[0].records.slice(0, 50).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
    expect(journal.damage).toEqual([])
    expect((await journal.page({ last: 99 })).records).toHaveLength(54)
    await journal.close()
    expect(await verifyJournal(file)).toMatchObject({ records: 54, damage: [] })
  })
})

/** Line `ordinal` with other words of the same length, its checksum right, and the next line none the wiser. */
function rewritten(lines: Buffer[], ordinal: number): Buffer[] {
  const link = readLine(
    lines[ordinal - 1] ?? Buffer.alloc(0),
    0,
    (lines[ordinal - 1]?.length ?? 1) - 1,
  )
  const prepared = prepareRecord({ type: 'note', text: `NOTE ${ordinal + 1}` }, 1)
  const { bytes } = encodeLine(prepared, ordinal + 1, link?.sum.slice(0, 22) ?? '')
  expect(bytes.length).toBe(lines[ordinal]?.length)
  return lines.with(ordinal, bytes)
}

describe('a journal that changed behind its index', () => {
  const changes: Record<string, (lines: Buffer[]) => (Buffer | string)[]> = {
    'a line rewritten, checksum and all': (lines) => rewritten(lines, 4),
    'a line gone': (lines) => lines.toSpliced(4, 1),
    'a line twice': (lines) => lines.toSpliced(4, 0, lines[4] as Buffer),
    'two lines swapped': (lines) => lines.with(4, lines[5] as Buffer).with(5, lines[4] as Buffer),
    'a newline gone, another byte in its place': (lines) =>
      lines.with(4, Buffer.concat([(lines[4] as Buffer).subarray(0, -1), Buffer.from(' ')])),
    'a line zeroed': (lines) => lines.with(4, Buffer.alloc(lines[4]?.length ?? 0)),
    'the first line zeroed': (lines) => lines.with(0, Buffer.alloc(lines[0]?.length ?? 0)),
    'cut back to fewer lines': (lines) => lines.slice(0, 6),
    'cut back to a torn line': (lines) => [...lines.slice(0, 6), '{"v":1'],
    'nothing left': () => [],
    'a torn line behind it': (lines) => [...lines, '{"v":1,"seq":13'],
    'a bad line behind it': (lines) => [...lines, 'what is this?\n'],
  }

  it.each(Object.entries(changes))('[J3] [J4] %s: told at opening', async (_, change) => {
    const file = await indexedJournal(12)
    const index = await readFile(indexFileOf(file))
    await rewrite(file, change(await linesOf(file)))
    const expected = await damageListOf(file)
    const journal = await open(file)
    expect(brief(journal.damage)).toEqual(brief(expected))
    await journal.close()
    // Closing has written another: it must not keep silent about what was found.
    const again = await open(file)
    expect(brief(again.damage)).toEqual(brief(await damageListOf(file)))
    await again.close()
    await writeFile(indexFileOf(file), index)
    await expectTruth(file)
  })

  it.each(Object.entries(changes))(
    '[J3] [J8] %s, and the file’s time kept: told at the latest when it is read',
    async (_, change) => {
      const file = await indexedJournal(12)
      await behindItsBack(file, async () => rewrite(file, change(await linesOf(file))))
      await expectTruth(file)
    },
  )

  it('[J3] keeps a line that was rewritten from a page that shows only it', async () => {
    const file = await indexedJournal(12)
    await behindItsBack(file, async () => rewrite(file, rewritten(await linesOf(file), 4)))
    const journal = await open(file)
    expect((await journal.page({ fromSeq: 5, limit: 1 })).damage).toMatchObject([
      { reason: expect.stringContaining('the line before was replaced') },
    ])
    await journal.close()
  })

  it('[J4] has grown since, and a stretch of it is gone', async () => {
    const file = await longJournal()
    const index = await readFile(indexFileOf(file))
    const journal = await openJournal(file)
    await journal.append({ type: 'note' })
    await journal.close()
    await writeFile(indexFileOf(file), index)
    const bytes = await readFile(file)
    await writeFile(file, bytes.fill(0, 600_000, 1_200_000))
    const page = await readJournalPage(file, { limit: 0 })
    expect(brief(page.damage)).toEqual(brief(await damageListOf(file)))
    expect(page.damage).not.toEqual([])
  })

  it('[J4] is damaged before it is written on: each start tells it, and the lines before are indexed', async () => {
    const file = await indexedJournal(12)
    const lines = await linesOf(file)
    await rewrite(file, lines.with(6, Buffer.from('damaged\n')))
    for (let start = 1; start <= 3; start++) {
      const journal = await open(file)
      expect(journal.damage).toMatchObject([{ line: 7, missing: { fromSeq: 7, toSeq: 7 } }])
      await journal.append({ type: 'note' })
      await journal.close()
    }
    const [body = ''] = (await readFile(indexFileOf(file), 'utf8')).split('\n')
    expect(JSON.parse(body).lengths).toHaveLength(6)
    await expectTruth(file)
  })

  it('[J8] is copied: it is scanned once, and has an index of its own after that', async () => {
    const file = await longJournal()
    const copy = path.join(await scratchDirectory(), 'chat.jsonl')
    await copyFile(file, copy)
    await copyFile(indexFileOf(file), indexFileOf(copy))
    const { size } = await stat(file)
    const start = async () => (await openJournal(copy)).close()
    expect(await bytesReadDuring(start)).toBeGreaterThanOrEqual(size)
    expect(await bytesReadDuring(start)).toBeLessThan(20_000)
  })

  it('[J3] [J8] by chance, anyhow: never another answer than from all of its bytes', async () => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = createRandom(seed)
      const file = await indexedJournal(3 + random.below(20))
      const bytes = await readFile(file)
      const harm = async () => {
        const at = random.below(bytes.length)
        if (random.chance(0.6)) bytes[at] = random.below(256)
        else bytes.fill(0, at, Math.min(bytes.length, at + random.below(400)))
        const grown = random.chance(0.3) ? [bytes, Buffer.from('{"v":1')] : [bytes]
        await writeFile(file, Buffer.concat(grown))
      }
      await (random.chance(0.7) ? behindItsBack(file, harm) : harm())
      const expected = await truth(file)
      expect(await answerOf(file, 1 + random.below(9)), `seed ${seed}`).toEqual(expected)
    }
  })
})

it('a pin is the beginning of a sum', () => {
  const sums = ['-_09azAZ and more', '________', 'AAAAAAAA']
  expect(textOfPins(sums.map(pinOf))).toBe('-_09azAZ________AAAAAAAA')
  expect(pinsIn('-_09azAZ________AAAAAAAA')).toEqual(sums.map(pinOf))
  expect(pinOf('________')).toBe(2 ** 48 - 1)
  for (const other of ['AAAAAAA', 'AAAAAAA.', 'AAAAAAAA=', 'AAAA AAAA'])
    expect(pinsIn(other)).toBeNull()
})

it('opening a small file takes a small buffer', async () => {
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
