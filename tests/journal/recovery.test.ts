import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type Journal,
  type JournalRecord,
  openJournal,
  readJournalPage,
} from '../../src/main/journal/index.ts'
import { matches, recoveryTable, type Situation } from '../../src/main/journal/recovery.ts'
import fc from '../random.ts'
import { diskError, spyOnHandles } from './disk-faults.ts'
import {
  collect,
  journalWith,
  linesOf,
  notes,
  rewrite,
  scratchDirectory,
  seqsOf,
  splitLines,
} from './scratch.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

async function opened<T>(file: string, use: (journal: Journal) => Promise<T> | T): Promise<T> {
  const journal = await openJournal(file)
  try {
    return await use(journal)
  } finally {
    await journal.close()
  }
}

const everything = (journal: Journal) => journal.page({ limit: 1_000_000 })

describe('the recovery table', () => {
  it('[J4] has exactly one row for every situation', () => {
    const flags = [true, false]
    const situations: Situation[] = flags.flatMap((ended) =>
      flags.flatMap((whole) =>
        (['next', 'ahead', 'missed', 'taken'] as const).flatMap((seq) =>
          (['follows', 'breaks'] as const).flatMap((chain) =>
            flags.flatMap((afterUnreadable) =>
              flags.map((glued) => ({ ended, whole, seq, chain, afterUnreadable, glued })),
            ),
          ),
        ),
      ),
    )
    expect(situations).toHaveLength(128)
    for (const situation of situations) {
      const rows = recoveryTable.filter((row) => matches(row, situation)).map(({ name }) => name)
      expect(rows, JSON.stringify(situation)).toHaveLength(1)
    }
    const used = recoveryTable.filter((row) => situations.some((one) => matches(row, one)))
    expect(used).toEqual(recoveryTable)
  })

  it('is the table of FORMAT.md', async () => {
    const format = await readFile('src/main/journal/FORMAT.md', 'utf8')
    const documented = [...format.matchAll(/^\| `([a-z-]+)` +\|/gm)].map((match) => match[1])
    expect(documented).toEqual(recoveryTable.map(({ name }) => name))
  })
})

describe('a torn tail', () => {
  it('[J1] [J4] is set aside and cut at every byte a small journal can end in', {
    timeout: 120_000,
  }, async () => {
    const whole = await readFile(await journalWith(notes(2)))
    const directory = await scratchDirectory()
    for (let size = 0; size <= whole.length; size++) {
      const file = path.join(directory, `${size}.jsonl`)
      const bytes = whole.subarray(0, size)
      await writeFile(file, bytes)
      const committed = bytes.lastIndexOf(0x0a) + 1
      const readOnly = await readJournalPage(file, { limit: 9 })
      await opened(file, async (journal) => {
        const page = await everything(journal)
        expect(seqsOf(page.records)).toEqual(
          [1, 2].slice(0, splitLines(bytes.subarray(0, committed)).length),
        )
        expect(page.damage).toEqual([])
        expect(readOnly).toEqual(page)
        if (size === committed) {
          expect(journal.healed).toEqual([])
        } else {
          const [healing] = journal.healed
          expect(healing).toMatchObject({ file, kind: 'torn-tail', bytes: size - committed })
          expect(await readFile(healing?.keptAs ?? '')).toEqual(bytes.subarray(committed))
        }
        expect(await readFile(file)).toEqual(bytes.subarray(0, committed))
        // Each append and opening waits for the disk: every tenth byte is enough for these.
        if (size % 10 !== 0) return
        expect(await journal.append({ type: 'next' })).toMatchObject({ seq: page.total + 1 })
        await journal.close()
        await opened(file, (again) => {
          expect([again.healed, again.damage, again.lastSeq]).toEqual([[], [], page.total + 1])
        })
      })
    }
  })

  it('[J4] keeps each original, and the same one only once', async () => {
    const file = await journalWith(notes(1))
    const { size } = { size: (await readFile(file)).length }
    for (const tail of ['first', 'first', 'second']) {
      await appendFile(file, tail)
      await opened(file, (journal) => expect(journal.healed).toHaveLength(1))
    }
    const siblings = (await readdir(path.dirname(file))).sort()
    expect(siblings).toEqual(['chat.jsonl', `chat.jsonl.torn-${size}`, `chat.jsonl.torn-${size}-2`])
  })

  it('[J4] stays as it is when it cannot be set aside', async () => {
    const file = await journalWith(notes(1))
    await appendFile(file, 'torn')
    const before = await readFile(file)
    const write = await spyOnHandles('write')
    write.mockRejectedValueOnce(diskError('ENOSPC'))
    await expect(openJournal(file)).rejects.toMatchObject({
      kind: 'journal-write-failed',
      code: 'ENOSPC',
    })
    expect(await readFile(file)).toEqual(before)
    await opened(file, (journal) => expect(journal.healed).toHaveLength(1))
  })

  it('[J1] is ignored by a reader, which never writes, and read once its newline is there', async () => {
    const file = await journalWith(notes(3))
    const whole = await readFile(file)
    await writeFile(file, whole.subarray(0, -1))
    expect((await readJournalPage(file, { limit: 9 })).total).toBe(2)
    expect(await readFile(file)).toEqual(whole.subarray(0, -1))
    await appendFile(file, '\n')
    expect((await readJournalPage(file, { limit: 9 })).total).toBe(3)
  })
})

