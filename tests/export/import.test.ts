import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import type { ExportFormat } from '../../src/shared/contract/exports.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { allTasks, entriesOf, start, taskOf, temporaryDir, untilQuiet } from '../harness.ts'
import { preparedFixture } from '../prepared-fixture.ts'
import { casesOf } from '../soak.ts'

const key = `sk-ant-${'a1B2'.repeat(8)}`
const scenario = `
version: 1
name: imported
agents:
  lead:
    turns:
      - call: task
        with: { agent: helper, title: Helping, prompt: Look for the puffin }
      - report: { title: Talked, markdown: "The albatross flew with ${key}." }
  helper:
    turns:
      - call: bash
        with: { command: "seq 1 30000 | sed 's/$/ gannet/'" }
      - call: write_file
        with: { path: long.txt, content: "${'x'.repeat(300_000)}" }
      - call: write_file
        with: { path: long.txt, content: Short. }
      - report: { title: Found, markdown: A puffin was there. }
`

const recorded = preparedFixture(async (fixture) => {
  const lead = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  await fixture.shiplog.client.review.comment({
    taskId: lead,
    path: 'long.txt',
    side: 'additions',
    line: 1,
    lineText: 'x',
    tree: null,
    contentId: '1',
    text: `Was that ${key}?`,
  })
  return { lead, helper: (await taskOf(fixture.shiplog, 'Helping')).id }
})

async function exported(
  { fixture, lead }: Awaited<ReturnType<typeof recorded>>,
  request: { format: ExportFormat; redact?: boolean } & Record<string, unknown>,
): Promise<string> {
  const file = join(await temporaryDir(), `export.${request.format}`)
  let text = ''
  for await (const event of await fixture.shiplog.client.exports.read({ taskId: lead, ...request }))
    if (event.type === 'text') text += event.text
  await writeFile(file, text)
  return file
}

async function elsewhere(): Promise<Shiplog> {
  const shiplog = await openShiplog({ host: 'cli', dataDir: await temporaryDir() })
  onTestFinished(() => shiplog.close())
  return shiplog
}

/** Throws the reason if the file was left out. */
async function importInto({ client }: Shiplog, path: string) {
  const sessions = []
  for await (const event of await client.imports.run({ tool: 'shiplog', path }))
    if (event.type === 'session') sessions.push(event.session)
    else if (event.type === 'skipped') throw new Error(event.skipped.reason)
  return sessions
}

it.each(casesOf(['jsonl', 'json'] as const, (format) => format === 'jsonl'))(
  '[E1][I3] gives the same transcripts and reports back from %s, as an archived root, once',
  async (format) => {
    const made = await recorded()
    const path = await exported(made, { format, redact: false, files: true })
    const there = await elsewhere()
    const sessions = await importInto(there, path)
    expect(sessions).toMatchObject([
      { taskId: made.lead, title: 'Do it', isNew: true, withheld: 0, linked: 1 },
    ])
    for (const id of [made.lead, made.helper]) {
      expect(await entriesOf(there, id)).toEqual(await entriesOf(made.fixture.shiplog, id))
      expect(await there.client.tasks.report({ taskId: id })).toEqual(
        await made.fixture.shiplog.client.tasks.report({ taskId: id }),
      )
    }
    const [root, helper] = await allTasks(there)
    const original = await taskOf(made.fixture.shiplog, made.lead)
    expect(root).toMatchObject({
      id: made.lead,
      imported: true,
      archived: true,
      status: 'completed',
      usage: original.usage,
      reviewComments: original.reviewComments,
      importedFrom: { tool: 'shiplog', originalId: made.lead, redacted: false },
    })
    expect(helper).toMatchObject({ parentId: made.lead, rootId: made.lead, imported: true })
    const { hits } = await there.client.search.find({ query: '"15000 gannet"', wait: true })
    expect(hits).toMatchObject([{ taskId: made.helper }])
    // Its own journal, byte for byte.
    const journals = [made.fixture.dataDir, there.dataDir].map((dir) =>
      readFile(join(dir, dir === there.dataDir ? 'archive' : 'sessions', made.lead, 'chat.jsonl')),
    )
    const [before, after] = await Promise.all(journals)
    expect(after?.equals(before ?? Buffer.alloc(0))).toBe(true)

    const { size } = await stat(join(there.dataDir, 'ledger.jsonl'))
    expect(await importInto(there, path)).toMatchObject([{ isNew: false }])
    expect((await stat(join(there.dataDir, 'ledger.jsonl'))).size).toBe(size)
    expect((await there.client.doctor.check({ repair: false })).problems).toEqual([])
  },
)

