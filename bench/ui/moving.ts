/** Measures moving in a long transcript: jumps, scrolling, and dragging through its replay. */
import type { CDPSession, Page } from 'playwright'
import { createGenerator } from '../data/generate.ts'
import { type Bench, notJudged } from '../runner/bench.ts'
import { alternate, find, judge, type Measured, quantile } from '../runner/rounds.ts'
import { hasFullTranscript, type LongTranscript, longTitle } from './long-transcript.ts'
import {
  goTo,
  openWindow,
  rows,
  type Served,
  showRows,
  viewport,
  type Window,
} from './window-page.ts'

const jumpMsMax = 100
const frameMsMax = 20
const rowsMax = 200
const jumpsARound = 30
const scrolledPx = 24_000
const scrollPxPerSecond = 6_000
/** Positions of the pointer in one drag there and back. */
const dragSteps = 120
const list = `section[aria-label="Transcript of ${longTitle}"]`

export async function measureMoving(
  bench: Bench,
  made: LongTranscript,
  host: Served,
): Promise<Measured> {
  bench.say('jumping, scrolling and dragging')
  const window = await openWindow(host.url)
  const plain = await openWindow('about:blank')
  const { below } = createGenerator(bench.seed)
  try {
    const { page, cdp } = window
    await showRows(page, `#/t/${made.long}`)
    await plain.page.setContent(plainPage)
    const randomSeq = () => 1 + below(made.entries)
    const found = await alternate(
      {
        jump: async () => {
          const taken: number[] = []
          for (let n = 0; n < jumpsARound; n++) taken.push(await jump(page, made.long, randomSeq()))
          return { p95: quantile(taken, 0.95), median: quantile(taken, 0.5) }
        },
        scroll: async () => {
          await jump(page, made.long, randomSeq())
          return scroll(window)
        },
        plain: () => scroll(plain),
        scrub: async () => {
          await openReplay(page, made.long)
          const dragged = await drag(page, cdp)
          await showRows(page, `#/t/${made.long}`)
          return dragged
        },
      },
      { rounds: bench.rounds },
    )
    const ms = find(found, 'ms', {
      'a jump, until its rows are painted (p95)': ({ jump }) => jump.p95,
      'a jump (median)': ({ jump }) => jump.median,
      'between frames while scrolling (p95)': ({ scroll }) => scroll.p95,
      'between frames while scrolling (longest)': ({ scroll }) => scroll.longest,
      'between frames while scrolling a plain page (p95)': ({ plain }) => plain.p95,
      'between frames while dragging through the replay (p95)': ({ scrub }) => scrub.p95,
      'from the pointer to the frame in the replay (p95)': ({ scrub }) => scrub.toPaint,
    })
    const ratios = find(found, 'x', {
      'frames while scrolling over those of a plain page (p95)': (one) =>
        one.scroll.p95 / one.plain.p95,
      'frames while dragging over those of a plain page (p95)': (one) =>
        one.scrub.p95 / one.plain.p95,
    })
    const most = find(found, 'rows', {
      'rows of the transcript in the page (most)': ({ scroll }) => scroll.rows,
    })
    const judged = hasFullTranscript(bench)
    return {
      title: `Moving in a transcript of ${bench.sizes.journalMb} MB, ${made.entries} entries`,
      rounds: found.length,
      figures: [...Object.values(ms), ...Object.values(most)],
      ratios: Object.values(ratios),
      verdicts: judged
        ? [
            judge(ms['a jump, until its rows are painted (p95)'], { atMost: jumpMsMax }),
            judge(ms['between frames while scrolling (p95)'], { atMost: frameMsMax }),
            judge(ms['between frames while dragging through the replay (p95)'], {
              atMost: frameMsMax,
            }),
            judge(most['rows of the transcript in the page (most)'], { atMost: rowsMax }),
          ]
        : [],
      notes: [
        `A jump goes to a random entry by its address. Scrolling: ${scrolledPx} px at ${scrollPxPerSecond} px a second from a random entry, there and back.`,
        'The plain page is 3,000 paragraphs in a box as high as a browser allows, without a script. Chromium paints on the processor: no GPU is used.',
        ...(judged ? [] : [notJudged]),
      ],
    }
  } finally {
    await window.close()
    await plain.close()
  }
}

function jump(page: Page, taskId: string, seq: number): Promise<number> {
  return page.evaluate(
    ({ hash, within, wanted }) =>
      new Promise<number>((resolve) => {
        const started = performance.now()
        window.location.hash = hash
        benchProbe.afterPaint(function look(now) {
          // A row may show several entries.
          const isThere = benchProbe.rowsInView(within).some((at) => Math.abs(at - wanted) <= 8)
          if (isThere) resolve(now - started)
          else benchProbe.afterPaint(look)
        })
      }),
    { hash: `#/t/${taskId}?seq=${seq}`, within: list, wanted: seq },
  )
}

/** Scrolls by wheel, there and back. */
async function scroll({ page, cdp }: Window) {
  const frames = await page.evaluateHandle(() => benchProbe.frames())
  const most = await page.evaluateHandle((selector) => {
    const state = { rows: 0 }
    new MutationObserver(() => {
      state.rows = Math.max(state.rows, document.querySelectorAll(selector).length)
    }).observe(document.body, { childList: true, subtree: true })
    return state
  }, rows)
  for (const yDistance of [-scrolledPx, scrolledPx])
    await cdp.send('Input.synthesizeScrollGesture', {
      x: viewport.width / 2,
      y: viewport.height / 2,
      yDistance,
      speed: scrollPxPerSecond,
      gestureSourceType: 'mouse',
    })
  const times = await frames.evaluate((running) => running.stop())
  const shown = await most.evaluate((state) => state.rows)
  return { p95: quantile(times, 0.95), longest: Math.max(...times), rows: shown }
}

async function openReplay(page: Page, taskId: string): Promise<void> {
  await goTo(page, `#/t/${taskId}/transcript/${taskId}?replay`)
  const slider = page.getByRole('slider', { name: 'Moment' })
  await slider.waitFor()
  await page.getByText('Reading the timeline').waitFor({ state: 'hidden' })
}

async function drag(page: Page, cdp: CDPSession) {
  const box = await page.getByRole('slider', { name: 'Moment' }).boundingBox()
  if (!box) throw new Error('The timeline has no place in the window.')
  const y = box.y + box.height / 2
  const at = (step: number) =>
    box.x + (box.width - 2) * (1 - Math.abs(1 - (2 * step) / dragSteps)) + 1
  const send = (type: 'mousePressed' | 'mouseMoved' | 'mouseReleased', x: number) =>
    cdp.send('Input.dispatchMouseEvent', {
      type,
      x,
      y,
      button: 'left',
      buttons: 1,
      clickCount: type === 'mouseMoved' ? 0 : 1,
    })
  await send('mousePressed', at(0))
  const frames = await page.evaluateHandle(() => benchProbe.frames())
  const moves = await page.evaluateHandle(() => benchProbe.toPaint('pointermove'))
  for (let step = 1; step <= dragSteps; step++) {
    await send('mouseMoved', at(step))
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
  }
  const times = await frames.evaluate((running) => running.stop())
  const toPaint = await moves.evaluate((running) => running.stop())
  await send('mouseReleased', at(dragSteps))
  return { p95: quantile(times, 0.95), toPaint: quantile(toPaint, 0.95) }
}

/** Chromium's limit for the height of a page is about 33 million pixels. */
const plainPage = `<!doctype html><body style="margin:0;font:14px sans-serif;height:32000000px">${'<p>The tide is under the lantern, the pilot and the mast.</p>'.repeat(3_000)}</body>`
