import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Shiplog } from '../../src/main/composition/shiplog.ts'
import { openFixture, start, taskOf, untilQuiet } from '../harness.ts'

const scenario = `
version: 1
name: search
agents:
  lead:
    turns:
      - think: A thoughtful albatross.
      - call: bash
        with: { command: "for n in 1 2 3; do echo printed-cormorant; done; exit 3" }
      - call: task
        with: { agent: helper, title: Helping, prompt: Look for the puffin }
      - report: { title: Talked, markdown: The albatross flew. }
  helper:
    turns:
      - call: bash
        with: { command: "seq 1 30000 | sed 's/$/ gannet/'; echo last-of-the-output" }
      - report: { title: Found, markdown: A puffin was there. }
`

const find = ({ client }: Shiplog, query: string, isPattern = false) =>
  client.search.find({ query, wait: true, isPattern })
const hitsOf = async (shiplog: Shiplog, query: string, isPattern = false) =>
  (await find(shiplog, query, isPattern)).hits.map(({ kind, title }) => [kind, title])

describe('search', () => {
  it('[F1] finds texts of live and removed agents at their entries, through removal, trash and restore', async () => {
    const fixture = await openFixture()
    const { shiplog, project } = fixture
    const lead = await start(fixture, scenario)
    await untilQuiet(shiplog)
    const helper = await taskOf(shiplog, 'Helping')

    const answer = await find(shiplog, 'puffin')
    expect(answer.index).toMatchObject({ state: 'ready', indexed: 2, total: 2 })
    const [report, prompt] = answer.hits
    expect(report).toMatchObject({
      kind: 'report',
      taskId: helper.id,
      rootId: lead,
      archived: true,
      snippet: 'Found A puffin was there.',
      marks: [[8, 14]],
    })
    expect(prompt).toMatchObject({ kind: 'prompt', taskId: helper.id })
    for (const { taskId, seq } of answer.hits) {
      const { entries } = await shiplog.client.transcripts.page({
        taskId,
        at: { seq: seq ?? 0 },
        limit: 1,
        previews: true,
      })
      expect(JSON.stringify(entries)).toContain('puffin')
    }

    expect(await hitsOf(shiplog, 'ormorant is:error tool:bash')).toMatchObject([
      ['output', 'Do it'],
    ])
    expect(await hitsOf(shiplog, 'albatross kind:reasoning')).toHaveLength(1)
    // An agent searches what is below it, whatever it asks for (A5).
    const asLead = { query: `cormorant task:${lead}`, wait: true, requestingWorkspaceId: lead }
    const ofOthers = await shiplog.client.search.find(asLead)
    expect(ofOthers.hits).toEqual([])
    const below = await shiplog.client.search.find({ ...asLead, query: 'puffin' })
    expect(below.hits.map(({ taskId }) => taskId)).toEqual(Array(3).fill(helper.id))
    // What the command printed beyond what its agent was given.
    expect(await hitsOf(shiplog, '"15000 gannet"')).toMatchObject([['output', 'Helping']])
    expect((await find(shiplog, '"15000 gannet"')).hits[0]?.snippet).toContain('15000 gannet')
    expect(await hitsOf(shiplog, '^15\\d{3} gannet$', true)).toMatchObject([['output', 'Helping']])
    const ofHelper = await find(shiplog, `puffin project:${project.name} agent:helper`)
    expect(new Set(ofHelper.hits.map(({ taskId }) => taskId))).toEqual(new Set([helper.id]))
    expect(await hitsOf(shiplog, 'puffin project:nosuch')).toEqual([])
    expect(await hitsOf(shiplog, `puffin task:${lead.slice(0, 8)}`)).toHaveLength(
      answer.hits.length,
    )

    await shiplog.client.workspace.remove({ workspaceId: lead })
    expect(await hitsOf(shiplog, 'albatross is:archived kind:report')).toHaveLength(1)
    await shiplog.client.workspace.trash({ workspaceId: lead })
    expect(await hitsOf(shiplog, 'albatross')).toEqual([])
    await shiplog.client.workspace.untrash({ workspaceId: lead })
    expect(await hitsOf(shiplog, 'albatross kind:report')).toHaveLength(1)
    await shiplog.client.tasks.rename({ taskId: lead, title: 'Renamed kittiwake' })
    expect(await hitsOf(shiplog, 'kittiwa kind:title')).toHaveLength(1)
  })

  it('[F2] is complete again after its index was deleted, and works if that can’t be written', async () => {
    const fixture = await openFixture()
    await start(fixture, scenario)
    await untilQuiet(fixture.shiplog)
    const before = await hitsOf(fixture.shiplog, 'puffin')
    expect(before.length).toBeGreaterThan(1)
    const file = join(fixture.dataDir, 'search.db')
    await fixture.shiplog.close()
    expect(existsSync(file)).toBe(true)
    for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true })
    expect(await hitsOf(await fixture.restart(), 'puffin')).toEqual(before)
    await fixture.shiplog.close()
    await rm(file)
    await mkdir(file)
    const { hits, index } = await find(await fixture.restart(), 'puffin')
    expect(index).toMatchObject({ state: 'unavailable' })
    const { shiplog } = fixture
    expect(await hitsOf(shiplog, 'puffin kind:report -was')).toEqual([])
    expect(await hitsOf(shiplog, 'puffin kind:report -wa')).toHaveLength(1)
    expect(hits.map(({ kind, title }) => [kind, title]).toSorted()).toEqual(before.toSorted())
  })

  it('names the filters whose value nothing has, with the name that was meant', async () => {
    const fixture = await openFixture()
    const { shiplog } = fixture
    await start(fixture, scenario)
    await untilQuiet(shiplog)
    const unmatched = async (query: string) => (await find(shiplog, query)).unmatched
    expect(await unmatched('tool:bsh puffin')).toEqual([
      { filter: 'tool', value: 'bsh', near: 'bash' },
    ])
    expect(await unmatched('agent:leda project:nothing-like-it')).toEqual([
      { filter: 'project', value: 'nothing-like-it', near: null },
      { filter: 'agent', value: 'leda', near: 'lead' },
    ])
    expect(await unmatched('tool:bash nowhere-at-all')).toEqual([])
    expect(await unmatched('tool:bsh tool:bash cormorant')).toEqual([])
    await expect(find(shiplog, 'is:eror')).rejects.toThrow('Did you mean is:error?')
  })
  it('ends a pattern that takes exponential time, and continues', async () => {
    const fixture = await openFixture()
    await start(
      fixture,
      `
version: 1
name: slow
agents:
  lead:
    turns:
      - say: ${'a'.repeat(60)}!
`,
    )
    await untilQuiet(fixture.shiplog)
    const { client } = fixture.shiplog
    const abort = new AbortController()
    const slow = client.search.find({ query: '(a+)+$', isPattern: true }, { signal: abort.signal })
    slow.catch(() => {})
    expect((await find(fixture.shiplog, 'aaaa')).hits).toHaveLength(1)
    abort.abort()
    await expect(slow).rejects.toThrow()
    await expect(find(fixture.shiplog, '(a', true)).rejects.toThrow('is not a regular expression')
  })
})
