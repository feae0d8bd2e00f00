/** The fold of a session's past: what its checkpoint saves, and when it is not believed. */
import { hash } from 'node:crypto'
import {
  appendFile,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  expireTranscript,
  unexpireTranscript,
} from '../../src/main/artifacts/expired-transcripts.ts'
import { archivedTranscriptDir, archiveTranscript } from '../../src/main/artifacts/index.ts'
import { readCheckpoint, stateText, writeCheckpoint } from '../../src/main/sessions/checkpoint.ts'
import { openSession, type Session } from '../../src/main/sessions/session.ts'
import { checkpointFile } from '../../src/main/sessions/session-files.ts'
import { readSessionState } from '../../src/main/sessions/session-state.ts'
import { checkpointAfter } from '../../src/main/sessions/state-keeper.ts'
import { foldSessionState } from '../../src/shared/projections/session/fold-session.ts'
import {
  emptySessionState,
  type SessionState,
} from '../../src/shared/projections/session/session-state.ts'
import type { EntryBody } from '../../src/shared/records/entries.ts'
import { newTaskId, runIdOf } from '../../src/shared/records/ids.ts'
import { seed } from '../crash/effort.ts'
import { record } from '../crash/fault-fs/record.ts'
import { temporaryDir } from '../harness.ts'
import fc from '../random.ts'
import { randomHistory } from '../shared/projections/random-history.ts'

const id = newTaskId()

async function opened(
  dir: string,
  options: { isDisplaced?: () => boolean; onIgnored?: (what: string) => void } = {},
): Promise<Session> {
  const session = await openSession(id, dir, () => undefined, options)
  onTestFinished(() => session.close())
  return session
}

const said = (text: string): EntryBody => ({
  type: 'message',
  role: 'user',
  parts: [{ type: 'text', text }],
  cwd: '/w',
  timestamp: '2026-11-21T12:00:00.000Z',
  gitBranch: null,
  sessionId: id,
  runId: runIdOf(id, 1),
  turn: null,
  status: 'complete',
})
const many = (entries: number): EntryBody[] => Array.from({ length: entries }, () => said('Go'))

/** A closed session of `entries`, the last of them a title. */
async function sessionOf(entries: number): Promise<string> {
  const dir = join(await temporaryDir(), 'session')
  await mkdir(dir)
  const session = await opened(dir)
  await session.state()
  await session.append(...many(entries - 1))
  await session.append({ type: 'title', title: 'FinishedTree' })
  await session.close()
  return dir
}

const long = checkpointAfter.entries + 10

/** Without its checkpoint. */
async function rebuilt(dir: string): Promise<SessionState> {
  const state = emptySessionState()
  const session = await opened(dir)
  for await (const entry of session.entries()) foldSessionState(state, entry)
  await session.close()
  return state
}

/** As the process that writes it is told, and as everybody else is. */
async function asked(dir: string): Promise<SessionState[]> {
  const read = await readSessionState(dir)
  const session = await opened(dir)
  const state = structuredClone(await session.state())
  await session.close()
  return [state, read as SessionState]
}

/** Its checkpoint says one message too many, by which it is known that it was used. */
async function withMark(dir: string, change: Partial<Parameters<typeof writeCheckpoint>[1]> = {}) {
  const known = await readCheckpoint(dir)
  if (!known) throw new Error('there is no checkpoint')
  const state = { ...known.state, messages: known.state.messages + 1 }
  await writeCheckpoint(dir, { ...known, state: stateText(state), ...change })
}

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  )

it('[G9] folds to the same from a checkpoint anywhere in any history', async () => {
  const dir = await temporaryDir()
  const property = fc.asyncProperty(randomHistory, fc.nat(60), async (entries, at) => {
    const whole = emptySessionState()
    const before = emptySessionState()
    for (const entry of entries) foldSessionState(whole, entry)
    for (const entry of entries.slice(0, at)) foldSessionState(before, entry)
    fc.pre(before.seq > 0)
    await writeCheckpoint(dir, { state: stateText(before), earlier: [], sum: 'x', bytes: 1 })
    const restored = (await readCheckpoint(dir))?.state
    expect(restored).toEqual(before)
    for (const entry of entries.slice(at)) foldSessionState(restored as SessionState, entry)
    expect(restored).toEqual(whole)
  })
  await fc.assert(property, { seed, numRuns: 100 })
})

