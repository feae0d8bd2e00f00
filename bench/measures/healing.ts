/** Measures a start after a crash that left the last record of a long journal torn. */

import { buildLongJournal, notStored } from '../data/long-journal.ts'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { probe } from '../runner/child-process.ts'
import { alternate, find, judge, type Measured } from '../runner/rounds.ts'

/** The target: healed in 300 ms per 200 MB. */
const healMsMax = 300
/** Healing verifies the SHA-256 of every line, so it may take at most twice the time of hashing. */
const overHashingMax = 2

export async function measureHealing(bench: Bench): Promise<Measured> {
  const journal = await buildLongJournal(bench)
  const { file, records, bytes } = journal

  async function torn<T>(use: () => Promise<T>): Promise<T> {
    await journal.tear()
    try {
      return await use()
    } finally {
      await journal.mend()
    }
  }
  const heal = () => torn(() => probe('open-journal', { file, records, healed: 1 }))

  const rounds = await alternate(
    {
      cold: () => journal.withoutIndex().then(heal),
      warm: () => journal.withIndex().then(heal),
      hashing: () => probe('sha256', { file }),
      whole: () => torn(() => probe('read-whole', { file, records })),
    },
    { rounds: bench.rounds },
  )

  const ms = find(rounds, 'ms', {
    'healed and opened, without index': ({ cold }) => cold.ms,
    'healed and opened, with index': ({ warm }) => warm.ms,
    'SHA-256 of all of it': ({ hashing }) => hashing.ms,
    'reading and parsing all of it': ({ whole }) => whole.ms,
  })
  const memory = find(rounds, 'MB', {
    'memory, healing without index (peak)': ({ cold }) => cold.peakMb,
    'memory, reading all of it (peak)': ({ whole }) => whole.peakMb,
  })
  const ratios = find(rounds, 'x', {
    'healing, without index, over the SHA-256 of it': ({ cold, hashing }) => cold.ms / hashing.ms,
    'all of it over healing, without index': ({ whole, cold }) => whole.ms / cold.ms,
    'all of it over healing, with index': ({ whole, warm }) => whole.ms / warm.ms,
    'memory: all of it over healing without index': (one) => one.whole.peakMb / one.cold.peakMb,
  })
  const judged = bench.sizes.journalMb >= fullSizes.journalMb
  const atMost = (healMsMax * bench.sizes.journalMb) / fullSizes.journalMb
  return {
    title: `Healing a torn tail of ${Math.round(bytes / 1e6)} MB`,
    rounds: rounds.length,
    figures: [...Object.values(ms), ...Object.values(memory)],
    ratios: Object.values(ratios),
    verdicts: judged
      ? [
          judge(ratios['healing, without index, over the SHA-256 of it'], {
            atMost: overHashingMax,
          }),
          judge(ms['healed and opened, without index'], { atMost }),
        ]
      : [],
    notes: [
      'The torn bytes are durable in a file of their own before they are cut; that is in the time.',
      ...(judged ? [] : [notJudged]),
      ...(journal.indexBytes === null ? [notStored] : []),
    ],
  }
}
