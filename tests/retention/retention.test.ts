/** Sweeps, receipts and taking back, on a real data directory whose clock the tests set. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Shiplog } from '../../src/main/composition/shiplog.ts'
import type { Sweep } from '../../src/shared/contract/retention.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { allTasks, beforeLeaving, entriesOf, taskOf, until } from '../harness.ts'
import { itInSoak } from '../soak.ts'
import { doctorOf, pass, stage, startIsOver } from './retention-stage.ts'
import { dayMs } from './tasks.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))
afterEach(() => void vi.useRealTimers())

const idsOf = ({ removed }: Sweep) => removed.map(({ id }) => id).toSorted()
const statusOf = async ({ client }: Shiplog, taskId: TaskId) =>
  (await client.workspace.getSubagentTranscript({ taskId })).status
const receiptsIn = (dataDir: string) => readdir(join(dataDir, 'receipts')).catch(() => [])
/** Every file of a transcript's place and its content. */
const contentOf = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name))
      .map((path) => [path.slice(dir.length), readFileSync(path).toString('base64')]),
  )

it('[X2][X3] moves finished transcripts to the trash with a receipt, keeps reports, and leaves no problem for the doctor', async () => {
  const { open, dataDir, middleId, leafId, session } = await stage()
  const shiplog = await open()
  const { client } = shiplog
  pass(31)
  const { clockAhead, ...preview } = await client.retention.preview({})
  expect(clockAhead).toMatchObject({ days: 31 })
  expect(preview).toMatchObject({ dryRun: true, kept: 1, receipt: null })
  expect(idsOf(preview)).toEqual([middleId, leafId].toSorted())
  expect(await receiptsIn(dataDir)).toEqual([])
  expect(await statusOf(shiplog, leafId)).toBe('complete')

  const sweep = await client.retention.sweep({ clockIsRight: true })
  expect(sweep).toEqual({ ...preview, dryRun: false, receipt: sweep.receipt })
  const leaf = sweep.removed.find(({ id }) => id === leafId)
  expect(leaf).toMatchObject({ kind: 'transcript', reason: 'age', title: 'Leaf' })
  expect(leaf?.bytes).toBeGreaterThan(30_000)

  const { expired, ...page } = await client.workspace.getSubagentTranscript({ taskId: leafId })
  expect(page).toMatchObject({ status: 'expired', entries: [], total: 0, damage: [] })
  expect(expired).toMatchObject({ receiptId: sweep.receipt, purgedAt: null })
  expect(Date.parse(expired?.keptUntil ?? '') - Date.parse(expired?.at ?? '')).toBe(7 * dayMs)
  expect((await client.tasks.report({ taskId: leafId })).reportMarkdown).toBe('Done.')
  expect(existsSync(session('subagent-patches', middleId, 'patch.json'))).toBe(true)
  const index = JSON.parse(await readFile(session('subagent-transcripts.json'), 'utf8'))
  expect(index.artifactsByChildTaskId[leafId]).toMatchObject({
    status: 'expired',
    receiptId: sweep.receipt,
  })
  expect(index.artifactsByChildTaskId[leafId].entryCount).toBeGreaterThan(5)
  expect(index.artifactsByChildTaskId[leafId]).not.toHaveProperty('chatPath')
  expect(await doctorOf(shiplog)).toEqual([])

  const { transcripts } = await client.workspace.listTranscripts({})
  expect(transcripts.find(({ taskId }) => taskId === leafId)).toMatchObject({
    bytes: 0,
    entries: 0,
  })
  // What has gone does not go again.
  expect(await client.retention.sweep({ clockIsRight: true })).toMatchObject({
    removed: [],
    kept: 1,
    receipt: null,
  })
  expect(await receiptsIn(dataDir)).toHaveLength(1)
})