describe('a checkpoint', () => {
  it('is written by a long session, and not by a short one', async () => {
    expect(await exists(join(await sessionOf(20), checkpointFile))).toBe(false)
    const file = join(await sessionOf(long), checkpointFile)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('is written for few entries that are large', async () => {
    const dir = await sessionOf(1)
    const session = await opened(dir)
    await session.state()
    const large = 'x'.repeat(200_000)
    for (let bytes = 0; bytes <= checkpointAfter.bytes; bytes += large.length)
      await session.append(said(large))
    await session.close()
    expect(await exists(join(dir, checkpointFile))).toBe(true)
  })

  it('is written if a long session without one is read, and not again without new entries', async () => {
    const dir = await sessionOf(long)
    const file = join(dir, checkpointFile)
    await rm(file)
    const [state] = await asked(dir)
    expect((await readCheckpoint(dir))?.state).toEqual(state)
    const { ino } = await stat(file)
    await asked(dir)
    expect((await stat(file)).ino).toBe(ino)
  })

  it('is used, and continued with later entries', async () => {
    const dir = await sessionOf(long)
    await withMark(dir)
    const session = await opened(dir)
    await session.append(said('And more'))
    await session.close()
    for (const state of await asked(dir)) {
      expect(state.messages).toBe(long - 1 + 1 + 1)
      expect(state.seq).toBe(long + 1)
    }
  })

  it('continues with what is appended, also while it is being read', async () => {
    const dir = await sessionOf(long)
    const session = await opened(dir)
    const early = session.append(said('Before'))
    const asking = session.state()
    await Promise.all([early, asking, session.append(said('Meanwhile'), said('Meanwhile'))])
    await session.append(said('After'))
    expect(await session.state()).toMatchObject({ seq: long + 4, messages: long - 1 + 4 })
    await session.close()
    expect((await asked(dir))[0]).toEqual(await rebuilt(dir))
  })

  it('is not used beyond the requested entry', async () => {
    const dir = await sessionOf(long)
    await withMark(dir)
    expect(await readSessionState(dir, null, 5)).toMatchObject({ seq: 5, messages: 5 })
    const session = await opened(dir)
    expect(await readSessionState(dir, session, 5)).toMatchObject({ seq: 5, messages: 5 })
    expect(await readSessionState(dir, session, long)).toBe(await session.state())
    await session.close()
    // A closed session's files say all of it.
    expect(await readSessionState(dir, session)).toMatchObject({ seq: long })
  })

  it('is missing if there is no transcript', async () => {
    expect(await readSessionState(await temporaryDir())).toBeNull()
  })
})

describe('a checkpoint that is not used', () => {
  const mishaps: [string, (dir: string) => Promise<unknown>][] = [
    ['is missing', (dir) => rm(join(dir, checkpointFile))],
    [
      'is of another journal',
      async (dir) => {
        const other = await sessionOf(long)
        await withMark(other)
        await copyFile(join(other, checkpointFile), join(dir, checkpointFile))
      },
    ],
    ['has another sum', (dir) => withMark(dir, { sum: 'A'.repeat(43) })],
    [
      'was written by a newer version',
      async (dir) => {
        await withMark(dir)
        await rewrite(dir, (body) => body.replace('"version":2', '"version":3'))
      },
    ],
    [
      'was folded by other rules',
      async (dir) => {
        await withMark(dir)
        await rewrite(dir, (body) => body.replace('"rules":"', '"rules":"0'))
      },
    ],
    [
      'has another shape',
      async (dir) => {
        await withMark(dir)
        await rewrite(dir, (body) => body.replace('"headMoves":[]', '"headMoves":{}'))
      },
    ],
    [
      'was changed without its checksum',
      async (dir) => {
        await withMark(dir)
        const file = join(dir, checkpointFile)
        await writeFile(
          file,
          (await readFile(file, 'utf8')).replace('"filesCut":false', '"filesCut":true'),
        )
      },
    ],
    [
      'was cut short',
      async (dir) => {
        await withMark(dir)
        await truncate(join(dir, checkpointFile), 900)
      },
    ],
    ['is empty', (dir) => writeFile(join(dir, checkpointFile), '')],
    [
      'is a folder',
      async (dir) => {
        await rm(join(dir, checkpointFile))
        await mkdir(join(dir, checkpointFile))
      },
    ],
  ]

  it.each(mishaps)('%s', async (_, mishap) => {
    const dir = await sessionOf(long)
    await mishap(dir)
    const expected = { seq: long, messages: long - 1, titled: true }
    const [writer, reader] = await asked(dir)
    expect(reader).toMatchObject(expected)
    expect(writer).toMatchObject(expected)
    expect(writer).toEqual(await rebuilt(dir))
  })

  async function rewrite(dir: string, change: (body: string) => string): Promise<void> {
    const file = join(dir, checkpointFile)
    const [body = ''] = (await readFile(file, 'utf8')).split('\n')
    const changed = change(body)
    expect(changed).not.toBe(body)
    await writeFile(file, `${changed}\n${hash('sha256', changed, 'base64url')}\n`)
  }

  it('is newer than a truncated journal, even after that has grown again', async () => {
    const dir = await sessionOf(long)
    await withMark(dir)
    const file = join(dir, 'chat.jsonl')
    const lines = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, `${lines.slice(0, long - 5).join('\n')}\n`)
    expect((await asked(dir)).map(({ messages }) => messages)).toEqual([long - 5, long - 5])
    const session = await opened(dir)
    await session.append(...many(5))
    await session.close()
    expect((await asked(dir)).map(({ messages }) => messages)).toEqual([long, long])
  })

  it('is of a journal that is damaged now, and none is written for that', async () => {
    const dir = await sessionOf(long)
    await withMark(dir)
    const file = join(dir, 'chat.jsonl')
    const lines = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, lines.with(3, lines[3]?.replace('Go', 'No') ?? '').join('\n'))
    for (const state of await asked(dir)) expect(state.messages).toBe(long - 2)
    await rm(join(dir, checkpointFile))
    await asked(dir)
    expect(await exists(join(dir, checkpointFile))).toBe(false)
  })
})

