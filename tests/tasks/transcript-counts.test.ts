import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { archiveTranscript, transcriptIndex } from '../../src/main/artifacts/index.ts'
import { openJournal, type RecordBody, readJournal } from '../../src/main/journal/index.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'
import type { TranscriptCounts } from '../../src/shared/records/tasks/transcript-status.ts'
import {
  type Fixture,
  openFixture,
  start,
  taskOf,
  temporaryDir,
  until,
  untilQuiet,
} from '../harness.ts'
import { bytesReadDuring } from '../journal/watched-reads.ts'
import { itInSoak } from '../soak.ts'

const nested = `
version: 1
name: nested
agents:
  lead:
    turns:
      - say: Starting.
      - call: task
        with: { agent: helper, title: Help, prompt: Help }
      - report: { title: Led, markdown: Done. }
  helper:
    turns:
      - call: list_files
        with: {}
      - report: { title: Helped, markdown: Done. }
`

/** What is on disk, counted the slow way. */
async function counted(chat: string): Promise<TranscriptCounts> {
  const types: string[] = []
  for await (const { type } of readJournal(chat)) types.push(type)
  const messages = types.filter((type) => type === 'message').length
  return { entries: types.length, messages, bytes: (await stat(chat)).size }
}

async function listed({ shiplog }: Fixture) {
  const { transcripts } = await shiplog.client.workspace.listTranscripts({})
  return Object.fromEntries(transcripts.map((one) => [one.title, [one.entries, one.bytes]]))
}

it('[R2] records the length of the transcript at the end of a run, including follow-ups, so that lists read none', async () => {
  const fixture = await openFixture()
  const rootId = await start(fixture, nested)
  await untilQuiet(fixture.shiplog)
  const helper = await taskOf(fixture.shiplog, 'Help')
  const session = join(fixture.dataDir, 'sessions', rootId)
  const chats = [
    join(session, 'chat.jsonl'),
    join(session, 'subagent-transcripts', helper.id, 'chat.jsonl'),
  ]
  const [first, ofHelper] = await Promise.all(chats.map(counted))
  expect((await taskOf(fixture.shiplog, rootId)).transcriptCounts).toEqual(first)
  expect(helper.transcriptCounts).toEqual(ofHelper)

  await fixture.shiplog.client.tasks.prompt({ taskId: rootId, prompt: 'Once more' })
  await until(fixture.shiplog, ([root]) => root?.runs[1]?.status === 'completed')
  const second = await counted(chats[0] ?? '')
  expect((await taskOf(fixture.shiplog, rootId)).transcriptCounts).toEqual(second)
  expect(second.entries).toBeGreaterThan(first?.entries ?? 0)

  // Nothing there to read, and the list says the same.
  for (const chat of chats) await rm(chat)
  await fixture.restart()
  expect(await listed(fixture)).toEqual({
    'Do it': [second.entries, second.bytes],
    Help: [ofHelper?.entries, ofHelper?.bytes],
  })
})

it('[R2] counts by reading a transcript whose run ends do not state its length', async () => {
  const fixture = await openFixture()
  await start(fixture, nested)
  await untilQuiet(fixture.shiplog)
  const now = await listed(fixture)
  await fixture.shiplog.close()
  await asRecordedBefore(join(fixture.dataDir, 'ledger.jsonl'))
  const shiplog = await fixture.restart()
  expect((await taskOf(shiplog, 'Help')).transcriptCounts).toBeUndefined()
  expect(await listed(fixture)).toEqual(now)
})

it('[R2] includes entries that a start after a crash added to a transcript', async () => {
  const fixture = await openFixture()
  const rootId = await start(fixture, nested)
  await untilQuiet(fixture.shiplog)
  await fixture.shiplog.close()
  const session = join(fixture.dataDir, 'sessions', rootId)
  await cutAfter(join(fixture.dataDir, 'ledger.jsonl'), ({ type }) => type === 'task.spawned')
  await cutAfter(join(session, 'chat.jsonl'), ({ type }) => type === 'tool-call')
  const shiplog = await fixture.restart()
  const { transcriptCounts, status } = await taskOf(shiplog, rootId)
  expect(status).toBe('interrupted')
  expect(transcriptCounts).toEqual(await counted(join(session, 'chat.jsonl')))
})