it.each(casesOf(['jsonl', 'json'] as const, (format) => format === 'jsonl'))(
  '[E1] recognises an export in %s as such only',
  async (format) => {
    const path = await exported(await recorded(), { format, redact: false })
    const { client } = await elsewhere()
    const { sources } = await client.imports.scan({ path })
    expect(sources.map(({ tool }) => tool)).toEqual(['shiplog'])
  },
)

it('[E1] reports missing content, except what the export omitted', async () => {
  const made = await recorded()
  const [without, withFiles] = [await elsewhere(), await elsewhere()]
  await importInto(without, await exported(made, { format: 'jsonl' }))
  expect((await without.client.doctor.check({ repair: false })).problems).toEqual([])
  await importInto(withFiles, await exported(made, { format: 'jsonl', files: true, redact: false }))
  const kept = join(withFiles.dataDir, 'archive', made.lead, 'subagent-transcripts', made.helper)
  await rm(join(kept, 'file-history'), { recursive: true })
  const { problems } = await withFiles.client.doctor.check({ repair: false })
  expect(problems.map(({ kind }) => kind)).toEqual(['file-history-missing'])
})

it('[E1] imports a masked and shortened export, with a note at each omission', async () => {
  const made = await recorded()
  const path = await exported(made, { format: 'jsonl', throughSeq: 6 })
  const there = await elsewhere()
  const [root] = await importInto(there, path)
  const entries = await entriesOf(there, made.lead)
  const originals = await entriesOf(made.fixture.shiplog, made.lead)
  const below = await entriesOf(there, made.helper)
  expect(root).toMatchObject({ isNew: true, lines: originals.length + below.length })
  expect(root?.withheld).toBeGreaterThan(0)
  expect(entries.map(({ seq }) => seq)).toEqual(originals.map(({ seq }) => seq))
  expect(entries.slice(0, 6).map(({ type, uuid }) => [type, uuid])).toEqual(
    originals.slice(0, 6).map(({ type, uuid }) => [type, uuid]),
  )
  expect(entries.at(-1)).toMatchObject({
    type: 'foreign',
    source: 'shiplog export',
    content: { leftOut: `Entry ${originals.length} is not in the export.` },
  })
  expect(JSON.stringify(entries)).not.toContain(key)
  const { damage, status } = await there.client.transcripts.page({ taskId: made.lead })
  expect({ damage, status }).toEqual({ damage: [], status: 'complete' })
})

it('[I3] recognizes its own export, and assigns new ids to a tree whose ids are taken', async () => {
  const made = await recorded()
  const { shiplog } = made.fixture
  const early = await exported(made, { format: 'jsonl', redact: false, throughSeq: 4 })
  expect(await importInto(shiplog, await exported(made, { format: 'jsonl' }))).toMatchObject([
    { taskId: made.lead, isNew: false },
  ])
  const changed = join(await temporaryDir(), 'other.json')
  const document = JSON.parse(await readFile(await exported(made, { format: 'json' }), 'utf8'))
  const [lead] = document.tasks
  // The same id with another transcript, as after a restore of an older data directory.
  lead.content = lead.content.filter(({ v }: { v?: number }) => v === undefined)
  lead.content = lead.content.filter(({ shiplog }: { shiplog: string }) => shiplog === 'report')
  lead.end = { ...lead.end, records: 0, withheld: 0 }
  await writeFile(changed, JSON.stringify(document))
  const [other] = await importInto(shiplog, changed)
  expect(other).toMatchObject({ isNew: true, title: 'Do it' })
  expect(other?.taskId).not.toBe(made.lead)
  expect(await importInto(shiplog, changed)).toMatchObject([
    { taskId: other?.taskId, isNew: false },
  ])
  const helpers = (await allTasks(shiplog)).filter(({ title }) => title === 'Helping')
  expect(new Set(helpers.map(({ parentId }) => parentId))).toEqual(
    new Set([made.lead, other?.taskId]),
  )
  const copied = helpers.find(({ parentId }) => parentId === other?.taskId)
  const entries = await entriesOf(shiplog, copied?.id as TaskId)
  expect(JSON.stringify(entries)).not.toContain(made.helper)
  expect(entries).toHaveLength((await entriesOf(shiplog, made.helper)).length)
  expect(early).not.toBe(changed)
})