describe('damage in the middle', () => {
  interface Case {
    what: string
    change: (lines: Buffer[]) => (Buffer | string)[]
    seqs: number[]
    damage: object[]
  }

  const cases: Case[] = [
    {
      what: 'a changed byte in a body',
      change: (lines) => lines.map((line, i) => (i === 2 ? flipped(line, 40) : line)),
      seqs: [1, 2, 4, 5, 6],
      damage: [{ line: 3, lines: 1, afterSeq: 2, missing: { fromSeq: 3, toSeq: 3 } }],
    },
    {
      what: 'a changed byte in a checksum',
      change: (lines) => lines.map((line, i) => (i === 2 ? flipped(line, line.length - 10) : line)),
      seqs: [1, 2, 4, 5, 6],
      damage: [{ line: 3, reason: 'bad checksum; record 3 is not readable here' }],
    },
    {
      what: 'zeros over the end of one line and the start of the next',
      change: (lines) => {
        const bytes = Buffer.concat(lines)
        const at = Buffer.concat(lines.slice(0, 3)).length
        return [bytes.fill(0, at - 60, at + 20)]
      },
      seqs: [1, 2, 5, 6],
      damage: [{ line: 3, lines: 1, missing: { fromSeq: 3, toSeq: 4 } }],
    },
    {
      what: 'three damaged lines in a row',
      change: (lines) => lines.map((line, i) => (i >= 1 && i <= 3 ? flipped(line, 40) : line)),
      seqs: [1, 5, 6],
      damage: [{ line: 2, lines: 3, afterSeq: 1, missing: { fromSeq: 2, toSeq: 4 } }],
    },
    {
      what: 'deleted lines',
      change: (lines) => lines.filter((_, i) => i !== 1 && i !== 2),
      seqs: [1, 4, 5, 6],
      damage: [{ line: 2, bytes: 0, missing: { fromSeq: 2, toSeq: 3 } }],
    },
    {
      what: 'a deleted first line',
      change: (lines) => lines.slice(1),
      seqs: [2, 3, 4, 5, 6],
      damage: [{ line: 1, bytes: 0, afterSeq: 0, missing: { fromSeq: 1, toSeq: 1 } }],
    },
    {
      what: 'two swapped lines',
      change: ([a, b, c, d, ...rest]) => [a, b, d, c, ...rest].map((line) => line ?? ''),
      seqs: [1, 2, 3, 4, 5, 6],
      damage: [
        { line: 3, bytes: 0 },
        { line: 4, bytes: 0, reason: expect.stringContaining('out of order') },
      ],
    },
    {
      what: 'a line twice',
      change: (lines) => lines.flatMap((line, i) => (i === 2 ? [line, line] : [line])),
      seqs: [1, 2, 3, 4, 5, 6],
      damage: [{ line: 4, reason: expect.stringContaining('read before') }],
    },
    {
      what: 'a lost newline',
      change: (lines) => lines.map((line, i) => (i === 2 ? line.subarray(0, -1) : line)),
      seqs: [1, 2, 3, 4, 5, 6],
      damage: [{ line: 3, bytes: 0, reason: expect.stringContaining('share this line') }],
    },
    {
      what: 'every newline but the last lost',
      change: (lines) => [...lines.map((line) => line.subarray(0, -1)), '\n'],
      seqs: [1, 2, 3, 4, 5, 6],
      damage: [{ line: 1, lines: 1, bytes: 0 }],
    },
    {
      what: 'a record glued to a torn one',
      change: (lines) => lines.map((line, i) => (i === 2 ? line.subarray(0, 30) : line)),
      seqs: [1, 2, 4, 5, 6],
      damage: [{ line: 3, bytes: 30, missing: { fromSeq: 3, toSeq: 3 } }],
    },
    {
      what: 'a foreign line between',
      change: (lines) => lines.flatMap((line, i) => (i === 2 ? [line, '{"hello":1}\n'] : [line])),
      seqs: [1, 2, 3, 4, 5, 6],
      damage: [{ line: 4, bytes: 11, missing: null }],
    },
    {
      what: 'empty lines',
      change: (lines) => ['\n', '\n', ...lines],
      seqs: [1, 2, 3, 4, 5, 6],
      damage: [{ line: 1, lines: 2, bytes: 0, reason: 'an empty line (2 lines)' }],
    },
    {
      what: 'CR LF everywhere',
      change: (lines) => lines.flatMap((line) => [line.subarray(0, -1), '\r\n']),
      seqs: [1, 2, 3, 4, 5, 6],
      damage: [{ line: 1, lines: 6, bytes: 6, reason: expect.stringContaining('CR LF') }],
    },
    {
      what: 'a byte order mark',
      change: (lines) => ['\ufeff', ...lines],
      seqs: [1, 2, 3, 4, 5, 6],
      damage: [{ line: 1, bytes: 3, reason: 'a byte order mark' }],
    },
    {
      what: 'a damaged last line',
      change: (lines) => lines.map((line, i) => (i === 5 ? flipped(line, 40) : line)),
      seqs: [1, 2, 3, 4, 5],
      damage: [{ line: 6, afterSeq: 5, missing: null }],
    },
    {
      what: 'a 20 MB line of rubbish',
      change: ([first, ...rest]) => [first ?? '', Buffer.alloc(20 << 20, '{"v":1,'), '\n', ...rest],
      seqs: [1, 2, 3, 4, 5, 6],
      damage: [{ line: 2, bytes: 20 << 20 }],
    },
  ]

  it.each(cases)('[J3] [J4] $what: kept, reported, and all other records read', async (one) => {
    const file = await journalWith(notes(6))
    const before = (await readJournalPage(file, { limit: 9 })).records
    await rewrite(file, one.change(await linesOf(file)))
    const bytes = await readFile(file)
    await opened(file, async (journal) => {
      const page = await everything(journal)
      expect(seqsOf(page.records)).toEqual(one.seqs)
      for (const record of page.records) expect(record).toEqual(before[record.seq - 1])
      expect(page.damage).toMatchObject(one.damage)
      expect(page.damage).toHaveLength(one.damage.length)
      expect(await readJournalPage(file, { limit: 1_000_000 })).toEqual(page)
      expect(await collect(journal.records())).toEqual(page.records)
      expect(journal.healed).toEqual([])
    })
    expect(bytes.equals(await readFile(file))).toBe(true)
  })

  it.each(cases)('[J4] $what: appends continue after it, and no seq is reused', async (one) => {
    const file = await journalWith(notes(6))
    await rewrite(file, one.change(await linesOf(file)))
    const [inMemory, seq] = await opened(file, async (journal) => {
      const { seq } = await journal.append({ type: 'after' })
      return [await everything(journal), seq] as const
    })
    expect(seq).toBe(7)
    expect(await opened(file, everything)).toEqual(inMemory)
    expect(seqsOf(inMemory.records)).toEqual([...one.seqs, 7])
  })

  it('[J4] reads any number of records that share a line', async () => {
    const count = 5000
    const file = await journalWith(notes(count))
    const lines = await linesOf(file)
    await rewrite(file, [...lines.map((line) => line.subarray(0, -1)), '\n'])
    const page = await readJournalPage(file, { limit: count })
    expect(page.records).toHaveLength(count)
    expect(page.damage).toHaveLength(1)
  })

  it('[J4] gives up a line of record ends without beginnings, and continues after it', async () => {
    const file = await journalWith(notes(3))
    const [first, second, third] = await linesOf(file)
    const chain = /,"salt".*/.exec(String(second))?.[0] ?? ''
    const rubbish = `{"v":1,"seq":9,"at":1,${chain.repeat(20_000)}\n`
    await rewrite(file, [first ?? '', rubbish, second ?? '', third ?? ''])
    const page = await readJournalPage(file, { limit: 9 })
    expect(seqsOf(page.records)).toEqual([1, 2, 3])
    expect(page.damage).toMatchObject([{ line: 2, bytes: rubbish.length - 1 }])
  })

  it('[J3] detects by the chain a line that was rewritten with a valid checksum', async () => {
    const file = await journalWith(notes(4))
    const other = await journalWith([
      ...notes(1),
      { type: 'note', text: 'another story' },
      ...notes(2),
    ])
    const [lines, otherLines] = [await linesOf(file), await linesOf(other)]
    await rewrite(
      file,
      [lines[0], otherLines[1], lines[2], lines[3]].map((line) => line ?? ''),
    )
    await opened(file, async (journal) => {
      const page = await everything(journal)
      expect(page.records).toHaveLength(4)
      expect(page.damage).toMatchObject([
        { line: 3, bytes: 0, reason: expect.stringContaining('chain') },
      ])
    })
  })

  it('[J3] never returns a record that changed after the journal was opened', async () => {
    const file = await journalWith(notes(4))
    await opened(file, async (journal) => {
      const lines = await linesOf(file)
      await writeFile(
        file,
        Buffer.concat(lines.map((line, i) => (i === 1 ? flipped(line, 40) : line))),
      )
      const page = await journal.page({ limit: 9 })
      expect(seqsOf(page.records)).toEqual([1, 3, 4])
      expect((await journal.page({ limit: 9 })).damage).toMatchObject([{ line: 2, afterSeq: 1 }])
    })
  })

  it('[J3] never returns one record in place of another', async () => {
    const file = await journalWith(notes(4))
    await opened(file, async (journal) => {
      const [a, b, c, d] = await linesOf(file)
      await rewrite(
        file,
        [a, c, b, d].map((line) => line ?? ''),
      )
      expect(seqsOf((await journal.page({ limit: 9 })).records)).toEqual([1, 4])
      expect(journal.damage).toMatchObject([{ line: 2 }, { line: 3 }])
    })
  })

  it('[J4] bounds the list of damage', async () => {
    const file = await journalWith(notes(2400))
    const lines = await linesOf(file)
    await rewrite(
      file,
      lines.map((line, i) => (i % 2 ? flipped(line, 40) : line)),
    )
    await opened(file, async (journal) => {
      expect((await everything(journal)).total).toBe(1200)
      expect(journal.damage).toHaveLength(1000)
      expect(journal.damage.at(-1)).toMatchObject({ reason: expect.stringContaining('too much') })
    })
  })
})

