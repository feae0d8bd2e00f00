/** The index is never synced: whatever a crash leaves of it and of its journal, no record is lost by it. */
import { hash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { indexFileOf, openJournal, verifyJournal } from '../../../src/main/journal/index.ts'
import { reportFigure, seed, soakFactor } from '../../crash/effort.ts'
import { everyState } from '../../crash/explore.ts'
import { record } from '../../crash/fault-fs/record.ts'
import { differences, readTree, writeTree } from '../../crash/fault-fs/tree.ts'
import { scratch } from '../../crash/places.ts'
import { collect, notes } from '../scratch.ts'

const open = (dataDir: string) =>
  openJournal(join(dataDir, 'chat.jsonl'), { indexedFromBytes: 1, clock: () => 1 })

it('[J6] [J8] opens every crash state with all acknowledged records, and the next start changes nothing', {
  timeout: 240_000,
}, async () => {
  const place = scratch()
  const recording = record(join(place, 'data'))
  for (let start = 0; start < 4; start++) {
    const journal = await open(join(place, 'data'))
    for (const body of notes(3)) recording.ack(await journal.append(body))
    await journal.close()
  }
  const trace = recording.stop()
  let tried = 0
  let taken = 0

  const dataDir = join(place, 'state')
  for (const { name, state } of everyState(trace, seed, 8 * soakFactor)) {
    tried++
    writeTree(dataDir, state.tree)
    // The state lies in new files. As if they were the same ones, or the journal had grown since.
    if (claimsThisFile(dataDir, taken % 2)) taken++
    const journal = await open(dataDir)
    const records = await collect(journal.records())
    for (const acknowledged of state.acknowledged)
      expect(records, name).toContainEqual(acknowledged)
    expect(
      records.map(({ seq }) => seq),
      name,
    ).toEqual(records.map((_, i) => i + 1))
    expect(journal.damage, name).toEqual([])
    await journal.close()
    expect((await verifyJournal(join(dataDir, 'chat.jsonl'))).records, name).toBe(records.length)
    const afterFirst = readTree(dataDir)
    await (await open(dataDir)).close()
    expect(differences(afterFirst, readTree(dataDir)), name).toEqual([])
    rmSync(dataDir, { recursive: true, force: true })
  }
  reportFigure('crash points (stored index)', tried)
  expect(taken).toBeGreaterThan(10)
})

/** Makes a whole index name the journal's new file. */
function claimsThisFile(dataDir: string, grownSinceBytes: number): boolean {
  const file = join(dataDir, 'chat.jsonl')
  const index = indexFileOf(file)
  if (!existsSync(index) || !existsSync(file)) return false
  const bytes = readFileSync(index)
  const known = bytes.subarray(0, -32)
  if (!hash('sha256', known, 'buffer').equals(bytes.subarray(-32))) return false
  const { size, mtimeNs, ino } = statSync(file, { bigint: true })
  known.writeBigUInt64LE(size - BigInt(grownSinceBytes), 24)
  known.writeBigUInt64LE(mtimeNs, 32)
  known.writeBigUInt64LE(ino, 40)
  writeFileSync(index, Buffer.concat([known, hash('sha256', known, 'buffer')]))
  return true
}
