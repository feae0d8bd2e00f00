/** One session while it is written: what follows what, what is left when it is closed, and who may close it. */
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { appendBetweenRuns } from '../../src/main/sessions/append-between-runs.ts'
import { openSession } from '../../src/main/sessions/session.ts'
import { createSessions } from '../../src/main/sessions/sessions.ts'
import type { PartialMessage } from '../../src/shared/records/entry-types/messages.ts'
import { newEntryId, newTaskId, runIdOf } from '../../src/shared/records/ids.ts'
import { record } from '../crash/fault-fs/record.ts'
import { temporaryDir } from '../harness.ts'

const id = newTaskId()

async function sessionDir(): Promise<string> {
  const dir = join(await temporaryDir(), 'session')
  await mkdir(dir)
  return dir
}

const saying = (text: string): PartialMessage => ({
  v: 1,
  uuid: newEntryId(),
  type: 'message',
  role: 'assistant',
  parts: [{ type: 'text', text }],
  cwd: '/w',
  timestamp: '2026-11-21T12:00:00.000Z',
  gitBranch: null,
  sessionId: id,
  runId: runIdOf(id, 1),
  turn: 1,
  status: 'interrupted',
})

it('[J7] names as the parent of an entry the last one that was written, also after a failed append', async () => {
  const dir = await sessionDir()
  let isFull = false
  const recording = record(dir, {
    inject: ({ call }) => (isFull && call === 'write' ? { code: 'ENOSPC' } : null),
  })
  onTestFinished(() => void recording.stop())
  const session = await openSession(id, dir, () => undefined)
  onTestFinished(() => session.close())
  const [first] = await session.append({ type: 'title', title: 'One' })
  isFull = true
  await expect(session.append({ type: 'title', title: 'Refused' })).rejects.toThrow('ENOSPC')
  isFull = false
  const [second] = await session.append({ type: 'title', title: 'Two' })
  expect(second).toMatchObject({ seq: 2, parentUuid: first?.uuid })
})

it('[I5] continues after a fork from the entry before it', async () => {
  const session = await openSession(id, await sessionDir(), () => undefined)
  onTestFinished(() => session.close())
  const forkId = newEntryId()
  const [first] = await session.append({ type: 'title', title: 'One' })
  const [last] = await session.append({ type: 'title', title: 'Two' })
  const parentUuid = first?.uuid
  const [start] = await session.append({
    type: 'fork-start',
    forkId,
    ...(parentUuid && { parentUuid }),
  })
  const [inside] = await session.append({ type: 'title', title: 'Abandoned' })
  await session.append({ type: 'fork-end', forkId })
  const [next] = await session.append({ type: 'title', title: 'Three' })
  expect(start?.parentUuid).toBe(first?.uuid)
  expect(inside?.parentUuid).toBe(start?.uuid)
  expect(next?.parentUuid).toBe(last?.uuid)
})

it('[I5][J7] is still within a fork after its end could not be written', async () => {
  const dir = await sessionDir()
  let isFull = false
  const recording = record(dir, {
    inject: ({ call }) => (isFull && call === 'write' ? { code: 'ENOSPC' } : null),
  })
  onTestFinished(() => void recording.stop())
  const session = await openSession(id, dir, () => undefined)
  onTestFinished(() => session.close())
  const forkId = newEntryId()
  const [first] = await session.append({ type: 'title', title: 'One' })
  const [start] = await session.append({ type: 'fork-start', forkId })
  isFull = true
  await expect(session.append({ type: 'fork-end', forkId })).rejects.toThrow('ENOSPC')
  isFull = false
  const [inside] = await session.append({ type: 'title', title: 'Inside' })
  await session.append({ type: 'fork-end', forkId })
  isFull = true
  await expect(session.append({ type: 'title', title: 'Refused' })).rejects.toThrow('ENOSPC')
  isFull = false
  const [next] = await session.append({ type: 'title', title: 'Two' })
  expect(inside?.parentUuid).toBe(start?.uuid)
  expect(next?.parentUuid).toBe(first?.uuid)
})

it('[A8] leaves the message in progress in its file when it is closed, and nothing once it was recorded', async () => {
  const dir = await sessionDir()
  const file = join(dir, 'partial.json')
  const session = await openSession(id, dir, () => undefined)
  session.setPartial(saying('half a sentence'))
  await session.close()
  expect(await readFile(file, 'utf8')).toContain('half a sentence')
  const next = await openSession(id, dir, () => undefined)
  next.setPartial(saying('a whole one'))
  next.setPartial(null)
  await next.close()
  expect(existsSync(file)).toBe(false)
})

it('[A8] leaves an unrecorded message alone when it is opened only to add an entry', async () => {
  const dir = await sessionDir()
  const session = await openSession(id, dir, () => undefined)
  await session.append({ type: 'title', title: 'One' })
  session.setPartial(saying('what the disk did not take'))
  await session.close()
  const added = { type: 'title', title: 'Two' } as const
  const transcript = { id, dir, counted: undefined }
  await appendBetweenRuns(createSessions(), transcript, (session) => session.append(added))
  expect(await readFile(join(dir, 'partial.json'), 'utf8')).toContain('what the disk did not take')
})

it('begins a transcript for who may, also while another caller asks for one that exists', async () => {
  const sessions = createSessions()
  const dir = await sessionDir()
  const missing = sessions.open(id, dir, { mustExist: true })
  const begun = sessions.open(id, dir)
  await expect(missing).rejects.toMatchObject({ kind: 'session-missing' })
  await (await begun).append({ type: 'title', title: 'Begun' })
  await sessions.close(id)
  expect(sessions.current(id)).toBeNull()
})

it('[J6] stays open for everybody who opened it until the last of them closes it', async () => {
  const sessions = createSessions()
  const dir = await sessionDir()
  const [first, second] = await Promise.all([sessions.open(id, dir), sessions.open(id, dir)])
  expect(second).toBe(first)
  await sessions.close(id)
  expect(sessions.current(id)).toBe(first)
  await first.append({ type: 'title', title: 'Still open' })
  await sessions.close(id)
  expect(sessions.current(id)).toBeNull()
  await expect(first.append({ type: 'title', title: 'Too late' })).rejects.toThrow()
})
