import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { countEntries, readTranscriptPage } from '../../src/main/archive/transcript-page.ts'
import { archivedTranscriptDir, archiveTranscript } from '../../src/main/artifacts/transcripts.ts'
import { openJournal } from '../../src/main/journal/index.ts'
import { chatFile, chatIndexFile } from '../../src/main/sessions/session-files.ts'
import { createSessions } from '../../src/main/sessions/sessions.ts'
import type { PartialMessage } from '../../src/shared/records/entry-types/messages.ts'
import { newEntryId, newTaskId, runIdOf } from '../../src/shared/records/ids.ts'
import { temporaryDir } from '../harness.ts'
import { deferred, spyOnHandles } from '../journal/disk-faults.ts'
import { bytesReadDuring } from '../journal/watched-reads.ts'

it('[A5] distinguishes a missing transcript from an unreadable one', async () => {
  const dir = await temporaryDir()
  expect((await readTranscriptPage(dir, { last: 1 })).status).toBe('missing')
  await symlink('chat.jsonl', join(dir, 'chat.jsonl'))
  await expect(readTranscriptPage(dir, { last: 1 })).rejects.toMatchObject({ code: 'ELOOP' })
})

async function openSession() {
  const sessions = createSessions()
  const dir = await temporaryDir()
  const id = newTaskId()
  const session = await sessions.open(id, dir)
  onTestFinished(() => sessions.close(id))
  return { dir, id, session }
}

it('[J6] shows of a session that is being written only what is durable', async () => {
  const { dir, session } = await openSession()
  await session.append({ type: 'title', title: 'Durable' })
  const synced = deferred()
  const written = deferred()
  const datasync = await spyOnHandles('datasync')
  onTestFinished(() => void vi.restoreAllMocks())
  datasync.mockImplementationOnce(async () => {
    written.resolve()
    await synced.promise
  })
  const appended = session.append({ type: 'title', title: 'Written, but not synced' })
  await written.promise

  const page = await readTranscriptPage(dir, { last: 9 }, session)
  expect(page).toMatchObject({ entries: [{ title: 'Durable' }], total: 1, status: 'complete' })
  expect(await countEntries(dir, session)).toBe(1)
  // A process that does not write it can't know.
  expect((await readTranscriptPage(dir, { last: 9 })).total).toBe(2)

  synced.resolve()
  await appended
  expect((await readTranscriptPage(dir, { last: 9 }, session)).total).toBe(2)
})

function messageOf(id: ReturnType<typeof newTaskId>, text: string): PartialMessage {
  return {
    v: 1,
    uuid: newEntryId(),
    type: 'message',
    role: 'assistant',
    parts: [{ type: 'text', text }],
    cwd: '/',
    timestamp: '2026-11-21T00:00:00.000Z',
    gitBranch: null,
    sessionId: id,
    runId: runIdOf(id, 1),
    turn: 1,
    status: 'interrupted',
  }
}

it('[A8] shows the message in progress as it is this moment, not as the file last had it', async () => {
  const { dir, id, session } = await openSession()
  session.setPartial(messageOf(id, 'So f'))
  session.addDelta(0, 'text', 'ar')
  const { partial } = await readTranscriptPage(dir, { last: 9 }, session)
  expect(partial?.parts).toEqual([{ type: 'text', text: 'So far' }])

  const { v: _, ...message } = {
    ...messageOf(id, 'So far'),
    uuid: partial?.uuid,
    status: 'complete' as const,
  }
  await session.append(message)
  expect((await readTranscriptPage(dir, { last: 9 }, session)).partial).toBeNull()
  session.setPartial(null)
  expect((await readTranscriptPage(dir, { last: 9 }, session)).partial).toBeNull()
})

it('[J6] reads the file of a session that was closed meanwhile', async () => {
  const { dir, session } = await openSession()
  await session.append({ type: 'title', title: 'Written' })
  await session.close()
  expect(await readTranscriptPage(dir, { last: 9 }, session)).toMatchObject({ total: 1 })
  expect(await countEntries(dir, session)).toBe(1)
})

it('[J8] [R2] takes the index of a long transcript along into the archive', async () => {
  expect(chatIndexFile).toBe('chat.index')
  const [from, to] = [await temporaryDir(), await temporaryDir()]
  const taskId = newTaskId()
  const journal = await openJournal(join(from, chatFile))
  const title = 'x'.repeat(1000)
  await journal.appendAll(Array.from({ length: 2000 }, () => ({ type: 'title', title })))
  await journal.close()
  await archiveTranscript(from, to, { taskId, ancestorIds: [newTaskId()], title: 'Long', nowMs: 1 })
  // As a later process finds it: nothing is known of a file by this name.
  const later = join(await temporaryDir(), 'later')
  await symlink(archivedTranscriptDir(to, taskId), later)
  const bytes = await bytesReadDuring(async () => {
    expect((await readTranscriptPage(later, { last: 1 })).total).toBe(2000)
  })
  expect(bytes).toBeLessThan(10_000)
})
