/** The first system of PRODUCT: sub-agent resume and transcript persistence, walked step by step. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openShiplog } from '../../src/main/shiplog.ts'
import { openFixture, start, taskOf, untilQuiet } from '../harness.ts'

const scenario = `
version: 1
name: pair
agents:
  lead:
    turns:
      - call: task
        with: { agent: scout, title: Scout, prompt: Look around }
      - report: { title: Done, markdown: All done. }
  scout:
    turns:
      - say: I look around.
      - report: { title: Seen, markdown: All quiet. }
`

describe('sub-agent resume and transcript persistence', () => {
  afterEach(() => void vi.useRealTimers())

  it('[X1][X2][X3] TTL prune at start: 30 days after its last activity a transcript goes to the trash, its report stays', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const fixture = await openFixture()
    await start(fixture, scenario)
    await untilQuiet(fixture.shiplog)
    const { id: scout } = await taskOf(fixture.shiplog, 'Scout')
    await fixture.shiplog.close()

    const startAfter = async (days: number) => {
      vi.setSystemTime(Date.now() + days * 86_400_000)
      const shiplog = await openShiplog({ dataDir: fixture.dataDir, host: 'web' })
      onTestFinished(() => shiplog.close())
      // It waits for what goes on in the background, and finds everything in order.
      expect(await shiplog.client.doctor.check({ repair: false })).toMatchObject({ problems: [] })
      return shiplog
    }
    const transcriptOf = async ({ client }: Awaited<ReturnType<typeof startAfter>>) =>
      client.workspace.getSubagentTranscript({ taskId: scout })

    const young = await startAfter(29)
    expect(await transcriptOf(young)).toMatchObject({ status: 'complete' })
    const { entries } = await transcriptOf(young)
    await young.close()

    const old = await startAfter(2)
    expect(await transcriptOf(old)).toMatchObject({ status: 'expired', entries: [] })
    expect((await old.client.tasks.report({ taskId: scout })).reportMarkdown).toBe('All quiet.')
    expect(await readdir(join(fixture.dataDir, 'trash'))).toEqual([`transcript-${scout}`])
    const [notice] = (await old.client.app.info()).notices
    expect(notice?.text).toMatch(/^Moved 1 transcript \(.+\) older than 30 days to the trash\.$/)

    await old.client.retention.undo({ receiptId: notice?.receiptId ?? '' })
    expect(await transcriptOf(old)).toMatchObject({ status: 'complete', entries })
    await old.close()

    // Taken back, it is as if it had been active on that day.
    const again = await startAfter(31)
    expect(await transcriptOf(again)).toMatchObject({ status: 'expired' })
    await again.close()
    const gone = await startAfter(8)
    expect((await transcriptOf(gone)).expired?.purgedAt).not.toBeNull()
    expect(await readdir(join(fixture.dataDir, 'trash'))).toEqual([])
    expect((await gone.client.tasks.report({ taskId: scout })).reportMarkdown).toBe('All quiet.')
  })
})
