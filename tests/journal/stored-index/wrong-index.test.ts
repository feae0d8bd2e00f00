/** An index that is damaged or lies can do no harm: what is read is what the journal holds. */

import { hash } from 'node:crypto'
import {
  appendFile,
  copyFile,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  indexFileOf,
  readJournal,
  readJournalPage,
  verifyJournal,
} from '../../../src/main/journal/index.ts'
import { collect, notes, scratchDirectory } from '../scratch.ts'
import { bytesReadDuring } from '../watched-reads.ts'
import {
  answerOf,
  bodyOf,
  expectTruth,
  forge,
  indexedJournal,
  longJournal,
  open,
  truth,
} from './indexed-journal.ts'

describe('an invalid index is ignored', () => {
  const mishaps: Record<string, (file: string, index: string) => Promise<unknown>> = {
    missing: (_, index) => rm(index),
    empty: (_, index) => truncate(index, 0),
    'with more behind it': (_, index) => appendFile(index, 'more'),
    'twice in its file': async (_, index) => appendFile(index, await readFile(index)),
    'not UTF-8': (_, index) => writeFile(index, Buffer.alloc(300, 0xff)),
    'of another version': (file) => forge(file, (body) => ({ ...body, version: 3 })),
    'of another kind of file': (file) => forge(file, (body) => ({ ...body, magic: 'SQLite f' })),
    'with places of another size': (file) => forge(file, (body) => ({ ...body, placeBytes: 12 })),
    'with a count that is not its own': (file) =>
      forge(file, (body) => ({ ...body, count: body.count + 1 })),
    'with a count beyond all': (file) => forge(file, (body) => ({ ...body, count: 2 ** 53 })),
    'of the version before, which was JSON': (_, index) => {
      const body = JSON.stringify({ version: 1, lengths: [], fingerprints: '' })
      return writeFile(index, `${body}\n${hash('sha256', body, 'base64url')}\n`)
    },
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
      const { size, modifiedNs, inode } = await bodyOf(index)
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

  it('[J8] with the checksum of another index', async () => {
    const file = await longJournal()
    const { size } = await stat(file)
    const bytes = await readFile(indexFileOf(file))
    await writeFile(indexFileOf(file), bytes.fill(0, bytes.length - 10))
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

describe('an index with wrong content and a valid checksum changes nothing that is read', () => {
  const swap = <T>(list: T[], a: number, b: number): T[] =>
    list.with(a, list[b] as T).with(b, list[a] as T)
  const lies: Record<string, Parameters<typeof forge>[1]> = {
    'of two lines’ lengths': (body) => ({ ...body, lengths: swap(body.lengths, 3, 11) }),
    'of a line that is two': ({ lengths, fingerprints, ...body }) => ({
      ...body,
      count: body.count - 1,
      lengths: [...lengths.slice(0, 4), (lengths[4] ?? 0) + (lengths[5] ?? 0), ...lengths.slice(6)],
      fingerprints: fingerprints.toSpliced(5, 1),
    }),
    'of the last line': ({ lengths, fingerprints, ...body }) => ({
      ...body,
      count: body.count - 1,
      lengths: lengths.slice(0, -1),
      fingerprints: fingerprints.slice(0, -1),
    }),
    'of a line too many': ({ lengths, fingerprints, ...body }) => ({
      ...body,
      count: body.count + 1,
      lengths: [...lengths, 100],
      fingerprints: [...fingerprints, 0],
    }),
    'of fingerprints': (body) => ({
      ...body,
      fingerprints: body.fingerprints.map((one, n) => (n < 3 ? 0 : one)),
    }),
    'of every fingerprint': (body) => ({
      ...body,
      fingerprints: body.fingerprints.map(() => 2 ** 48 - 1),
    }),
    'of a line without bytes': (body) => ({
      ...body,
      lengths: [0, (body.lengths[0] ?? 0) + (body.lengths[1] ?? 0), ...body.lengths.slice(2)],
    }),
    'of lines of 4 GB': (body) => ({ ...body, lengths: body.lengths.map(() => 2 ** 32 - 1) }),
    'of nothing': (body) => ({ ...body, count: 0, lengths: [], fingerprints: [] }),
    'of its file': (body) => ({ ...body, inode: 1n }),
    'of everything at once': (body) => ({
      ...body,
      lengths: body.lengths.toReversed(),
      fingerprints: body.fingerprints.map(() => 0),
    }),
  }

  it.each(Object.entries(lies))('[J8] %s', async (_, lie) => {
    const file = await indexedJournal(12)
    await forge(file, lie)
    await expectTruth(file)
  })

  it('[J8] for readers as well', async () => {
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

  it('[J7] and concurrent appends are kept', async () => {
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