it('[E1] refuses a damaged, truncated or malicious file as a whole, and explains why', async () => {
  const made = await recorded()
  const path = await exported(made, { format: 'jsonl', redact: false })
  const there = await elsewhere()
  const text = await readFile(path, 'utf8')
  const lines = text.trimEnd().split('\n')
  const bad = join(await temporaryDir(), 'bad.jsonl')
  const refused = async (content: string, reason: RegExp) => {
    await writeFile(bad, content)
    await expect(importInto(there, bad)).rejects.toMatchObject({
      message: expect.stringMatching(reason),
    })
  }
  await refused(
    text.replace('"type":"message"', '"type":"massage"'),
    /line \d+ is not the record that was written/,
  )
  await refused(lines.slice(0, -3).join('\n'), /the export is not whole/)
  await refused(text.slice(0, -40), /line \d+ is neither a record nor a part/)
  await refused('', /No session of Shiplog was found/)
  await refused('{"type":"user"}\n', /No session of Shiplog was found/)
  await refused(`${text}{"shiplog":"end","tasks":2}\n`, /follows the end/)
  const task = JSON.parse(lines[1] ?? '')
  const withTask = (change: object) =>
    lines.with(1, JSON.stringify({ ...task, task: { ...task.task, ...change } })).join('\n')
  await refused(withTask({ id: '../../escape' }), /neither a record nor a part/)
  await refused(withTask({ id: made.helper }), /parent is not in the export/)
  const blob = lines.findIndex((line) => line.startsWith('{"shiplog":"blob"'))
  await refused(
    lines
      .with(blob, (lines[blob] ?? '').replace(/"sha256":"[0-9a-f]{64}"/, '"sha256":"../../x"'))
      .join('\n'),
    /neither a record nor a part/,
  )
  await refused(
    lines.with(blob, (lines[blob] ?? '').replace('"data":"', '"data":"AAAA')).join('\n'),
    /which was altered|no next piece/,
  )
  await expect(importInto(there, join(bad, 'nothing'))).rejects.toMatchObject({ code: 'INVALID' })
  await expect(importInto(there, 'relative.jsonl')).rejects.toMatchObject({ code: 'INVALID' })
  expect(await allTasks(there)).toEqual([])
  expect(await readdir(join(there.dataDir, 'archive'))).toEqual([])
  // A link that the user names is followed.
  const link = join(await temporaryDir(), 'link.jsonl')
  await symlink(path, link)
  expect(await importInto(there, link)).toMatchObject([{ linked: 1 }])
})

it('[I7][R6] can be moved to the trash and restored, and has no worktree to restore', async () => {
  const made = await recorded()
  const there = await elsewhere()
  const path = await exported(made, { format: 'jsonl', children: 'none' })
  const [root] = await importInto(there, path)
  const workspaceId = root?.taskId ?? ''
  const restore = there.client.workspace.restore({ workspaceId })
  await expect(restore).rejects.toMatchObject({ message: expect.stringContaining('was imported') })
  await there.client.workspace.trash({ workspaceId })
  await expect(importInto(there, await exported(made, { format: 'json' }))).rejects.toMatchObject({
    message: expect.stringContaining('in the trash'),
  })
  await there.client.workspace.untrash({ workspaceId })
  expect((await entriesOf(there, workspaceId as TaskId)).length).toBe(root?.lines)
})
