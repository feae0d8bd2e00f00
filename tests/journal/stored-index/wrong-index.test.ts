/** An index that is damaged or lies can do no harm: what is read is what the journal holds. */
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
  expectTruth,
  forge,
  indexedJournal,
  longJournal,
  open,
  truth,
} from './indexed-journal.ts'

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
    'of a line that is two': ({ lengths, fingerprints, ...body }) => ({
      ...body,
      lengths: [...lengths.slice(0, 4), (lengths[4] ?? 0) + (lengths[5] ?? 0), ...lengths.slice(6)],
      fingerprints: fingerprints.slice(0, 40) + fingerprints.slice(48),
    }),
    'of the last line': ({ lengths, fingerprints, ...body }) => ({
      ...body,
      lengths: lengths.slice(0, -1),
      fingerprints: fingerprints.slice(0, -8),
    }),
    'of a line too many': ({ lengths, fingerprints, ...body }) => ({
      ...body,
      lengths: [...lengths, 100],
      fingerprints: `${fingerprints}AAAAAAAA`,
    }),
    'of fingerprints': (body) => ({
      ...body,
      fingerprints: body.fingerprints.replaceAll(/^.{24}/g, 'A'.repeat(24)),
    }),
    'of fingerprints that are none': (body) => ({
      ...body,
      fingerprints: body.fingerprints.replaceAll(/./g, '!'),
    }),
    'of negative lengths': (body) => ({
      ...body,
      lengths: [-5, (body.lengths[0] ?? 0) + (body.lengths[1] ?? 0) + 5, ...body.lengths.slice(2)],
    }),
    'of lengths that are no numbers': (body) => ({ ...body, lengths: body.lengths.map(String) }),
    'of nothing': (body) => ({ ...body, lengths: [], fingerprints: '' }),
    'of its file': (body) => ({ ...body, inode: '1' }),
    'of everything at once': (body) => ({
      ...body,
      lengths: body.lengths.toReversed(),
      fingerprints: 'A'.repeat(body.fingerprints.length),
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
