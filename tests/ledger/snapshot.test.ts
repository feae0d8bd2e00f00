import { hash } from 'node:crypto'
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Ledger, openLedger } from '../../src/main/ledger/ledger.ts'
import { isSameFold, readSnapshot, writeSnapshot } from '../../src/main/ledger/snapshot.ts'
import { foldLedgerRecord } from '../../src/shared/projections/ledger/fold-ledger.ts'
import {
  emptyLedgerState,
  type LedgerState,
} from '../../src/shared/projections/ledger/ledger-state.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import { isSoak } from '../crash/effort.ts'
import { temporaryDir } from '../harness.ts'
import fc from '../random.ts'
import { anyEvent, history } from './histories.ts'

const link = 'x'.repeat(43)
const at = 1_767_225_600_000

interface Place {
  dataDir: string
  ledger: string
  snapshot: string
}

async function place(): Promise<Place> {
  const dataDir = await temporaryDir()
  return {
    dataDir,
    ledger: join(dataDir, 'ledger.jsonl'),
    snapshot: join(dataDir, 'ledger.snapshot.json'),
  }
}

/** Closed when the test has finished, if not before. */
async function opened({ ledger, dataDir }: Place, snapshotAfterRecords = 1): Promise<Ledger> {
  const open = await openLedger(ledger, dataDir, { snapshotAfterRecords })
  onTestFinished(() => open.close())
  return open
}

/** Records events and closes, which leaves a snapshot of all of them. */
async function recorded(where: Place, events: LedgerEvent[]): Promise<void> {
  const ledger = await opened(where)
  await ledger.record(...events)
  await ledger.close()
}

/** What the records alone fold to. */
async function foldOfRecords({ ledger, dataDir }: Place): Promise<LedgerState> {
  const copy = await temporaryDir()
  await writeFile(join(copy, 'ledger.jsonl'), await readFile(ledger))
  const alone = await openLedger(join(copy, 'ledger.jsonl'), dataDir, {
    snapshotAfterRecords: Number.POSITIVE_INFINITY,
  })
  await alone.close()
  return alone.state
}

const lines = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8')).split('\n').filter(Boolean)

