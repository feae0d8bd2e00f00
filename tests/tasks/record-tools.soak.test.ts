import { expect, it } from 'vitest'
import type { ToolResultEntry } from '../../src/shared/records/entry-types/tool-calls.ts'
import { shortId, type TaskId } from '../../src/shared/records/ids.ts'
import { entriesOf, openFixture, start, taskOf, untilQuiet } from '../harness.ts'

const reads = (id: TaskId) => `
version: 1
name: reads
agents:
  lead:
    turns:
      - call: task
        with: { agent: helper, title: Helping, prompt: Look for the puffin }
      - call: search_record
        with: { query: puffin }
      - call: list_failures
        with: {}
      - call: files_touched
        with: { path: puffin.txt }
      - call: read_report
        with: { task: ${id} }
      - report: { title: Read, markdown: It was there. }
  helper:
    turns:
      - call: write_file
        with: { path: puffin.txt, content: "beak" }
      - report: { title: Found, markdown: A puffin was there. }
`

it('[A5] lets an agent read the record of its sub-agents with the record tools, if its tree may', async () => {
  const fixture = await openFixture()
  const elsewhere = `
version: 1
name: elsewhere
agents:
  lead:
    turns:
      - report: { title: Elsewhere, markdown: Another puffin. }
`
  const other = await start(fixture, elsewhere, { prompt: 'Count every puffin' })
  await untilQuiet(fixture.shiplog)
  const may = await start(fixture, reads(other), { readsRecord: true })
  await untilQuiet(fixture.shiplog)
  const mayNot = await start(fixture, reads(other))
  await untilQuiet(fixture.shiplog)

  const resultsOf = async (id: TaskId) => {
    const entries = await entriesOf(fixture.shiplog, id)
    const results = entries.filter((one): one is ToolResultEntry => one.type === 'tool-result')
    return new Map(results.map(({ name, outcome, output }) => [name, `${outcome}: ${output}`]))
  }
  const found = await resultsOf(may)
  const helper = (await taskOf(fixture.shiplog, may)).children[0]
  expect(found.get('search_record')).toContain(`shiplog://task/${helper?.id}?seq=`)
  expect(found.get('files_touched')).toContain(shortId(helper?.id as TaskId))
  for (const name of ['search_record', 'files_touched'])
    expect(found.get(name)).not.toContain(shortId(other))
  expect(found.get('list_failures')).toBe('ok: No task failed or was interrupted.')
  expect(found.get('read_report')).toMatch(/^error: .*(scope|below)/)

  const refused = await resultsOf(mayNot)
  for (const name of ['search_record', 'files_touched', 'list_failures', 'read_report'])
    expect(refused.get(name)).toMatch(/^error: Agents of this tree may not read the record/)
})
