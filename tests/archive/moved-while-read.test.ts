import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { record } from '../crash/fault-fs/record.ts'
import { entriesOf, openFixture, start, taskOf, until } from '../harness.ts'

const scenario = `
version: 1
name: family
agents:
  lead:
    turns:
      - call: task
        with: { agent: leaf, title: Leaf, prompt: Go }
      - say: It is back.
  leaf:
    turns:
      - say: Here I am.
      - report: { title: Leaf, markdown: Done. }
`

it.skipIf(process.platform === 'win32')(
  '[A5] reads a transcript that is moved up between being found and being opened',
  async () => {
    const fixture = await openFixture()
    const root = await start(fixture, scenario, { keep: true })
    await until(fixture.shiplog, (tasks) =>
      tasks.some(({ id, status }) => id === root && status === 'completed'),
    )
    const { id } = await taskOf(fixture.shiplog, 'Leaf')
    const before = await entriesOf(fixture.shiplog, id)
    const here = join('sessions', id, 'chat.jsonl')
    const there = join('sessions', root, 'subagent-transcripts', id, 'chat.jsonl')
    let moved = false
    const recording = record(fixture.dataDir, {
      inject({ call, path }) {
        if (moved || call !== 'open' || path !== here) return null
        moved = true
        // By another process: what this one does is being watched.
        execFileSync('mkdir', ['-p', dirname(there)], { cwd: fixture.dataDir })
        execFileSync('mv', [here, there], { cwd: fixture.dataDir })
        return null
      },
    })
    const after = await entriesOf(fixture.shiplog, id).finally(() => recording.stop())
    expect(moved).toBe(true)
    expect(after).toEqual(before)
  },
)