describe('the snapshot of the ledger', () => {
  it('is what a start continues from', async () => {
    const where = await place()
    await recorded(where, history(20))
    const ledger = await opened(where)
    expect(ledger.snapshotSeq).toBe(20)
    expect(ledger.state).toEqual(await foldOfRecords(where))
  })

  it('folds a prefix and then the rest into what all of it folds into', async () => {
    const { snapshot } = await place()
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 30 }), fc.nat(30), async (events, cut) => {
        const records = [...history(2), ...events].map((event, n) => ({
          seq: n + 1,
          at: at + n,
          event,
        }))
        const whole = emptyLedgerState('/data')
        for (const record of records) foldLedgerRecord(whole, record)
        const prefix = emptyLedgerState('/data')
        for (const record of records.slice(0, cut + 1)) foldLedgerRecord(prefix, record)

        await writeSnapshot(snapshot, { state: prefix, link })
        const read = await readSnapshot(snapshot, '/data')
        if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
        const { state } = read.snapshot
        for (const record of records) foldLedgerRecord(state, record)

        expect(state).toEqual(whole)
        expect(isSameFold(state, whole)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('changes no answer, wherever a history is interrupted by restarts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 6 }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.integer({ min: 1, max: 9 }),
        async (sittings, snapshotAfterRecords) => {
          const where = await place()
          for (const events of sittings) {
            const ledger = await openLedger(where.ledger, where.dataDir, { snapshotAfterRecords })
            for (const event of events) await ledger.record(event)
            await ledger.close()
          }
          const ledger = await openLedger(where.ledger, where.dataDir, { snapshotAfterRecords })
          await ledger.close()
          expect(ledger.state).toEqual(await foldOfRecords(where))
        },
      ),
      { numRuns: 15 },
    )
  })

  it('is used for none of its damaged forms', async () => {
    const where = await place()
    await recorded(where, history(5))
    const whole = await readFile(where.snapshot)
    const truth = await foldOfRecords(where)
    const read = async (bytes: Uint8Array) => {
      await writeFile(where.snapshot, bytes)
      return readSnapshot(where.snapshot, where.dataDir)
    }
    expect((await read(whole)).kind).toBe('ok')
    const stride = isSoak ? 1 : 17
    for (let cut = 0; cut < whole.length; cut += stride)
      expect((await read(whole.subarray(0, cut))).kind, `cut to ${cut} bytes`).toBe('unusable')
    for (let byte = 0; byte < whole.length; byte += stride) {
      const flipped = Buffer.from(whole)
      flipped[byte] = (flipped[byte] ?? 0) ^ 1
      expect((await read(flipped)).kind, `byte ${byte}`).toBe('unusable')
    }
    expect((await read(Buffer.concat([whole, whole]))).kind).toBe('unusable')
    const ledger = await opened(where)
    expect([ledger.snapshotSeq, ledger.state]).toEqual([0, truth])
  })

  it('is used neither of another version nor when it was folded by other rules', async () => {
    const where = await place()
    await recorded(where, history(5))
    const text = await readFile(where.snapshot, 'utf8')
    await writeFile(where.snapshot, text.replace('"version":2', '"version":3'))
    expect(await readSnapshot(where.snapshot, where.dataDir)).toMatchObject({
      reason: expect.stringContaining('another version'),
    })
    await rewritten(where, ({ head, tasks }) => ({
      head: { ...head, version: 2, rules: '1-of-last-year' },
      tasks,
    }))
    expect(await readSnapshot(where.snapshot, where.dataDir)).toMatchObject({
      reason: expect.stringContaining('other rules'),
    })
    const ledger = await opened(where)
    expect([ledger.snapshotSeq, ledger.state]).toEqual([0, await foldOfRecords(where)])
  })

  it('is not used in a directory that was moved: its paths are those of the old place', async () => {
    const [there, here] = [await place(), await place()]
    await recorded(there, history(5))
    for (const file of ['ledger', 'snapshot'] as const)
      await writeFile(here[file], await readFile(there[file]))
    const ledger = await opened(here)
    expect([ledger.snapshotSeq, ledger.state]).toEqual([0, await foldOfRecords(here)])
  })

  it('is not used for another ledger, be it as long', async () => {
    const where = await place()
    await recorded(where, history(8))
    const other = await place()
    await recorded(other, history(8, { titled: 'Another task' }))
    await writeFile(where.ledger, await readFile(other.ledger))
    const ledger = await opened(where)
    expect(ledger.snapshotSeq).toBe(0)
    expect([...ledger.state.tasks.values()].map(({ title }) => title)).toEqual(['Another task'])
  })

  it('is not used if it is newer than a truncated ledger, even after that has grown again', async () => {
    const where = await place()
    await recorded(where, history(8))
    const before = await readFile(where.snapshot)
    const kept = (await lines(where.ledger)).slice(0, 5)
    await writeFile(where.ledger, `${kept.join('\n')}\n`)

    const cut = await openLedger(where.ledger, where.dataDir, { snapshotAfterRecords: 1_000 })
    expect([cut.snapshotSeq, cut.state.seq]).toEqual([0, 5])
    await cut.record(...history(10).slice(2))
    await cut.close()

    await writeFile(where.snapshot, before)
    const grown = await opened(where)
    expect([grown.snapshotSeq, grown.state.seq]).toEqual([0, 13])
    expect(grown.state).toEqual(await foldOfRecords(where))
  })

  it('is not used when a record before its end was rewritten, its end being the same', async () => {
    const where = await place()
    await recorded(where, history(4))
    const ledger = await openLedger(where.ledger, where.dataDir)
    const last = (await lines(where.ledger)).at(-1) ?? ''
    await ledger.close()
    const forged = await place()
    await recorded(forged, history(4, { titled: 'Rewritten' }))
    const [, , , end] = await lines(forged.ledger)
    const said = (line: string) => ({ ...JSON.parse(line), at: 0, salt: '', prev: '', sum: '' })
    expect(said(end ?? '')).toEqual(said(last))
    await writeFile(where.ledger, await readFile(forged.ledger))
    const opening = await opened(where)
    expect(opening.snapshotSeq).toBe(0)
    expect([...opening.state.tasks.values()].map(({ title }) => title)).toEqual(['Rewritten'])
  })

  it('is neither used nor made of a ledger with a damaged record: it would hide the damage', async () => {
    const where = await place()
    await recorded(where, history(6))
    const broken = (await lines(where.ledger)).map((line, n) =>
      n === 2 ? line.replace('Report', 'Rapport') : line,
    )
    await writeFile(where.ledger, `${broken.join('\n')}\n`)
    const bytes = await readFile(where.snapshot)
    const ledger = await opened(where)
    expect([ledger.snapshotSeq, ledger.damage.length]).toEqual([0, 1])
    await ledger.record(...history(3).slice(2))
    await ledger.close()
    expect(await readFile(where.snapshot)).toEqual(bytes)
  })

  it('[A3] takes no id from it that is none', async () => {
    const where = await place()
    await recorded(where, history(3))
    await rewritten(where, ({ head, tasks: [task] }) => ({
      head,
      tasks: [{ ...task, id: '../../../x' }],
    }))
    const ledger = await opened(where)
    expect([ledger.snapshotSeq, ledger.state]).toEqual([0, await foldOfRecords(where)])
  })

  it('[A3] is not written through a symbolic link, and never stands in the way', async () => {
    const where = await place()
    const elsewhere = join(await temporaryDir(), 'precious')
    await writeFile(elsewhere, 'mine')
    await symlink(elsewhere, where.snapshot)
    await recorded(where, history(3))
    expect(await readFile(elsewhere, 'utf8')).toBe('mine')

    const blocked = await place()
    await mkdir(blocked.snapshot)
    await recorded(blocked, history(3))
    const ledger = await opened(blocked)
    expect([ledger.snapshotSeq, ledger.state.seq]).toEqual([0, 3])
    expect((await stat(blocked.snapshot)).isDirectory()).toBe(true)
  })

  it('is not written for a handful of records', async () => {
    const where = await place()
    const ledger = await openLedger(where.ledger, where.dataDir)
    await ledger.record(...history(5))
    await ledger.close()
    await expect(stat(where.snapshot)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('is written now and then while the ledger grows, for a process that is killed', async () => {
    const where = await place()
    const ledger = await opened(where, 4)
    for (const event of history(9)) await ledger.record(event)
    const seqNow = async () => {
      const read = await readSnapshot(where.snapshot, where.dataDir)
      return read.kind === 'ok' ? read.snapshot.state.seq : 0
    }
    await expect.poll(seqNow).toBe(8)
  })
})

/** Changes what it says, with a checksum that is right: what a liar would write. */
async function rewritten(
  { snapshot }: Place,
  change: (fold: { head: object; tasks: object[] }) => { head: object; tasks: object[] },
): Promise<void> {
  const [first = '', second = '[]'] = await lines(snapshot)
  const { head, tasks } = change({ head: JSON.parse(first), tasks: JSON.parse(second) })
  const text = `${JSON.stringify(head)}\n${JSON.stringify(tasks)}\n`
  await writeFile(snapshot, `${text}{"sum":"${hash('sha256', text, 'base64url')}"}\n`)
}
