/** What a command printed is kept whole, wherever its transcript goes. */
import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Shiplog } from '../../src/main/composition/shiplog.ts'
import { textPartBytesMax } from '../../src/shared/contract/workspace.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { entriesOf, openFixture, start, taskOf, untilQuiet } from '../harness.ts'

const loud = `
version: 1
name: loud
agents:
  lead:
    turns:
      - call: task
        with: { agent: worker, title: Be loud, prompt: Go }
      - report: { title: Done, markdown: Done. }
  worker:
    turns:
      - call: bash
        with: { command: "seq 1 600000 | sed 's/$/ é/'; printf %0600000d 0" }
      - report: { title: Printed, markdown: Printed. }
`

async function wholeOf({ client }: Shiplog, taskId: TaskId, sha256: string): Promise<string> {
  let text = ''
  for (let offset: number | null = 0; offset !== null; ) {
    const part: { text: string; nextOffset: number | null } = await client.workspace.readOutput({
      taskId,
      sha256,
      offset,
    })
    expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(textPartBytesMax)
    // Only the long line is cut.
    if (!part.text.endsWith('\n')) expect(part.text).toMatch(/0{1000}$/)
    text += part.text
    offset = part.nextOffset
  }
  return text
}

it('[J10] keeps an output of megabytes whole, through clean-up and archive, and the doctor checks it', async () => {
  const fixture = await openFixture()
  const { shiplog } = fixture
  const root = await start(fixture, loud)
  await untilQuiet(shiplog)
  const { id } = await taskOf(shiplog, 'Be loud')
  const result = (await entriesOf(shiplog, id)).find((entry) => entry.type === 'tool-result')
  const detail = result?.type === 'tool-result' ? result.detail : null
  const { whole } = detail as { whole: { sha256: string; bytes: number } }
  const printed = execFileSync('sh', ['-c', "seq 1 600000 | sed 's/$/ é/'; printf %0600000d 0"], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  expect(whole.bytes).toBe(Buffer.byteLength(printed))
  expect((await wholeOf(shiplog, id, whole.sha256)) === printed).toBe(true)

  await shiplog.client.workspace.remove({ workspaceId: root })
  expect((await wholeOf(shiplog, id, whole.sha256)) === printed).toBe(true)
  const problems = async () => (await shiplog.client.doctor.check({ repair: false })).problems
  expect(await problems()).toEqual([])
  const transcript = join(fixture.dataDir, 'archive', root, 'subagent-transcripts', id)
  await rm(join(transcript, 'blobs', whole.sha256))
  expect(await problems()).toMatchObject([{ kind: 'blob-missing' }])
  await expect(wholeOf(shiplog, id, whole.sha256)).rejects.toThrow('not kept any more')
  for (const sha256 of ['../chat.jsonl', 'f'.repeat(64)])
    await expect(wholeOf(shiplog, id, sha256)).rejects.toThrow('not kept any more')
}, 60_000)
