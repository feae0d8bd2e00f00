/** Measures the state as of a random entry of a long session, and moving through its replay. */

import { makeLongSession } from '../data/long-session.ts'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { probe } from '../runner/child-process.ts'
import { alternate, find, judge, type Measured, type Sample } from '../runner/rounds.ts'

/** The target for a jump to any place. */
const stateMsMax = 100
/** A longer move drops a frame at 60 Hz. */
const moveMsMax = 16

export async function measureReplay(bench: Bench): Promise<Measured> {
  const { sizes } = bench
  bench.say(`making a session of ${sizes.journalMb} MB, ${sizes.entries} entries`)
  const session = await makeLongSession(bench, 'completed')
  const { dataDir, taskId, file, records } = session
  let seed = bench.seed
  async function go(action: 'states-at' | 'scrub', withCheckpoint: boolean): Promise<Sample> {
    await session.asItWas(withCheckpoint)
    return probe(action, { dataDir, taskId, records, seed: seed++ })
  }

  const rounds = await alternate(
    {
      states: () => go('states-at', true) as Promise<States>,
      unprepared: () => go('states-at', false) as Promise<States>,
      scrub: () => go('scrub', true) as Promise<Scrub>,
      whole: () => probe('read-whole', { file, records }),
    },
    { rounds: bench.rounds },
  )

  const ms = find(rounds, 'ms', {
    'a state (median of forty)': ({ states }) => states.ms,
    'the longest of forty states': ({ states }) => states.longestMs,
    'a state without a checkpoint (median of forty)': ({ unprepared }) => unprepared.ms,
    'reading the timeline': ({ scrub }) => scrub.ms,
    'a move, 99 % of them': ({ scrub }) => scrub.mostMs,
    'reading and parsing all of it': ({ whole }) => whole.ms,
  })
  const us = find(rounds, 'µs', { 'a move (median)': ({ scrub }) => scrub.moveUs })
  const ratios = find(rounds, 'x', {
    'all of it over a state': ({ whole, states }) => whole.ms / states.ms,
    'a state without a checkpoint over one': ({ unprepared, states }) => unprepared.ms / states.ms,
    'reading the timeline over all of it': ({ whole, scrub }) => scrub.ms / whole.ms,
    'a state of the host over a move': ({ states, scrub }) => (states.ms * 1000) / scrub.moveUs,
  })
  const judged = sizes.journalMb >= fullSizes.journalMb
  const marks = rounds[0]?.scrub.marks ?? 0
  return {
    title: `Replaying a session of ${Math.round(session.bytes / 1e6)} MB, ${records} entries, ${marks} marks`,
    rounds: rounds.length,
    figures: [...Object.values(ms), ...Object.values(us)],
    ratios: Object.values(ratios),
    verdicts: judged
      ? [
          judge(ms['the longest of forty states'], { atMost: stateMsMax }),
          judge(ms['a move, 99 % of them'], { atMost: moveMsMax }),
        ]
      : [],
    notes: [
      'A move is to an entry anywhere, with the state as of it; drawing is not in it.',
      ...(judged ? [] : [notJudged]),
    ],
  }
}

type States = { ms: number; longestMs: number }
type Scrub = { ms: number; mostMs: number; moveUs: number; marks: number }
