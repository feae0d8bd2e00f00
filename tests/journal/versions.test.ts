/** Records of every version there has been, read by the newest code (fixtures/journals/README.md). */
import { readdirSync } from 'node:fs'
import { copyFile, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openJournal, readJournal, verifyJournal } from '../../src/main/journal/index.ts'
import { ledgerUpgrades, ledgerVersion, parseLedgerEvent } from '../../src/shared/records/ledger.ts'
import { entryUpgrades, entryVersion, parseEntry } from '../../src/shared/records/parse-entry.ts'
import { type Upgrade, upgradeRecord } from '../../src/shared/records/upgrades.ts'
import { collect, scratchDirectory } from './scratch.ts'

const fixtures = path.join(import.meta.dirname, '../fixtures/journals')
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

const kinds: {
  name: string
  upgrades: readonly Upgrade[]
  newest: number
  read: (record: Record<string, unknown>) => { type: string; record?: unknown } | null
}[] = [
  { name: 'entries', upgrades: entryUpgrades, newest: entryVersion, read: parseEntry },
  { name: 'ledger', upgrades: ledgerUpgrades, newest: ledgerVersion, read: parseLedgerEvent },
]
const versions = kinds.flatMap((kind) => upTo(kind.newest).map((v) => ({ ...kind, v })))

/** What is wrong with a table of upgrades to `newest`; empty when it is gapless. */
function faultsIn(upgrades: readonly Upgrade[], newest: number): string[] {
  const wanted = upTo(newest - 1)
  const given = upgrades.map(({ from }) => from)
  return [
    ...wanted.filter((from) => !given.includes(from)).map((from) => `none from ${from}`),
    ...given.filter((from) => !wanted.includes(from)).map((from) => `one from ${from}, of none`),
    ...given.filter((from, i) => given.indexOf(from) !== i).map((from) => `two from ${from}`),
  ]
}

describe('the upgrades', () => {
  it.each(kinds)(
    '[J5] of $name are gapless, from 1 to the newest version',
    ({ upgrades, newest }) => {
      expect(faultsIn(upgrades, newest)).toEqual([])
    },
  )

  it.each(kinds)(
    '[J5] of $name have a fixture of every version, and of none to come',
    ({ name, newest }) => {
      const found = readdirSync(fixtures).filter(
        (one) => one.startsWith(name) && one.endsWith('.jsonl'),
      )
      expect(found.sort()).toEqual(
        upTo(newest)
          .map((v) => `${name}-v${v}.jsonl`)
          .sort(),
      )
    },
  )

  const step = (from: number): Upgrade => ({ from, change: 'none', apply: (record) => record })

  it.each([
    { given: [], newest: 2, faults: ['none from 1'] },
    { given: [1, 3], newest: 4, faults: ['none from 2'] },
    { given: [1, 2], newest: 2, faults: ['one from 2, of none'] },
    { given: [1, 1], newest: 2, faults: ['two from 1'] },
    { given: [2, 1], newest: 3, faults: [] },
  ])('$given to $newest: $faults', ({ given, newest, faults }) => {
    expect(faultsIn(given.map(step), newest)).toEqual(faults)
  })
})

describe('the fixture', () => {
  it.each(versions)(
    '[J5] $name-v$v is read as it is expected, and not changed by it',
    async ({ name, v, read }) => {
      const file = path.join(await scratchDirectory(), 'chat.jsonl')
      await copyFile(path.join(fixtures, `${name}-v${v}.jsonl`), file)
      const bytes = await readFile(file)
      expect((await verifyJournal(file)).damage).toEqual([])
      const journal = await openJournal(file)
      const records = await collect(journal.records())
      await journal.close()
      expect(records).toEqual(await collect(readJournal(file)))
      expect(records.filter((record) => record.v === v).length).toBeGreaterThan(10)
      const expected = await readFile(path.join(fixtures, `${name}-v${v}.expected.json`), 'utf8')
      expect(JSON.parse(JSON.stringify(records.map((record) => read(record))))).toEqual(
        JSON.parse(expected),
      )
      expect(await readFile(file)).toEqual(bytes)
    },
  )

  it.each(versions)(
    '[J5] $name-v$v has all but what nobody knows understood',
    async ({ name, v, read }) => {
      const records = await collect(readJournal(path.join(fixtures, `${name}-v${v}.jsonl`)))
      const isUnderstood = (record: (typeof records)[number]) => {
        const found = read(record)
        return found !== null && found.type !== 'unknown'
      }
      const strange = records.filter((record) => !isUnderstood(record))
      expect(strange.map((record) => [record.v === v, record.type])).toEqual([
        [true, expect.stringMatching(/^(hologram|task\.sang)$/)],
        [false, expect.any(String)],
      ])
      for (const record of strange) {
        const found = read(record)
        if (found?.type === 'unknown') expect(found.record).toEqual(record)
      }
    },
  )
})

describe('an invented table of upgrades', () => {
  const table: Upgrade[] = [
    {
      from: 2,
      change: 'named by a list',
      apply: ({ name, ...rest }) => ({ ...rest, names: [name] }),
    },
    {
      from: 1,
      change: 'called a name',
      apply({ title, ...rest }) {
        if (typeof title !== 'string') throw new Error('no title')
        return { ...rest, name: title }
      },
    },
  ]

  it.each([
    { record: { v: 1, seq: 7, title: 'A' }, becomes: { v: 3, seq: 7, names: ['A'] } },
    { record: { v: 2, seq: 7, name: 'A' }, becomes: { v: 3, seq: 7, names: ['A'] } },
    { record: { v: 3, seq: 7, names: ['A'] }, becomes: { v: 3, seq: 7, names: ['A'] } },
    { record: { v: 0, title: 'A' }, becomes: { v: 0, title: 'A' } },
    { record: { v: 1.5, title: 'A' }, becomes: { v: 1.5, title: 'A' } },
    { record: { title: 'A' }, becomes: { title: 'A' } },
  ])('[J5] takes $record to $becomes', ({ record, becomes }) => {
    const before = structuredClone(record)
    expect(upgradeRecord(record, table, 3)).toEqual({ kind: 'ready', record: becomes })
    expect(record).toEqual(before)
  })

  it('[J5] does not change newer records', () => {
    expect(upgradeRecord({ v: 4 }, table, 3)).toEqual({ kind: 'newer', version: 4 })
  })

  it('[J5] reports a record that it can’t upgrade', () => {
    expect(upgradeRecord({ v: 1 }, table, 3)).toEqual({
      kind: 'failed',
      reason: "can't be read as version 2: no title",
    })
    expect(upgradeRecord({ v: 1, title: 'A' }, [], 2)).toEqual({
      kind: 'failed',
      reason: 'nothing reads version 1 any more',
    })
  })
})
