/** The long journal that is opened, read and healed. It is built once; rounds only append to it and heal it. */
import { access, appendFile, readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { openJournal } from '../../src/main/journal/index.ts'
import { type Bench, megabyte } from '../runner/bench.ts'
import { createGenerator, generatedAtMs } from './generate.ts'

interface LongJournal {
  file: string
  records: number
  bytes: number
  /** Size of the stored index; null if a journal of this size has none. */
  indexBytes: number | null
  withoutIndex(): Promise<void>
  /** Ensures that the stored index exists, as a clean close leaves it. */
  withIndex(): Promise<void>
  /** Appends half a record, as an interrupted write leaves it. */
  tear(): Promise<void>
  /** Removes the torn tail, and the copy of it that healing kept. */
  mend(): Promise<void>
}

/** Records per append while building. */
const batchRecords = 500

export async function buildLongJournal(bench: Bench): Promise<LongJournal> {
  const { entries, journalMb } = bench.sizes
  const { dir } = bench
  const file = join(dir, 'chat.jsonl')
  const index = join(dir, 'chat.index')
  bench.say(`making a journal of ${journalMb} MB, ${entries} entries`)
  const { message } = createGenerator(bench.seed)
  const recordBytes = (journalMb * megabyte) / entries
  const journal = await openJournal(file, { clock: () => generatedAtMs })
  for (let made = 0; made < entries; made += batchRecords) {
    const count = Math.min(batchRecords, entries - made)
    await journal.appendAll(Array.from({ length: count }, () => message(recordBytes)))
  }
  await journal.close()

  const { size } = await stat(file)
  const indexBytes = (await isThere(index)) ? (await stat(index)).size : null
  return {
    file,
    records: entries,
    bytes: size,
    indexBytes,
    withoutIndex: () => rm(index, { force: true }),
    async withIndex() {
      if (!(await isThere(index))) await (await openJournal(file)).close()
    },
    tear: () =>
      appendFile(file, `{"v":1,"seq":${entries + 1},"at":${generatedAtMs},"type":"message","`),
    async mend() {
      await truncate(file, size)
      for (const name of await readdir(dir)) if (name.includes('.torn')) await rm(join(dir, name))
    },
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

export const notStored = 'no stored index: there is none for a journal of this size'