it('[X3] Undo restores every byte in its place, for another 30 days', async () => {
  const { open, session, middleId, leafId } = await stage()
  const shiplog = await open()
  const { client } = shiplog
  const before = contentOf(session('subagent-transcripts'))
  const entries = await entriesOf(shiplog, leafId)
  const indexBefore = JSON.parse(await readFile(session('subagent-transcripts.json'), 'utf8'))
  pass(31)
  const { receipt } = await client.retention.sweep({ clockIsRight: true })
  const { receipts } = await client.retention.receipts()
  expect(receipts).toMatchObject([
    { id: receipt, by: 'person', transcripts: 2, inTrash: 2, deleted: 0 },
  ])

  const one = { receiptId: receipt?.slice(0, 8) ?? '', taskId: leafId.slice(0, 8) }
  expect(await client.retention.undo(one)).toEqual({ restored: [leafId], left: [] })
  expect(await statusOf(shiplog, middleId)).toBe('expired')
  const becameOf = async () => (await client.retention.receipts()).receipts[0]
  expect(await becameOf()).toMatchObject({ inTrash: 1, restored: 1, gone: 0 })
  expect(await client.retention.undo({ receiptId: receipt ?? '' })).toMatchObject({
    restored: [middleId],
  })
  const stripped = (content: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(content).filter(([path]) => !path.endsWith('transcript.json')),
    )
  expect(stripped(contentOf(session('subagent-transcripts')))).toEqual(stripped(before))
  expect(JSON.parse(await readFile(session('subagent-transcripts.json'), 'utf8'))).toEqual(
    indexBefore,
  )
  expect(await entriesOf(shiplog, leafId)).toEqual(entries)
  expect(
    (await client.retention.receipt({ receiptId: receipt ?? '' })).items.map(({ state }) => state),
  ).toEqual(['restored', 'restored'])
  await expect(client.retention.undo({ receiptId: receipt ?? '' })).rejects.toMatchObject({
    code: 'REFUSED',
    data: { reason: 'nothing-to-undo' },
    message: 'Nothing of this is in the trash any more (restored).',
  })
  expect(await becameOf()).toMatchObject({ inTrash: 0, restored: 2, gone: 0 })
  expect(await doctorOf(shiplog)).toEqual([])
  pass(29)
  expect(idsOf(await client.retention.preview({}))).toEqual([])
  pass(1)
  expect(idsOf(await client.retention.preview({}))).toEqual([middleId, leafId].toSorted())
})

itInSoak(
  '[X3] a removed root is swept too, its record stays, and it is restored with its transcript',
  async () => {
    const { open, dataDir, rootId } = await stage()
    const shiplog = await open()
    const { client } = shiplog
    const entries = await entriesOf(shiplog, rootId)
    await client.workspace.remove({ workspaceId: rootId })
    pass(31)
    expect(idsOf(await client.retention.sweep({ clockIsRight: true }))).toContain(rootId)
    expect(await statusOf(shiplog, rootId)).toBe('expired')
    expect(existsSync(join(dataDir, 'archive', rootId, 'chat.jsonl'))).toBe(false)
    expect((await client.tasks.report({ taskId: rootId })).title).toBe('Lead')
    expect(await doctorOf(shiplog)).toEqual([])
    // Through the trash as well.
    await client.workspace.trash({ workspaceId: rootId })
    await client.workspace.restore({ workspaceId: rootId })
    expect(beforeLeaving(await entriesOf(shiplog, rootId))).toEqual(entries)
    await client.tasks.prompt({ taskId: rootId, prompt: 'Again' })
    await until(shiplog, (tasks) =>
      tasks.some(({ id, runs, endedAt }) => id === rootId && runs.length === 2 && endedAt !== null),
    )
    expect((await entriesOf(shiplog, rootId)).slice(0, entries.length)).toEqual(entries)
    expect(await doctorOf(shiplog)).toEqual([])
  },
)

