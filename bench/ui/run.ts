/**
 * `npm run bench:ui -- [options]`: measures the built app in Chromium, as docs/PERFORMANCE.md explains. As in `npm run
 * bench`, a missed target is not a failure.
 */
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Bench, Measure } from '../runner/bench.ts'
import { measureAll } from '../runner/measure-all.ts'
import { parseOptions, uiUsage } from '../runner/options.ts'
import type { Measured } from '../runner/rounds.ts'
import { type LongTranscript, makeLongTranscript } from './long-transcript.ts'
import { measureMoving } from './moving.ts'
import { measureNavigation } from './navigation.ts'
import { measureOpeningInWindow } from './opening.ts'
import { measureResting } from './resting.ts'
import { measureStreaming } from './streaming.ts'
import { type Served, serve } from './window-page.ts'

let made: { transcript: LongTranscript; host: Served } | null = null

/** The long transcript and its host are created once and shared by all measurements that need them. */
const withTranscript =
  (measure: (bench: Bench, made: LongTranscript, host: Served) => Promise<Measured>): Measure =>
  async (bench) => {
    if (!made) {
      const dir = join(dirname(bench.dir), 'transcript')
      await mkdir(dir)
      const transcript = await makeLongTranscript({ ...bench, dir })
      made = { transcript, host: await serve(transcript.dataDir) }
    }
    return measure(bench, made.transcript, made.host)
  }

const measurements: Record<string, Measure> = {
  opening: withTranscript(measureOpeningInWindow),
  moving: withTranscript(measureMoving),
  resting: withTranscript(measureResting),
  streaming: measureStreaming,
  navigation: measureNavigation,
}

const options = parseOptions(process.argv.slice(2), Object.keys(measurements))
if (options.kind === 'measure') await measureAll(options, measurements, () => made?.host.close())
else {
  console.log(options.kind === 'help' ? uiUsage : `${options.message}\n\n${uiUsage}`)
  process.exitCode = options.kind === 'help' ? 0 : 2
}
