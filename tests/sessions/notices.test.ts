import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Shiplog } from '../../src/main/composition/shiplog.ts'
import { type Fixture, openFixture, start, until, untilQuiet } from '../harness.ts'

const short = `
version: 1
name: short
agents:
  lead:
    turns:
      - say: One.
      - say: Two.
`

const noticesOf = async ({ client }: Shiplog) => (await client.app.info()).notices

async function ended(): Promise<{ fixture: Fixture; chat: string; prompt: () => Promise<void> }> {
  const fixture = await openFixture()
  const taskId = await start(fixture, short)
  await untilQuiet(fixture.shiplog)
  const prompt = async () => {
    const before = fixture.shiplog
    const { runs = [] } = (await before.client.tasks.list({ all: true })).tasks[0] ?? {}
    await before.client.tasks.prompt({ taskId, prompt: 'Go on' })
    await until(before, ([root]) => root?.runs[runs.length]?.status === 'completed')
  }
  return { fixture, chat: join(fixture.dataDir, 'sessions', taskId, 'chat.jsonl'), prompt }
}

it('[J4] reports a transcript that a start healed in the notice of its repairs', async () => {
  const { fixture, chat } = await ended()
  await fixture.shiplog.close()
  // As a crash would leave it: the run has not ended in the ledger, and a write was cut short.
  const ledger = join(fixture.dataDir, 'ledger.jsonl')
  const lines = (await readFile(ledger, 'utf8')).split('\n')
  await writeFile(ledger, `${lines.slice(0, -2).join('\n')}\n{"torn`)
  await appendFile(chat, '{"v":1,"seq":')
  const infos = (await noticesOf(await fixture.restart())).filter(({ tone }) => tone === 'info')
  expect(infos).toHaveLength(1)
  expect(infos[0]).toMatchObject({
    text: 'Shiplog didn’t shut down cleanly. The log was repaired.',
    details: [
      expect.stringMatching(/^ledger\.jsonl ended in 6 bytes/),
      expect.stringMatching(/^Do it \([0-9a-f]{8}\): chat\.jsonl ended in 13 bytes/),
    ],
  })
})

it('[J4] reports a transcript that is healed when it is opened later', async () => {
  const { fixture, chat, prompt } = await ended()
  await fixture.shiplog.close()
  await appendFile(chat, '{"v":1,"seq":')
  const shiplog = await fixture.restart()
  expect(await noticesOf(shiplog)).toEqual([])
  await prompt()
  expect(await noticesOf(shiplog)).toMatchObject([
    { tone: 'info', text: 'The transcript of "Do it" ended abruptly and was repaired.' },
  ])
})

it('[J4] reports damage in an opened transcript once, with line and reason', async () => {
  const { fixture, chat, prompt } = await ended()
  await fixture.shiplog.close()
  const lines = (await readFile(chat, 'utf8')).split('\n')
  lines[1] = (lines[1] ?? '').replace(/.{3}$/, '???')
  await writeFile(chat, lines.join('\n'))
  const shiplog = await fixture.restart()
  await prompt()
  await prompt()
  expect(await noticesOf(shiplog)).toMatchObject([
    {
      tone: 'warning',
      text: '1 place in the transcript of "Do it" can’t be read. Everything else can. Run shiplog doctor to see what is affected.',
      details: [expect.stringMatching(/^chat\.jsonl:2 .*bad checksum/)],
    },
  ])
})