it('[X3] items are permanently deleted after 7 days in the trash, with a receipt', async () => {
  const { open, dataDir, rootId, leafId } = await stage()
  let shiplog = await open()
  await mkdir(join(dataDir, 'trash', 'odds-and-ends'), { recursive: true, mode: 0o700 })
  await writeFile(join(dataDir, 'trash', 'odds-and-ends', 'file'), '12345')
  pass(31)
  const first = await shiplog.client.retention.sweep({ clockIsRight: true })
  await shiplog.client.workspace.remove({ workspaceId: rootId })
  await shiplog.client.workspace.trash({ workspaceId: rootId })
  pass(6.9)
  expect(await shiplog.client.retention.sweep({ clockIsRight: true })).toMatchObject({
    removed: [],
  })
  pass(0.2)
  // Due now, and deleted by the first sweep a day later.
  expect(await shiplog.client.retention.sweep({})).toMatchObject({ removed: [] })
  await shiplog.close()
  pass(1)
  shiplog = await open({ sweepAtStart: true })
  await startIsOver(shiplog)
  expect(await readdir(join(dataDir, 'trash'))).toEqual([])
  const [last] = (await shiplog.client.retention.receipts()).receipts
  expect(last).toMatchObject({ by: 'start', transcripts: 0, deleted: 4 })
  const before = await shiplog.client.retention.receipt({ receiptId: first.receipt ?? '' })
  expect(before).toMatchObject({ transcripts: 2, inTrash: 0, restored: 0, gone: 2 })
  const { items } = await shiplog.client.retention.receipt({ receiptId: last?.id ?? '' })
  expect(items.map(({ kind, id, state }) => [kind, id, state]).toSorted()).toEqual(
    [
      ...first.removed.map(({ id }) => ['trashed-transcript', id, 'gone']),
      ['trashed-workspace', rootId, 'gone'],
      ['trashed-file', 'odds-and-ends', 'gone'],
    ].toSorted(),
  )
  const { client } = shiplog
  await expect(client.retention.undo({ receiptId: first.receipt ?? '' })).rejects.toMatchObject({
    code: 'REFUSED',
  })
  await expect(client.workspace.untrash({ workspaceId: rootId })).rejects.toMatchObject({
    code: 'REFUSED',
  })
  await expect(client.workspace.restore({ workspaceId: rootId })).rejects.toMatchObject({
    code: 'REFUSED',
  })
  expect(
    (await client.workspace.getSubagentTranscript({ taskId: leafId })).expired?.purgedAt,
  ).not.toBeNull()
  expect(await allTasks(shiplog)).toEqual([])
  expect(await doctorOf(shiplog)).toEqual([])
  expect((await client.app.info()).notices).toMatchObject([
    {
      tone: 'info',
      text: expect.stringMatching(
        /^Deleted 4 items \(.*\) that had been in the trash for 7 days\.$/,
      ),
    },
  ])
})

it('[X3] sweeps in the background at start with a one-line notice, which Undo removes', async () => {
  const { open, rootId } = await stage()
  pass(20)
  const inUse = await open()
  await inUse.client.tasks.rename({ taskId: rootId, title: 'Somebody was here' })
  await inUse.close()
  pass(20)
  // A short command changes nothing.
  const command = await open()
  expect(idsOf(await command.client.retention.preview({}))).toHaveLength(2)
  await command.close()
  const shiplog = await open({ host: 'web' })
  const { client } = shiplog
  await startIsOver(shiplog)
  const [notice] = (await client.app.info()).notices
  expect(notice?.text).toMatch(/^Moved 2 transcripts \(.+ kB\) older than 30 days to the trash\.$/)
  expect(notice?.details).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Leaf: .+ kB, last active \w{3} \d+(, \d{4})?$/),
    ]),
  )
  await client.retention.undo({ receiptId: notice?.receiptId ?? '' })
  expect((await client.app.info()).notices).toEqual([])
  expect(await client.retention.preview({})).toMatchObject({ removed: [], kept: 3 })
})

it('[X3] a start completes a sweep that a crash interrupted after its receipt, and the next one changes nothing', async () => {
  const { open, session, dataDir, leafId, middleId } = await stage()
  let shiplog = await open()
  pass(31)
  const { receipt } = await shiplog.client.retention.sweep({ clockIsRight: true })
  await shiplog.close()
  // As if the process had died while it moved: one half here, the other half there.
  const place = session('subagent-transcripts', leafId)
  const trashed = join(dataDir, 'trash', `transcript-${leafId}`)
  await rename(join(trashed, 'chat.jsonl'), join(place, 'chat.jsonl'))
  shiplog = await open()
  await startIsOver(shiplog)
  expect(existsSync(join(place, 'chat.jsonl'))).toBe(false)
  await shiplog.close()
  const settled = contentOf(dataDir)
  shiplog = await open()
  await startIsOver(shiplog)
  await shiplog.close()
  // Each process has a lease of its own, and says in the log that it started.
  const kept = (content: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(content).filter(
        ([path]) => path !== '/lease.json' && !path.startsWith('/logs/'),
      ),
    )
  expect(kept(contentOf(dataDir))).toEqual(kept(settled))
  shiplog = await open()
  const restored = (await shiplog.client.retention.undo({ receiptId: receipt ?? '' })).restored
  expect(restored.toSorted()).toEqual([leafId, middleId].toSorted())
  expect(await statusOf(shiplog, leafId)).toBe('complete')
  expect(await doctorOf(shiplog)).toEqual([])
})

