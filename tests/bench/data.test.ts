/** The made-up data of `npm run bench`, and that each round finds it as the one before did. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGenerator } from '../../bench/data/generate.ts'
import { buildLongJournal } from '../../bench/data/long-journal.ts'
import { makeLongSession } from '../../bench/data/long-session.ts'
import { type Bench, quickSizes, type Sizes } from '../../bench/runner/bench.ts'
import { openJournal, readJournalPage } from '../../src/main/journal/index.ts'
import { checkpointFile } from '../../src/main/sessions/session-files.ts'
import { createSessions } from '../../src/main/sessions/sessions.ts'
import { checkpointAfter } from '../../src/main/sessions/state-keeper.ts'
import { parseTaskId, type TaskId } from '../../src/shared/records/ids.ts'
import { temporaryDir } from '../harness.ts'

const benchOf = async (sizes: Partial<Sizes>): Promise<Bench> => ({
  dir: await temporaryDir(),
  sizes: { ...quickSizes, ...sizes },
  rounds: 1,
  seed: 7,
  say() {},
})

describe('made-up data', () => {
  const taskId = createGenerator(1).uuid<TaskId>()
  const some = (seed: number) => {
    const made = createGenerator(seed, taskId)
    return [made.uuid(), made.below(1_000_000), made.text(50), made.message(700)]
  }

  it('is the same for the same seed, and other data for another', () => {
    expect(some(7)).toEqual(some(7))
    for (const [n, value] of some(8).entries()) expect(value).not.toEqual(some(7)[n])
  })

  it('has ids that Shiplog accepts, and texts as long as asked', () => {
    const made = createGenerator(7)
    for (let n = 0; n < 20; n++) expect(parseTaskId(made.uuid())).not.toBeNull()
    for (const length of [1, 10, 5_000]) expect(made.text(length)).toHaveLength(length)
    const below = Array.from({ length: 200 }, () => made.below(3))
    expect([...new Set(below)].sort()).toEqual([0, 1, 2])
  })

  it('makes messages whose lines in a journal have about the size that was asked', async () => {
    const file = join(await temporaryDir(), 'chat.jsonl')
    const journal = await openJournal(file)
    const made = createGenerator(7)
    await journal.appendAll(Array.from({ length: 50 }, () => made.message(1_000)))
    await journal.close()
    const bytesEach = (await stat(file)).size / 50
    expect(Math.abs(bytesEach - 1_000)).toBeLessThan(100)
  })
})

it('tears the long journal and mends it to the same bytes', async () => {
  const bench = await benchOf({ entries: 30, journalMb: 0.03 })
  const journal = await buildLongJournal(bench)
  const whole = await readFile(journal.file)
  expect(await readJournalPage(journal.file, { last: 1 })).toMatchObject({ total: 30 })
  for (let round = 0; round < 2; round++) {
    await journal.tear()
    const opened = await openJournal(journal.file)
    expect(opened.healed).toHaveLength(1)
    await opened.close()
    await journal.mend()
    expect(await readFile(journal.file)).toEqual(whole)
    expect((await readdir(bench.dir)).filter((name) => name.includes('.torn'))).toEqual([])
  }
})

it('takes back what a run added to the long session, with a checkpoint or without one', async () => {
  // Long enough for a checkpoint.
  const bench = await benchOf({ entries: checkpointAfter.entries + 100, journalMb: 1 })
  const session = await makeLongSession(bench, 'interrupted')
  const dir = dirname(session.file)
  const whole = await readFile(session.file)
  const sessions = createSessions()
  await (await sessions.open(session.taskId, dir)).append({ type: 'title', title: 'Another' })
  await sessions.close(session.taskId)
  expect((await readFile(session.file)).length).toBeGreaterThan(whole.length)

  for (const withCheckpoint of [true, false]) {
    await session.asItWas(withCheckpoint)
    expect(await readFile(session.file)).toEqual(whole)
    expect((await readdir(dir)).includes(checkpointFile)).toBe(withCheckpoint)
  }
})
