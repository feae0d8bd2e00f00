/** An export in the shape of Claude Code's sessions, imported again. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { claudeCodeAdapter } from '../../src/main/imports/adapters/claude-code/index.ts'
import { entriesOf, openFixture, start, temporaryDir, untilQuiet } from '../harness.ts'
import { readSessions } from '../imports/read-session.ts'

const scenario = `
version: 1
name: fails
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo well" }
      - call: bash
        with: { command: "echo badly; exit 3" }
      - say: Done.
`

it('[E1] has the outcome of each call', async () => {
  const fixture = await openFixture()
  const { shiplog } = fixture
  const taskId = await start(fixture, scenario)
  await untilQuiet(shiplog)
  let text = ''
  for await (const event of await shiplog.client.exports.read({ taskId, format: 'claude-code' }))
    if (event.type === 'text') text += event.text
  const file = join(await temporaryDir(), `${taskId}.jsonl`)
  await writeFile(file, text)
  const [again] = await readSessions(claudeCodeAdapter, file)
  const outcomes = (entries: Awaited<ReturnType<typeof entriesOf>>) =>
    entries.flatMap((entry) => (entry.type === 'tool-result' ? [entry.outcome] : []))
  expect(outcomes(again?.entriesOf('') ?? [])).toEqual(['ok', 'error'])
  expect(outcomes(await entriesOf(shiplog, taskId))).toEqual(['ok', 'error'])
})