it('[X3] a transcript that cannot be moved is kept, reported, and not called expired', async () => {
  const { open, dataDir, leafId, middleId } = await stage()
  const shiplog = await open()
  pass(31)
  await mkdir(join(dataDir, 'trash'), { recursive: true, mode: 0o700 })
  await writeFile(join(dataDir, 'trash', `transcript-${leafId}`), 'in the way')
  const sweep = await shiplog.client.retention.sweep({ clockIsRight: true })
  expect(idsOf(sweep)).toEqual([middleId])
  expect(sweep.kept).toBe(2)
  expect(await statusOf(shiplog, leafId)).toBe('complete')
  const { notices } = await shiplog.client.app.info()
  expect(notices).toMatchObject([
    { tone: 'error', text: expect.stringContaining('"Leaf" could not be moved') },
  ])
  expect(await doctorOf(shiplog)).toEqual([])
})

it('distinguishes an expired transcript from a missing one', async () => {
  const { open, session, leafId, middleId } = await stage()
  await rm(session('subagent-transcripts', leafId, 'chat.jsonl'))
  await rm(session('subagent-transcripts', leafId, 'blobs'), { recursive: true, force: true })
  await rm(session('subagent-transcripts', leafId, 'file-history'), {
    recursive: true,
    force: true,
  })
  const shiplog = await open()
  pass(31)
  expect(idsOf(await shiplog.client.retention.sweep({ clockIsRight: true }))).toEqual([middleId])
  expect(await statusOf(shiplog, leafId)).toBe('missing')
  expect(await statusOf(shiplog, middleId)).toBe('expired')
})

it('[X1] a pin holds across restarts, for the task and everything below it', async () => {
  const { open, rootId, middleId } = await stage()
  let shiplog = await open()
  await shiplog.client.retention.pin({ taskId: middleId.slice(0, 8), pinned: true })
  await shiplog.close()
  pass(400)
  shiplog = await open()
  expect((await taskOf(shiplog, middleId)).pinned).toBe(true)
  expect(idsOf(await shiplog.client.retention.preview({}))).toEqual([])
  const all = {
    transcriptTtlDays: 0,
    transcriptsMax: 0,
    bytesMax: 0,
    trashTtlDays: 1,
    trashBytesMax: null,
  }
  await shiplog.client.workspace.remove({ workspaceId: rootId })
  expect(idsOf(await shiplog.client.retention.preview({ settings: all }))).toEqual([rootId])
  await shiplog.client.retention.pin({ taskId: middleId, pinned: false })
  expect(idsOf(await shiplog.client.retention.preview({ settings: all }))).toHaveLength(3)
})

it('lists an unreadable receipt as such, and still restores its transcripts', async () => {
  const { open, dataDir, leafId } = await stage()
  const shiplog = await open()
  pass(31)
  const { receipt } = await shiplog.client.retention.sweep({ clockIsRight: true })
  await writeFile(join(dataDir, 'receipts', `${receipt}.json`), '{')
  const { receipts, unreadable } = await shiplog.client.retention.receipts()
  expect({ receipts, unreadable }).toEqual({
    receipts: [],
    unreadable: [`receipts/${receipt}.json`],
  })
  await shiplog.client.retention.undo({ receiptId: receipt ?? '', taskId: leafId })
  expect(await statusOf(shiplog, leafId)).toBe('complete')
})

it('[X1] keeps a transcript that is pinned while a sweep measures, and notes it in the receipt', async () => {
  const { open, leafId, middleId } = await stage()
  const { client } = await open()
  pass(31)
  const sweeping = client.retention.sweep({ clockIsRight: true })
  await client.retention.pin({ taskId: leafId, pinned: true })
  const { removed, receipt } = await sweeping
  expect(removed.map(({ id }) => id)).toEqual([middleId])
  const { items } = await client.retention.receipt({ receiptId: receipt ?? '' })
  expect(items.find(({ id }) => id === leafId)?.state ?? 'kept').toBe('kept')
  expect((await client.workspace.getSubagentTranscript({ taskId: leafId })).status).toBe('complete')
})

