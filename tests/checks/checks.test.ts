/** The checks of a transcript in a real project: which run counts, and whether its files are still the same. */
import { expect, it } from 'vitest'
import { openFixture, start, untilQuiet } from '../harness.ts'

const scenario = `
version: 1
name: checks
agents:
  lead:
    turns:
      - call: write_file
        with:
          path: package.json
          content: '{"scripts":{"test":"node --test","lint":"node lint.js","build":"node build.js"}}'
      - call: write_file
        with: { path: a.test.js, content: "process.exitCode = 1" }
      - call: bash
        with: { command: "npm test --silent" }
      - call: bash
        with: { command: "true; npm run lint --silent 2>/dev/null" }
      - call: write_file
        with: { path: a.test.js, content: "" }
      - call: bash
        with: { command: "npm test --silent && echo well" }
      - call: bash
        with: { command: "npm run build --silent", background: true }
      - call: bash
        with: { command: "node --test --watch", background: true }
      - call: bash_output
        with: { id: b1, waitMs: 60000 }
      - report: { title: Done, markdown: "All tests pass. {{last.output}}" }
`

it('lists the newest run of each check, whether it applies to the delivered files, and checks that never ran', async () => {
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const lead = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const { checks, neverRan, more } = await client.checks.list({ taskId: lead })
  expect(checks).toMatchObject([
    { kind: 'build', outcome: 'failed', exitCode: 1, end: 'known', turn: 9, state: 'fresh' },
    { kind: 'tests', outcome: 'unclear', exitCode: null, end: 'running', turn: 8 },
    { kind: 'tests', outcome: 'passed', exitCode: 0, times: 2, state: 'fresh', changed: [] },
    { kind: 'lint', outcome: 'failed', times: 1, state: 'stale', changed: ['a.test.js'] },
  ])
  expect({ neverRan, more }).toEqual({ neverRan: [], more: 0 })
  const [, , tests] = checks
  const page = await client.transcripts.page({
    taskId: lead,
    at: { seq: tests?.seq ?? 0 },
    limit: 1,
  })
  expect(page.entries).toMatchObject([{ type: 'tool-call', callId: tests?.callId }])
  await expect(
    client.checks.list({ taskId: lead, requestingWorkspaceId: lead }),
  ).rejects.toMatchObject({ code: 'OUT_OF_SCOPE' })
})