describe('random damage', () => {
  const damages = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bit: fc.nat(7) }),
      fc.record({ kind: fc.constant('zeros' as const), at: fc.nat(), bytes: fc.nat(400) }),
      fc.record({ kind: fc.constant('remove' as const), at: fc.nat(), bytes: fc.nat(400) }),
      fc.record({
        kind: fc.constant('insert' as const),
        at: fc.nat(),
        bytes: fc.uint8Array({ maxLength: 60 }),
      }),
      fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
    ),
    { minLength: 1, maxLength: 4 },
  )

  it('[J3] [J4] never throws, never returns a changed record, and reports every lost one', {
    timeout: 120_000,
  }, async () => {
    const original = await journalWith(notes(12))
    const whole = await readFile(original)
    const truth = (await readJournalPage(original, { limit: 99 })).records
    const directory = await scratchDirectory()
    let run = 0
    await fc.assert(
      fc.asyncProperty(damages, async (changes) => {
        const bytes = changes.reduce(apply, Buffer.from(whole))
        const file = path.join(directory, `${run++}.jsonl`)
        await writeFile(file, bytes)
        const readOnly = await readJournalPage(file, { limit: 99 })
        await opened(file, async (journal) => {
          const page = await everything(journal)
          expect(page).toEqual(readOnly)
          for (const record of page.records) expect(record).toEqual(truth[record.seq - 1])
          expect(isAscending(page.records)).toBe(true)
          const tailLost = page.records.length === 0 || page.records.at(-1)?.seq !== truth.length
          const gap = seqsOf(page.records).some((seq, i) => seq !== i + 1)
          if (gap) expect(page.damage.length).toBeGreaterThan(0)
          // Whole lines gone from the very end are the one loss that a journal alone can't tell.
          const endsAtLine = whole.subarray(0, bytes.length).equals(bytes)
          if (tailLost && !endsAtLine)
            expect(page.damage.length + journal.healed.length).toBeGreaterThan(0)
          await journal.append({ type: 'after' })
        })
        await opened(file, async (journal) => {
          const page = await everything(journal)
          expect(page.records.at(-1)).toMatchObject({ type: 'after' })
          expect(page.records.slice(0, -1)).toEqual(readOnly.records)
          expect(journal.healed).toEqual([])
        })
      }),
      { numRuns: 120 },
    )
  })

  type Change = { kind: string; at: number; bit?: number; bytes?: number | Uint8Array }

  function apply(bytes: Buffer, change: Change): Buffer {
    const at = change.at % (bytes.length + 1)
    const length = typeof change.bytes === 'number' ? change.bytes : 0
    if (change.kind === 'cut') return Buffer.from(bytes.subarray(0, at))
    if (change.kind === 'insert')
      return Buffer.concat([bytes.subarray(0, at), change.bytes as Uint8Array, bytes.subarray(at)])
    if (change.kind === 'remove')
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    if (change.kind === 'zeros') return bytes.fill(0, at, Math.min(bytes.length, at + length))
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (change.bit ?? 0))
    return bytes
  }
})

function isAscending(records: JournalRecord[]): boolean {
  return seqsOf(records).every((seq, i, all) => i === 0 || seq > (all[i - 1] ?? 0))
}

function flipped(line: Buffer, at: number): Buffer {
  const copy = Buffer.from(line)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}