it('[X3] a transcript that is restored while the trash is emptied is complete, or reported as deleted', async () => {
  const { open, leafId, dataDir } = await stage()
  const shiplog = await open()
  const { client } = shiplog
  const entries = await entriesOf(shiplog, leafId)
  pass(31)
  const { receipt } = await client.retention.sweep({ clockIsRight: true })
  pass(8)
  const name = `transcript-${leafId}`
  const [, back] = await Promise.all([
    client.retention.deleteTrashed({ names: [name] }),
    client.retention.undo({ receiptId: receipt ?? '', taskId: leafId }).then(
      () => true,
      () => false,
    ),
  ])
  const page = await client.workspace.getSubagentTranscript({ taskId: leafId, limit: 500 })
  if (back) expect(page.entries).toEqual(entries)
  else expect(page).toMatchObject({ status: 'expired', expired: { purgedAt: expect.anything() } })
  expect(await readdir(join(dataDir, 'trash'))).not.toContain(name)
  expect(await doctorOf(shiplog)).toEqual([])
})

it('[X3] deletes several items of the trash at once with a receipt, and keeps pinned ones', async () => {
  const { open, leafId, middleId, dataDir } = await stage()
  const { client } = await open()
  pass(31)
  await client.retention.sweep({ clockIsRight: true })
  await client.retention.pin({ taskId: leafId, pinned: true })
  pass(1)
  const names = [leafId, middleId].map((id) => `transcript-${id}`)
  const answer = await client.retention.deleteTrashed({ names: [...names, 'nothing'] })
  expect(answer.deleted).toEqual([names[1]])
  expect(answer.left.map(({ name }) => name).sort()).toEqual([names[0], 'nothing'].sort())
  expect(await readdir(join(dataDir, 'trash'))).toEqual([names[0]])
  expect(await client.retention.restoreTrashed({ names: [names[0] ?? ''] })).toEqual({
    restored: [names[0]],
    left: [],
  })
  const { receipts } = await client.retention.receipts()
  expect(receipts[0]).toMatchObject({ by: 'person', deleted: 1 })
})

it('[X3] deletes the transcript of one sub-agent on request, keeps its report, and restores it', async () => {
  const { open, leafId, middleId } = await stage()
  const shiplog = await open()
  const { retention, tasks } = shiplog.client
  const entries = await entriesOf(shiplog, leafId)
  const { deleted, left, receipt } = await retention.deleteTranscripts({ taskIds: [leafId] })
  expect([deleted, left]).toEqual([[leafId], []])
  expect(await statusOf(shiplog, leafId)).toBe('expired')
  expect(await statusOf(shiplog, middleId)).toBe('complete')
  expect((await taskOf(shiplog, leafId)).transcriptExpired).toMatchObject({ byPerson: true })
  expect((await tasks.report({ taskId: leafId })).reportMarkdown).not.toBe('')
  const { items, by } = await retention.receipt({ receiptId: receipt ?? '' })
  expect([by, items]).toEqual([
    'person',
    [expect.objectContaining({ id: leafId, reason: 'person', state: 'in-trash' })],
  ])
  expect(await doctorOf(shiplog)).toEqual([])
  await retention.undo({ receiptId: receipt ?? '', taskId: leafId })
  expect(await entriesOf(shiplog, leafId)).toEqual(entries)
  expect(await doctorOf(shiplog)).toEqual([])
})

it('[X3] reports a deletion cut short by closing as left for the next start, which completes it', async () => {
  const { open, leafId } = await stage()
  const shiplog = await open()
  const asked = shiplog.client.retention.deleteTranscripts({ taskIds: [leafId] })
  await shiplog.close()
  expect(await asked).toMatchObject({
    deleted: [],
    left: [{ id: leafId, why: expect.stringContaining('the next start moves it') }],
  })
  const { client } = await open()
  await expect
    .poll(async () => (await client.retention.trash()).entries.map(({ kind }) => kind))
    .toEqual(['trashed-transcript'])
})

it('[X1] deletes no transcript that is pinned, and says why; one that is in the trash is not deleted twice', async () => {
  const { open, leafId, middleId } = await stage()
  const { client } = await open()
  await client.retention.pin({ taskId: middleId, pinned: true })
  const answer = await client.retention.deleteTranscripts({ taskIds: [leafId, middleId] })
  // The leaf is below the middle one.
  expect(answer).toMatchObject({ deleted: [], receipt: null })
  expect(answer.left.map(({ why }) => why)).toEqual([
    expect.stringContaining('is pinned'),
    expect.stringContaining('is pinned'),
  ])
  await client.retention.pin({ taskId: middleId, pinned: false })
  await client.retention.deleteTranscripts({ taskIds: [leafId] })
  const again = await client.retention.deleteTranscripts({ taskIds: [leafId] })
  expect(again).toMatchObject({ deleted: [], left: [{ why: 'It is in the trash already.' }] })
})
