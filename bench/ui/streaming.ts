/**
 * Measures the time from a key press to its character on screen, in the prompt of a running agent, while several
 * stream.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { Page } from 'playwright'
import { WebSocket } from 'ws'
import type { ShiplogClient } from '../../src/shared/contract/index.ts'
import { startModelService } from '../models/service.ts'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { alternate, find, judge, type Measured, quantile } from '../runner/rounds.ts'
import { openWindow, type Served, serve, showRows } from './window-page.ts'

const keyMsMax = 32
/** Fast typing: twelve keys a second. */
const keysARound = 100
const betweenKeysMs = 80
const typed = 'the tide is under the lantern and '

export async function measureStreaming(bench: Bench): Promise<Measured> {
  const { streaming: agents } = bench.sizes
  const service = await startModelService('streaming-model.ts')
  const projectDir = join(bench.dir, 'project')
  await mkdir(projectDir)
  await writeFile(join(projectDir, 'a.txt'), 'A file.\n')
  const host = await serve(join(bench.dir, 'data'))
  const window = await openWindow(host.url)
  const plain = await openWindow('about:blank')
  try {
    bench.say(`starting ${agents} agents`)
    const [shown] = await startAgents(host, { agents, projectDir, baseUrl: service.baseUrl })
    const { page } = window
    await showRows(page, `#/t/${shown}`)
    await plain.page.setContent('<textarea rows="3" cols="80"></textarea>')
    bench.say('typing')
    const found = await alternate(
      {
        app: () => typeIn(page, 'textarea'),
        plain: () => typeIn(plain.page, 'textarea'),
      },
      { rounds: bench.rounds },
    )
    const ms = find(found, 'ms', {
      'from a key to the painted letter (p95)': ({ app }) => app.p95,
      'from a key to the painted letter (median)': ({ app }) => app.median,
      'the same in a plain page (p95)': ({ plain }) => plain.p95,
      'between frames meanwhile (p95)': ({ app }) => app.frameP95,
      'between frames of the plain page (p95)': ({ plain }) => plain.frameP95,
    })
    const ratios = find(found, 'x', {
      'a key in the window over one in a plain page (p95)': (one) => one.app.p95 / one.plain.p95,
    })
    const judged = agents >= fullSizes.streaming
    return {
      title: `Typing while ${agents} agents stream`,
      rounds: found.length,
      figures: Object.values(ms),
      ratios: Object.values(ratios),
      verdicts: judged
        ? [judge(ms['from a key to the painted letter (p95)'], { atMost: keyMsMax })]
        : [],
      notes: [
        'Each agent writes about 100 tokens a second; the shown one does too. The plain page is a text field alone, on the same machine at the same time.',
        `${keysARound} keys a round, twelve a second, timed from the event to the frame that was painted after it.`,
        ...(judged ? [] : [notJudged]),
      ],
    }
  } finally {
    await window.close()
    await plain.close()
    await host.close()
    await service.stop()
  }
}

async function typeIn(page: Page, field: string) {
  await page.locator(field).first().fill('')
  await page.locator(field).first().focus()
  const keys = await page.evaluateHandle(() => benchProbe.toPaint('keydown'))
  const frames = await page.evaluateHandle(() => benchProbe.frames())
  for (let n = 0; n < keysARound; n++) {
    await page.keyboard.press(
      typed[n % typed.length] === ' ' ? 'Space' : (typed[n % typed.length] ?? 'a'),
    )
    await page.waitForTimeout(betweenKeysMs)
  }
  const taken = await keys.evaluate((running) => running.stop())
  const times = await frames.evaluate((running) => running.stop())
  return {
    p95: quantile(taken, 0.95),
    median: quantile(taken, 0.5),
    frameP95: quantile(times, 0.95),
  }
}

async function startAgents(
  { url }: Served,
  { agents, projectDir, baseUrl }: { agents: number; projectDir: string; baseUrl: string },
) {
  const { origin, port, hash } = new URL(url)
  const protocols = ['shiplog.v1', `token.${hash.slice('#token='.length)}`]
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, protocols, { origin })
  const client: ShiplogClient = createORPCClient(new RPCLink({ websocket: socket }))
  const { id: projectId } = await client.projects.add({ dir: projectDir })
  await client.models.saveProvider({ name: 'quick', kind: 'openai-compatible', baseUrl })
  const started = await Promise.all(
    Array.from({ length: agents }, (_, n) =>
      client.tasks.start({
        projectId,
        prompt: `Agent ${n}: read what there is.`,
        permissions: 'allow-all',
        agent: { kind: 'model', model: 'quick/quick' },
      }),
    ),
  )
  socket.close()
  return started.map(({ taskId }) => taskId)
}
