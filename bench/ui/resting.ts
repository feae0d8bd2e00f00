/** Measures a window with a long transcript open: its memory while the reader moves in it, and its CPU use at rest. */

import { createGenerator } from '../data/generate.ts'
import { type Bench, notJudged } from '../runner/bench.ts'
import { find, judge, type Measured } from '../runner/rounds.ts'
import { hasFullTranscript, type LongTranscript } from './long-transcript.ts'
import { goTo, openWindow, type Served, showRows, viewport } from './window-page.ts'

const memoryMbMax = 350
const growthMax = 1.2
const idleShareMax = 0.01
/** Jumps of the soak, each with some scrolling; every tenth goes to another screen and back. */
const soakJumps = 200
const scrolledPx = 4_000
/** V8 collects what the jumps left in steps, until ten seconds after the last one or so. That is work, not rest. */
const untilRestMs = 20_000
const restMs = 15_000

export async function measureResting(
  bench: Bench,
  made: LongTranscript,
  host: Served,
): Promise<Measured> {
  const judged = hasFullTranscript(bench)
  const jumps = judged ? soakJumps : soakJumps / 10
  bench.say(`moving ${jumps} times, and resting`)
  const { below } = createGenerator(bench.seed)
  const window = await openWindow(host.url)
  const { page, cdp, memory, cpuSeconds } = window
  try {
    await showRows(page, `#/t/${made.long}`)
    const opened = await memory()
    let quarter = opened
    for (let n = 1; n <= jumps; n++) {
      await showRows(page, `#/t/${made.long}?seq=${1 + below(made.entries)}`)
      await cdp.send('Input.synthesizeScrollGesture', {
        x: viewport.width / 2,
        y: viewport.height / 2,
        yDistance: -scrolledPx,
        speed: 20_000,
        gestureSourceType: 'mouse',
      })
      if (n % 10 === 0) {
        await goTo(page, '#/settings')
        await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
      }
      if (n === Math.ceil(jumps / 4)) quarter = await memory()
    }
    await showRows(page, `#/t/${made.long}`)
    const walked = await memory()
    await page.waitForTimeout(judged ? untilRestMs : untilRestMs / 10)
    const before = await cpuSeconds()
    await page.waitForTimeout(restMs)
    const share = ((await cpuSeconds()) - before) / (restMs / 1_000)

    const used = find([{ opened, quarter, walked }], 'MB', {
      'memory of the page’s process, opened at its end': (one) => one.opened.ownMb,
      'memory of the page’s process, after the soak': (one) => one.walked.ownMb,
      'heap, opened at its end': (one) => one.opened.heapMb,
      'heap after a quarter of the soak': (one) => one.quarter.heapMb,
      'heap after the soak': (one) => one.walked.heapMb,
    })
    const growth = find([{ quarter, walked }], 'x', {
      'heap after the soak over heap after a quarter': (one) =>
        one.walked.heapMb / one.quarter.heapMb,
    })
    const rest = find([{ share }], '%', {
      'processor of the page’s process at rest': (one) => one.share * 100,
    })
    return {
      title: `A window at work and at rest on a transcript of ${bench.sizes.journalMb} MB, ${made.entries} entries`,
      rounds: 1,
      figures: [...Object.values(used), ...Object.values(rest)],
      ratios: Object.values(growth),
      verdicts: judged
        ? [
            judge(used['memory of the page’s process, after the soak'], { atMost: memoryMbMax }),
            judge(growth['heap after the soak over heap after a quarter'], { atMost: growthMax }),
            judge(rest['processor of the page’s process at rest'], { atMost: idleShareMax * 100 }),
          ]
        : [],
      notes: [
        `The soak: ${jumps} jumps to random entries with scrolling, every tenth by way of the settings. Rest: ${restMs / 1_000} s with the transcript open, ${untilRestMs / 1_000} s after the last jump.`,
        'Memory is what the process shares with no other (/proc/PID/smaps_rollup), after a collection.',
        ...(judged ? [] : [notJudged]),
      ],
    }
  } finally {
    await window.close()
  }
}
