/** Measures the time from a follow-up or a resume to the first turn of the agent, in a long session. */
import { join } from 'node:path'
import { type LongSession, makeLongSession } from '../data/long-session.ts'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { buildProbe } from '../runner/build-probe.ts'
import { probe } from '../runner/child-process.ts'
import { alternate, find, judge, type Measured, type Sample } from '../runner/rounds.ts'

/** A user waits for it (G9); the whole session would take more memory. */
const beginsMsMax = 150
const memoryMbMax = 150

export async function measureFirstTurn(bench: Bench): Promise<Measured> {
  const { sizes } = bench
  bench.say(`making a session of ${sizes.journalMb} MB, ${sizes.entries} entries`)
  const finished = await makeLongSession(bench, 'completed')
  const stopped = await makeLongSession(bench, 'interrupted')
  const built = await buildProbe(bench.dir)
  async function go(
    session: LongSession,
    action: 'follow-up' | 'resume',
    { withCheckpoint = true, program }: { withCheckpoint?: boolean; program?: string } = {},
  ) {
    await session.asItWas(withCheckpoint)
    const { dataDir, taskId } = session
    return (await probe(action, { dataDir, taskId }, program)) as Sample & Begun
  }

  const rounds = await alternate(
    {
      followUp: () => go(finished, 'follow-up'),
      resume: () => go(stopped, 'resume'),
      followUpBuilt: () => go(finished, 'follow-up', { program: built }),
      resumeBuilt: () => go(stopped, 'resume', { program: built }),
      unprepared: () => go(stopped, 'resume', { withCheckpoint: false }),
      empty: () => probe('start-up', { dataDir: join(bench.dir, 'empty'), tasks: 0 }),
      whole: async () => {
        await finished.asItWas(true)
        return probe('read-whole', { file: finished.file, records: finished.records })
      },
    },
    { rounds: bench.rounds },
  )

  const ms = find(rounds, 'ms', {
    'follow-up, to its first turn, as built': ({ followUpBuilt }) => followUpBuilt.ms,
    'resume, to its first turn, as built': ({ resumeBuilt }) => resumeBuilt.ms,
    'follow-up, to its first turn': ({ followUp }) => followUp.ms,
    'resume, to its first turn': ({ resume }) => resume.ms,
    'resume without a checkpoint, to its first turn': ({ unprepared }) => unprepared.ms,
    'reading and parsing all of it': ({ whole }) => whole.ms,
  })
  const memory = find(rounds, 'MB', {
    'memory until a follow-up begins, as built (peak)': (one) => one.followUpBuilt.begunMb,
    'memory until a resume begins, as built (peak)': ({ resumeBuilt }) => resumeBuilt.begunMb,
    'memory until a follow-up begins (peak)': ({ followUp }) => followUp.begunMb,
    'memory until a resume begins (peak)': ({ resume }) => resume.begunMb,
    'of that, what the follow-up added': ({ followUp }) => followUp.begunMb - followUp.openMb,
    'of that, what the resume added': ({ resume }) => resume.begunMb - resume.openMb,
    'memory, follow-up, to its end (peak)': ({ followUp }) => followUp.peakMb,
    'memory, resume, to its end (peak)': ({ resume }) => resume.peakMb,
    'memory, follow-up, to its end, as built (peak)': (one) => one.followUpBuilt.peakMb,
    'memory, resume, to its end, as built (peak)': ({ resumeBuilt }) => resumeBuilt.peakMb,
    'memory, resume without a checkpoint (peak)': ({ unprepared }) => unprepared.peakMb,
    'memory, an empty data directory (peak)': ({ empty }) => empty.peakMb,
    'memory, reading all of it (peak)': ({ whole }) => whole.peakMb,
  })
  const ratios = find(rounds, 'x', {
    'all of it over a follow-up': (one) => one.whole.ms / one.followUp.ms,
    'all of it over a resume': (one) => one.whole.ms / one.resume.ms,
    'memory: all of it over a resume': (one) => one.whole.peakMb / one.resume.peakMb,
  })
  const judged = sizes.journalMb >= fullSizes.journalMb
  return {
    title: `Going on with a session of ${Math.round(finished.bytes / 1e6)} MB, ${finished.records} entries`,
    rounds: rounds.length,
    figures: [...Object.values(ms), ...Object.values(memory)],
    ratios: Object.values(ratios),
    verdicts: judged
      ? [
          judge(ms['follow-up, to its first turn, as built'], { atMost: beginsMsMax }),
          judge(ms['resume, to its first turn, as built'], { atMost: beginsMsMax }),
          judge(memory['memory until a follow-up begins, as built (peak)'], {
            atMost: memoryMbMax,
          }),
          judge(memory['memory until a resume begins, as built (peak)'], { atMost: memoryMbMax }),
        ]
      : [],
    notes: [
      'From the call to the first turn of the agent, in a new process that has opened the data directory; in place, without Git.',
      'Memory counts Node itself. Time and memory are judged as built, which is what people run: the sources also need what takes their types out. To its end: until the run is over and all is closed.',
      ...(judged ? [] : [notJudged]),
    ],
  }
}

/** Peak memory once the data directory was open, and once the agent had begun. */
type Begun = { ms: number; openMb: number; begunMb: number; peakMb: number }
