/** Measures starts of Git by a process with much memory, and by its launcher (`src/main/processes/launcher`). */
import { setTimeout as sleep } from 'node:timers/promises'
import { startLauncher } from '../../src/main/processes/launcher/launcher.ts'
import { startHere } from '../../src/main/processes/launcher/program.ts'
import type { Bench } from '../runner/bench.ts'
import { alternate, find, type Measured, timed } from '../runner/rounds.ts'

/** About the memory of a host that shows long transcripts. */
const heldMb = 300
const starts = 100

export async function measureProgramStarts({ dir, rounds }: Bench): Promise<Measured> {
  const held = Array.from({ length: heldMb }, () => Buffer.alloc(1024 * 1024, 1))
  const launcher = startLauncher()
  while (!launcher.isReady()) await sleep(10)
  const start = { file: 'git', args: ['--version'], cwd: dir, env: process.env }
  const startAll = async (by: typeof startHere) => {
    let blockedMs = 0
    const ms = await timed(async () => {
      for (let n = 0; n < starts; n++) {
        const begunAt = performance.now()
        const program = by(start, { onStdout: () => {}, onStderr: () => {} })
        blockedMs += performance.now() - begunAt
        if ((await program.ended) !== 0) throw new Error('git --version failed')
      }
    })
    return { ms: ms / starts, blockedMs: blockedMs / starts }
  }
  const found = await alternate(
    { here: () => startAll(startHere), launched: () => startAll(launcher.start) },
    { rounds },
  )
  launcher.close()
  const ms = find(found, 'ms', {
    'a Git, started here': ({ here }) => here.ms,
    'a Git, by the launcher': ({ launched }) => launched.ms,
    'main thread blocked, started here': ({ here }) => here.blockedMs,
    'main thread blocked, by the launcher': ({ launched }) => launched.blockedMs,
  })
  const ratios = find(found, 'x', {
    'a Git here over one by the launcher': (one) => one.here.ms / one.launched.ms,
    'main thread blocked here over by the launcher': (one) =>
      one.here.blockedMs / one.launched.blockedMs,
  })
  return {
    title: `Starting Git ${starts} times in a process of ${held.length} MB`,
    rounds,
    figures: Object.values(ms),
    ratios: Object.values(ratios),
    verdicts: [],
    notes: ['From the start to the end of a `git --version`, one after the other.'],
  }
}