it('[R2] archives a counted transcript of unchanged length without reading it', async () => {
  const [from, to] = [await temporaryDir(), await temporaryDir()]
  const about = { ancestorIds: [newTaskId()], title: 'Long', nowMs: 1 }
  const index = transcriptIndex(to)
  const [trusted, longer] = [newTaskId(), newTaskId()]

  await writeFile(join(from, 'chat.jsonl'), 'x'.repeat(700))
  const known = { entries: 50_000, messages: 9_000, bytes: 700 }
  await archiveTranscript(from, to, { ...about, taskId: trusted, counted: known })
  expect(await index.get(trusted)).toMatchObject({
    status: 'complete',
    entryCount: 50_000,
    messageCount: 9_000,
    bytes: 700,
  })

  const journal = await openJournal(join(from, 'chat.jsonl'))
  await journal.appendAll([{ type: 'message' }, { type: 'run-end' }])
  await journal.close()
  await archiveTranscript(from, to, { ...about, taskId: longer, counted: known })
  expect(await index.get(longer)).toMatchObject({ entryCount: 2, messageCount: 1 })
})

itInSoak(
  '[R2] reads no transcript when several without an index are archived at once',
  async () => {
    const to = await temporaryDir()
    const transcripts = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const from = await temporaryDir()
        await writeFile(join(from, 'chat.jsonl'), 'x'.repeat(700))
        return { taskId: newTaskId(), from }
      }),
    )
    const counted = { entries: 50_000, messages: 9_000, bytes: 700 }
    const about = { ancestorIds: [newTaskId()], title: 'Long', nowMs: 1, counted }
    const read = await bytesReadDuring(() =>
      Promise.all(
        transcripts.map(({ taskId, from }) => archiveTranscript(from, to, { ...about, taskId })),
      ),
    )
    expect(read).toBe(0)
    for (const { taskId } of transcripts)
      expect(await transcriptIndex(to).get(taskId)).toMatchObject({ entryCount: 50_000 })
  },
)

it('[A8] reports a transcript with fewer entries than counted as damaged, and one with more as complete', async () => {
  const [from, to] = [await temporaryDir(), await temporaryDir()]
  const about = { ancestorIds: [newTaskId()], title: 'Cut', nowMs: 1 }
  const statusOf = async (entriesBefore: number) => {
    const taskId = newTaskId()
    const journal = await openJournal(join(from, 'chat.jsonl'))
    await journal.appendAll([{ type: 'message' }, { type: 'run-end' }])
    await journal.close()
    const counted = { entries: entriesBefore, messages: 1, bytes: 1 }
    await archiveTranscript(from, to, { ...about, taskId, counted })
    return (await transcriptIndex(to).get(taskId))?.status
  }
  expect(await statusOf(3)).toBe('damaged')
  expect(await statusOf(2)).toBe('complete')
  expect(await statusOf(1)).toBe('complete')
})

/** The ledger as an older Shiplog would have written it. */
async function asRecordedBefore(path: string): Promise<void> {
  await rewrite(path, ({ transcript: _, ...record }) => record)
}

async function cutAfter(path: string, is: (record: RecordBody) => boolean): Promise<void> {
  let over = false
  await rewrite(path, (record) => {
    if (over) return null
    over = is(record)
    return record
  })
}

async function rewrite(
  path: string,
  change: (record: RecordBody) => RecordBody | null,
): Promise<void> {
  const kept: RecordBody[] = []
  for (const line of (await readFile(path, 'utf8')).trim().split('\n')) {
    const { seq: _, salt: __, prev: ___, sum: ____, ...record } = JSON.parse(line)
    const changed = change(record)
    if (changed) kept.push(changed)
  }
  for (const file of [path, path.replace(/jsonl$/, 'index')]) await rm(file, { force: true })
  const journal = await openJournal(path)
  for (const record of kept) await journal.append(record)
  await journal.close()
}
