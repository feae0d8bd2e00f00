/** Measures a jump to a random position of an open long transcript. */

import { buildLongJournal } from '../data/long-journal.ts'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { probe } from '../runner/child-process.ts'
import { alternate, find, judge, type Measured } from '../runner/rounds.ts'

/** The target for a jump to any place. */
const jumpMsMax = 100

export async function measureRandomPage(bench: Bench): Promise<Measured> {
  const { file, records, bytes } = await buildLongJournal(bench)
  let seed = bench.seed

  const rounds = await alternate(
    {
      pages: () => probe('random-pages', { file, records, seed: seed++ }) as Promise<Pages>,
      whole: () => probe('read-whole', { file, records }),
    },
    { rounds: bench.rounds },
  )

  const ms = find(rounds, 'ms', {
    'a page of 200 entries (median of forty)': ({ pages }) => pages.ms,
    'the longest of forty pages': ({ pages }) => pages.longestMs,
    'reading and parsing all of it': ({ whole }) => whole.ms,
  })
  const ratios = find(rounds, 'x', {
    'all of it over a page': ({ pages, whole }) => whole.ms / pages.ms,
  })
  const judged = bench.sizes.journalMb >= fullSizes.journalMb
  return {
    title: `A page anywhere in ${Math.round(bytes / 1e6)} MB`,
    rounds: rounds.length,
    figures: Object.values(ms),
    ratios: Object.values(ratios),
    verdicts: judged ? [judge(ms['the longest of forty pages'], { atMost: jumpMsMax })] : [],
    notes: judged ? [] : [notJudged],
  }
}

type Pages = { ms: number; longestMs: number; peakMb: number }
