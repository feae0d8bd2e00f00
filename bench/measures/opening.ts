/** Measures the time to the first rows of a long transcript, in a new process, and its memory. */

import { buildLongJournal, notStored } from '../data/long-journal.ts'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { probe } from '../runner/child-process.ts'
import { alternate, find, judge, type Measured } from '../runner/rounds.ts'

/** The targets for the first rows of a 200 MB transcript, warm, and for the memory of the main side with it open. */
const firstRowsMsMax = 150
const mainMemoryMbMax = 250

const sizeOf = (bytes: number, records: number): string =>
  `The stored index has ${(bytes / 1e6).toFixed(2)} MB: ${(bytes / records).toFixed(1)} bytes a record.`

export async function measureOpening(bench: Bench): Promise<Measured> {
  const journal = await buildLongJournal(bench)
  const { file, records } = journal

  const rounds = await alternate(
    {
      coldOpen: () =>
        journal.withoutIndex().then(() => probe('open-journal', { file, records, healed: 0 })),
      coldPage: () => journal.withoutIndex().then(() => probe('read-page', { file, records })),
      warmOpen: () =>
        journal.withIndex().then(() => probe('open-journal', { file, records, healed: 0 })),
      warmPage: () => journal.withIndex().then(() => probe('read-page', { file, records })),
      whole: () => probe('read-whole', { file, records }),
    },
    { rounds: bench.rounds },
  )

  const ms = find(rounds, 'ms', {
    'last page to read, without index': ({ coldPage }) => coldPage.ms,
    'last page to read, with index': ({ warmPage }) => warmPage.ms,
    'opened to write, last page, without index': ({ coldOpen }) => coldOpen.ms,
    'opened to write, last page, with index': ({ warmOpen }) => warmOpen.ms,
    'reading and parsing all of it': ({ whole }) => whole.ms,
  })
  const memory = find(rounds, 'MB', {
    'memory, without index (peak)': ({ coldOpen }) => coldOpen.peakMb,
    'memory, with index (peak)': ({ warmOpen }) => warmOpen.peakMb,
    'memory, reading all of it (peak)': ({ whole }) => whole.peakMb,
  })
  const ratios = find(rounds, 'x', {
    'all of it over last page, without index': ({ whole, coldPage }) => whole.ms / coldPage.ms,
    'all of it over last page, with index': ({ whole, warmPage }) => whole.ms / warmPage.ms,
    'all of it over opening to write, without index': (one) => one.whole.ms / one.coldOpen.ms,
    'all of it over opening to write, with index': (one) => one.whole.ms / one.warmOpen.ms,
    'memory: all of it over opening without index': (one) => one.whole.peakMb / one.coldOpen.peakMb,
    'memory: all of it over opening with index': (one) => one.whole.peakMb / one.warmOpen.peakMb,
  })
  const judged = bench.sizes.journalMb >= fullSizes.journalMb
  return {
    title: `Opening a journal of ${Math.round(journal.bytes / 1e6)} MB, ${records} entries`,
    rounds: rounds.length,
    figures: [...Object.values(ms), ...Object.values(memory)],
    ratios: Object.values(ratios),
    verdicts: judged
      ? [
          judge(ms['last page to read, with index'], { atMost: firstRowsMsMax }),
          judge(ms['opened to write, last page, with index'], { atMost: firstRowsMsMax }),
          judge(memory['memory, without index (peak)'], { atMost: mainMemoryMbMax }),
        ]
      : [],
    notes: [
      "Each in a new process; the file is in the system's cache for every side. Memory counts Node itself.",
      ...(judged ? [] : [notJudged]),
      journal.indexBytes === null ? notStored : sizeOf(journal.indexBytes, records),
    ],
  }
}