it('[J7] loses nothing but time if the disk refuses a checkpoint', async () => {
  const dir = await sessionOf(10)
  const recording = record(dir, {
    inject: ({ call, path }) =>
      call === 'rename' && String(path).includes(checkpointFile) ? { code: 'ENOSPC' } : null,
  })
  onTestFinished(() => void recording.stop())
  const ignored: string[] = []
  const session = await opened(dir, { onIgnored: (what) => void ignored.push(what) })
  await session.state()
  await session.append(...many(long))
  await session.close()
  expect(ignored).toContain(`the checkpoint of ${id} could not be stored`)
  expect((await readdir(dir)).sort()).toEqual(['chat.jsonl'])
  expect((await asked(dir))[1]).toMatchObject({ seq: long + 10 })
})

it('writes no checkpoint once another process has the lease', async () => {
  const dir = await sessionOf(10)
  let isDisplaced = false
  const session = await opened(dir, { isDisplaced: () => isDisplaced })
  await session.append(...many(long))
  isDisplaced = true
  await session.state()
  await session.close()
  expect(await exists(join(dir, checkpointFile))).toBe(false)
})

it('ignores a torn tail, as every reader does', async () => {
  const dir = await sessionOf(long)
  await appendFile(join(dir, 'chat.jsonl'), '{"v":1,"seq":')
  expect(await readSessionState(dir)).toMatchObject({ seq: long })
})

it('[R2] [X3] moves with its transcript', async () => {
  const dir = await sessionOf(long)
  const [keeper, trash] = [await temporaryDir(), join(await temporaryDir(), 'trash')]
  const about = { taskId: id, ancestorIds: [newTaskId()], title: 'Long', nowMs: 1 }
  await archiveTranscript(dir, keeper, about)
  const archived = archivedTranscriptDir(keeper, id)
  await withMark(archived)
  expect(await readdir(dir)).toEqual([])
  expect(await readSessionState(archived)).toMatchObject({ seq: long, messages: long })
  const place = { keeperDir: keeper, own: false }
  await expireTranscript(place, id, trash, { receiptId: 'r', atMs: 2 })
  expect(await readdir(archived)).toEqual(['transcript.json'])
  expect(await readSessionState(archived)).toBeNull()
  await unexpireTranscript(place, id, trash)
  expect(await readSessionState(archived)).toMatchObject({ seq: long, messages: long })
})
