/** A journal that changed behind its index: the change is told, and nothing is read that is not there. */
import { copyFile, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { indexFileOf, openJournal, readJournalPage } from '../../../src/main/journal/index.ts'
import { encodeLines, prepareRecord, readLine } from '../../../src/main/journal/line.ts'
import { createRandom } from '../../crash/fault-fs/random.ts'
import { linesOf, rewrite, scratchDirectory } from '../scratch.ts'
import { bytesReadDuring } from '../watched-reads.ts'
import {
  answerOf,
  bodyOf,
  brief,
  damageListOf,
  expectTruth,
  forge,
  indexedJournal,
  longJournal,
  open,
  truth,
} from './indexed-journal.ts'

/** Keeps the file's time as it was, as what happens below the file system does. */
async function behindItsBack(file: string, change: () => Promise<void>): Promise<void> {
  const { atime, mtime } = await stat(file)
  await utimes(file, atime, mtime)
  const before = await stat(file, { bigint: true })
  await forge(file, (body) => ({ ...body, modifiedNs: before.mtimeNs }))
  await change()
  await utimes(file, atime, mtime)
}

/** Line `ordinal` with other words of the same length, its checksum right, and the next line none the wiser. */
function rewritten(lines: Buffer[], ordinal: number): Buffer[] {
  const link = readLine(
    lines[ordinal - 1] ?? Buffer.alloc(0),
    0,
    (lines[ordinal - 1]?.length ?? 1) - 1,
  )
  const prepared = prepareRecord({ type: 'note', text: `NOTE ${ordinal + 1}` }, 1)
  const { block } = encodeLines([prepared], ordinal + 1, link?.sum.slice(0, 22) ?? '')
  expect(block.length).toBe(lines[ordinal]?.length)
  return lines.with(ordinal, block)
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

  it('[J3] does not return a rewritten line, even in a page of that line alone', async () => {
    const file = await indexedJournal(12)
    await behindItsBack(file, async () => rewrite(file, rewritten(await linesOf(file), 4)))
    const journal = await open(file)
    expect((await journal.page({ fromSeq: 5, limit: 1 })).damage).toMatchObject([
      { reason: expect.stringContaining('the line before was replaced') },
    ])
    await journal.close()
  })

  it('[J4] has grown since, and a part of it is missing', async () => {
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

  it('[J4] is damaged before it is appended to: each start reports that, and the lines before it are indexed', async () => {
    const file = await indexedJournal(12)
    const lines = await linesOf(file)
    await rewrite(file, lines.with(6, Buffer.from('damaged\n')))
    for (let start = 1; start <= 3; start++) {
      const journal = await open(file)
      expect(journal.damage).toMatchObject([{ line: 7, missing: { fromSeq: 7, toSeq: 7 } }])
      await journal.append({ type: 'note' })
      await journal.close()
    }
    expect((await bodyOf(indexFileOf(file))).lengths).toHaveLength(6)
    await expectTruth(file)
  })

  it('[J8] is copied: it is scanned once, and then has its own index', async () => {
    const file = await longJournal()
    const copy = path.join(await scratchDirectory(), 'chat.jsonl')
    await copyFile(file, copy)
    await copyFile(indexFileOf(file), indexFileOf(copy))
    const { size } = await stat(file)
    const start = async () => (await openJournal(copy)).close()
    expect(await bytesReadDuring(start)).toBeGreaterThanOrEqual(size)
    expect(await bytesReadDuring(start)).toBeLessThan(20_000)
  })

  it('[J3] [J8] at random: the answers are always those of a full scan', async () => {
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
