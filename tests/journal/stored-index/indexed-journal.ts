/** Journals with an index beside them, what is read from them, and what a scan of every byte says. */
import { hash } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import {
  type Damage,
  indexFileOf,
  type JournalRecord,
  openJournal,
  verifyJournal,
} from '../../../src/main/journal/index.ts'
import { collect, notes, scratchDirectory } from '../scratch.ts'

/** So that a journal of a few lines has an index too. */
const indexed = { indexedFromBytes: 1, clock: () => 1 }
export const open = (file: string) => openJournal(file, indexed)

/** A closed journal with its index. */
export async function indexedJournal(count: number): Promise<string> {
  const file = path.join(await scratchDirectory(), 'chat.jsonl')
  const journal = await open(file)
  await journal.appendAll(notes(count))
  await journal.close()
  await stat(indexFileOf(file))
  return file
}

/** A closed journal of 2 MB, which has an index without being asked. */
export async function longJournal(): Promise<string> {
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
export async function truth(file: string): Promise<Answer> {
  const records: JournalRecord[] = []
  const { damage } = await verifyJournal(file, (record) => void records.push(record))
  return { records, damage: brief(damage) }
}

export const brief = (damage: readonly Damage[]) =>
  damage.map(({ line, bytes, missing }) => ({ line, bytes, missing }))

/** All that the journal says to the one who writes it, in pages of `limit`. */
export async function answerOf(file: string, limit: number): Promise<Answer> {
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
export async function expectTruth(file: string): Promise<void> {
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

export const damageListOf = async (file: string) => (await verifyJournal(file)).damage

/** What an index says; see FORMAT.md, "Offsets". */
interface IndexBody {
  magic: string
  version: number
  placeBytes: number
  /** As the head has it. */
  count: number
  size: bigint
  modifiedNs: bigint
  inode: bigint
  lengths: number[]
  fingerprints: number[]
}

/** The index with what it says changed and its sum right. */
export async function forge(file: string, change: (body: IndexBody) => IndexBody): Promise<void> {
  await writeFile(indexFileOf(file), encoded(change(await bodyOf(indexFileOf(file)))))
}

export async function bodyOf(index: string): Promise<IndexBody> {
  const bytes = await readFile(index)
  const count = Number(bytes.readBigUInt64LE(16))
  const at = (n: number) => 48 + 10 * n
  const all = Array.from({ length: count }, (_, n) => n)
  return {
    magic: bytes.toString('latin1', 0, 8),
    version: bytes.readUInt32LE(8),
    placeBytes: bytes.readUInt32LE(12),
    count,
    size: bytes.readBigUInt64LE(24),
    modifiedNs: bytes.readBigUInt64LE(32),
    inode: bytes.readBigUInt64LE(40),
    lengths: all.map((n) => bytes.readUInt32LE(at(n))),
    fingerprints: all.map((n) => bytes.readUIntLE(at(n) + 4, 6)),
  }
}

function encoded(body: IndexBody): Buffer {
  const head = Buffer.alloc(48)
  head.write(body.magic, 'latin1')
  head.writeUInt32LE(body.version, 8)
  head.writeUInt32LE(body.placeBytes, 12)
  head.writeBigUInt64LE(BigInt(body.count), 16)
  head.writeBigUInt64LE(body.size, 24)
  head.writeBigUInt64LE(body.modifiedNs, 32)
  head.writeBigUInt64LE(body.inode, 40)
  const places = body.lengths.map((length, n) => {
    const place = Buffer.alloc(10)
    place.writeUInt32LE(length)
    place.writeUIntLE(body.fingerprints[n] ?? 0, 4, 6)
    return place
  })
  const known = Buffer.concat([head, ...places])
  return Buffer.concat([known, hash('sha256', known, 'buffer')])
}
