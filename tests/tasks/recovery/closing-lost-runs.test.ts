/** What a run left open is closed once, with nothing lost and nothing twice (A8, S3). */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPartial } from '../../../src/main/sessions/partial-file.ts'
import { openSession, type Session } from '../../../src/main/sessions/session.ts'
import { closeUnfinished } from '../../../src/main/tasks/recovery/close-unfinished.ts'
import type { Entry, EntryBody } from '../../../src/shared/records/entries.ts'
import { newEntryId, newTaskId, runIdOf, type ToolCallId } from '../../../src/shared/records/ids.ts'
import { lostOutputIn } from '../../../src/shared/records/lost-output.ts'
import { entryVersion } from '../../../src/shared/records/parse-entry.ts'
import type { Task } from '../../../src/shared/records/tasks/tasks.ts'
import { temporaryDir } from '../../harness.ts'
import { allOf, historyIn } from '../../runs/past-of.ts'

const id = newTaskId()
const runId = runIdOf(id, 1)
const task = { id, title: 'Lost', reportedRun: null } as Task

/** For calls that leave no file. */
const noFiles = {
  discardUnfinished: async () => undefined,
  onProblem: (text: string) => expect.unreachable(text),
}

const message = (text: string, status: 'complete' | 'interrupted'): EntryBody => ({
  type: 'message',
  uuid: newEntryId(),
  role: 'assistant',
  parts: [{ type: 'text', text }],
  cwd: '/w',
  timestamp: '2026-11-21T12:00:00.000Z',
  gitBranch: null,
  sessionId: id,
  runId,
  turn: 1,
  status,
})

const call = (callId: string): EntryBody => ({
  type: 'tool-call',
  messageUuid: newEntryId(),
  runId,
  turn: 1,
  callId: callId as ToolCallId,
  name: 'bash',
  input: { command: callId },
})

const result = (callId: string, output: string): EntryBody => ({
  type: 'tool-result',
  messageUuid: newEntryId(),
  runId,
  turn: 1,
  outcome: 'ok',
  callId: callId as ToolCallId,
  name: 'bash',
  output,
  durationMs: 1,
})

const begun: EntryBody = {
  type: 'run-start',
  runId,
  run: 1,
  reason: 'prompt',
  agent: 'a',
  model: null,
}

async function sessionWith(bodies: EntryBody[], partial: EntryBody | null = null) {
  const dir = join(await temporaryDir(), 'session')
  await mkdir(dir)
  const partialPath = join(dir, 'partial.json')
  if (partial) {
    await writeFile(partialPath, JSON.stringify({ v: entryVersion, ...partial }))
    // A file that can't be used says nothing about one that can.
    expect(await readPartial(partialPath)).toMatchObject({ uuid: partial.uuid })
  }
  const session = await openSession(id, dir, () => undefined)
  if (bodies.length > 0) await session.append(...bodies)
  return { session, partialPath }
}

async function entriesIn(session: Session): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of session.entries()) entries.push(entry)
  return entries
}

const shapeOf = (entries: Entry[]) =>
  entries.map((entry) =>
    'callId' in entry && entry.type === 'tool-result'
      ? `${entry.type} ${entry.callId} ${entry.outcome}`
      : 'callId' in entry && entry.type === 'tool-call'
        ? `${entry.type} ${entry.callId}`
        : entry.type,
  )

const permission = (callId: string, allowed?: boolean): EntryBody => ({
  type: 'permission',
  runId,
  callId: callId as ToolCallId,
  question: callId,
  options: [],
  answer: allowed === undefined ? null : { optionId: null, allowed, by: 'person' },
})

describe('closing a lost run', () => {
  it('[P4] closes a call that was not allowed before the crash as not run, and one that was as unknown', async () => {
    const { session } = await sessionWith([
      ...[begun, call('asked'), permission('asked'), call('refused'), permission('refused')],
      ...[permission('refused', false), call('allowed'), permission('allowed')],
      permission('allowed', true),
    ])
    await closeUnfinished(session, task, 1, noFiles)
    const closed = (await entriesIn(session)).filter((entry) => entry.type === 'tool-result')
    expect(closed.map(({ callId, outcome }) => [callId, outcome])).toEqual([
      ['asked', 'error'],
      ['refused', 'error'],
      ['allowed', 'unknown'],
    ])
    expect(closed[0]).toMatchObject({
      output: expect.stringContaining('Not run'),
      detail: { kind: 'not-run' },
    })
    await session.close()
  })

  it('keeps the output that a call had printed, from the half second before', async () => {
    const { session } = await sessionWith([begun, call('loud'), call('quiet')])
    session.callProgressed({ callId: 'loud' as ToolCallId, output: 'tick\n' })
    session.callProgressed({ callId: 'loud' as ToolCallId, output: 'tock\n' })
    const path = join(session.dir, 'running.json')
    await expect.poll(() => existsSync(path)).toBe(true)
    await closeUnfinished(session, task, 1, noFiles)
    const [loud, quiet] = (await entriesIn(session)).filter((entry) => entry.type === 'tool-result')
    expect(loud).toMatchObject({ callId: 'loud', outcome: 'unknown' })
    expect(lostOutputIn(loud?.output ?? '')).toBe('tick\ntock\n')
    expect(lostOutputIn(quiet?.output ?? '')).toBeNull()
    await session.close()
    expect(existsSync(path)).toBe(false)
  })

  it('[A8] keeps its unfinished message, and the file goes only after that', async () => {
    const partial = message('half a sentence', 'interrupted')
    const { session, partialPath } = await sessionWith([begun], partial)
    await closeUnfinished(session, task, 1, noFiles)
    const entries = await entriesIn(session)
    expect(shapeOf(entries)).toEqual(['run-start', 'message', 'run-end'])
    expect(entries[1]?.uuid).toBe(partial.uuid)
    expect(entries[2]).toMatchObject({ run: 1, status: 'interrupted' })
    expect(existsSync(partialPath)).toBe(false)
    await session.close()
  })

  it('[S3] records no empty message, because no agent would get it', async () => {
    const empty = { ...message('', 'interrupted'), parts: [] } as EntryBody
    const { session, partialPath } = await sessionWith([begun, call('a')], empty)
    await closeUnfinished(session, task, 1, noFiles)
    const entries = await entriesIn(session)
    expect(shapeOf(entries)).toEqual([
      'run-start',
      'tool-call a',
      'tool-result a unknown',
      'run-end',
    ])
    expect(await allOf(historyIn(entries).entries())).toEqual(entries)
    expect(existsSync(partialPath)).toBe(false)
    await session.close()
  })

  it('[A8] keeps the file when its content could not be made durable', async () => {
    const partial = message('half a sentence', 'interrupted')
    const { session, partialPath } = await sessionWith([begun], partial)
    const text = await readFile(partialPath, 'utf8')
    const failing = { ...session, append: () => Promise.reject(new Error('disk full')) }
    await expect(closeUnfinished(failing as Session, task, 1, noFiles)).rejects.toThrow('disk full')
    expect(await readFile(partialPath, 'utf8')).toBe(text)
    await session.close()
  })

  it('[A8] does not write a message again that is already in the journal', async () => {
    const said = message('a whole sentence', 'complete')
    const partial = { ...said, status: 'interrupted' } as EntryBody
    const { session, partialPath } = await sessionWith([begun, said], partial)
    await closeUnfinished(session, task, 1, noFiles)
    expect(shapeOf(await entriesIn(session))).toEqual(['run-start', 'message', 'run-end'])
    expect(existsSync(partialPath)).toBe(false)
    await session.close()
  })

  it('[A8] recognizes a message by its file, even after several later turns', async () => {
    const said = message('a whole sentence', 'complete')
    const partial = { ...said, status: 'interrupted' } as EntryBody
    const later = [message('two', 'complete'), message('three', 'complete')]
    const { session, partialPath } = await sessionWith([begun, said, ...later], partial)
    await closeUnfinished(session, task, 1, noFiles)
    expect(shapeOf(await entriesIn(session))).toEqual([
      'run-start',
      'message',
      'message',
      'message',
      'run-end',
    ])
    expect(existsSync(partialPath)).toBe(false)
    await session.close()
  })

  it('ends a run that is open in the transcript only, because an older ledger was restored', async () => {
    const again = (run: number): EntryBody[] => [
      { ...begun, runId: runIdOf(id, run), run } as EntryBody,
    ]
    const end = (run: number): EntryBody => ({
      type: 'run-end',
      runId: runIdOf(id, run),
      run,
      status: 'completed',
      cause: null,
    })
    const { session } = await sessionWith([...again(1), end(1), ...again(2), end(2), ...again(2)])
    await closeUnfinished(session, task, 2, noFiles)
    expect((await entriesIn(session)).at(-1)).toMatchObject({ type: 'run-end', run: 2 })
    expect(await entriesIn(session)).toHaveLength(6)
    await session.close()
  })

  it('[S3] gives each open call one unknown outcome, and ended calls none', async () => {
    const { session } = await sessionWith([
      ...[begun, call('a'), call('b'), call('c'), result('b', 'done')],
    ])
    await closeUnfinished(session, task, 1, noFiles)
    expect(shapeOf(await entriesIn(session)).slice(4)).toEqual([
      'tool-result b ok',
      'tool-result a unknown',
      'tool-result c unknown',
      'run-end',
    ])
    await session.close()
  })

  it('discards the files of open calls, and closes the run although a file remains', async () => {
    const { session } = await sessionWith([begun, call('a'), call('b'), result('b', 'done')])
    const seen: object[] = []
    const problems: string[] = []
    await closeUnfinished(session, { ...task, projectDir: '/project' }, 1, {
      async discardUnfinished(unfinished) {
        seen.push({ ...unfinished, entries: (await entriesIn(session)).length })
        throw new Error('permission denied')
      },
      onProblem: (text) => void problems.push(text),
    })
    expect(seen).toEqual([
      {
        taskId: id,
        callId: 'a',
        name: 'bash',
        input: { command: 'a' },
        workingDir: '/project',
        entries: 4,
      },
    ])
    expect(problems).toEqual([
      'A temporary file that an interrupted bash of "Lost" left in /project could not be removed: permission denied',
    ])
    expect(shapeOf(await entriesIn(session)).slice(4)).toEqual(['tool-result a unknown', 'run-end'])
    await session.close()
  })

  it('[T3] calls a run whose report is durable completed', async () => {
    const { session } = await sessionWith([begun])
    await closeUnfinished(session, { ...task, reportedRun: 1 }, 1, noFiles)
    expect((await entriesIn(session)).at(-1)).toMatchObject({ status: 'completed', cause: null })
    await session.close()
  })

  it('changes nothing if it is repeated, or nothing is open', async () => {
    const { session } = await sessionWith([begun, call('a')], message('half', 'interrupted'))
    await closeUnfinished(session, task, 1, noFiles)
    const once = await entriesIn(session)
    await closeUnfinished(session, task, 1, noFiles)
    expect(await entriesIn(session)).toEqual(once)
    await session.close()
  })
})

describe('[S3] a history for an agent', () => {
  const stamped = (bodies: EntryBody[]): Entry[] =>
    bodies.map(
      (body, n) =>
        ({ v: 1, seq: n + 1, at: n, uuid: newEntryId(), parentUuid: null, ...body }) as Entry,
    )

  const repairedOf = (entries: Entry[]) => allOf(historyIn(entries).entries())

  it('is returned unchanged if nothing is open', async () => {
    const whole = stamped([begun, call('a'), result('a', 'done'), message('Done.', 'complete')])
    expect(await repairedOf(whole)).toEqual(whole)
  })

  it('answers every call once, in its position, with its first recorded result', async () => {
    const repaired = await repairedOf(
      stamped([call('a'), call('b'), result('b', 'first'), result('b', 'second')]),
    )
    expect(shapeOf(repaired)).toEqual([
      'tool-call a',
      'tool-result a unknown',
      'tool-call b',
      'tool-result b ok',
    ])
    expect(repaired.at(-1)).toMatchObject({ output: 'first' })
  })

  it('has a result for each repetition of a call', async () => {
    const again = [call('a'), result('a', 'first'), call('a'), result('a', 'again'), call('a')]
    expect(shapeOf(await repairedOf(stamped(again)))).toEqual([
      'tool-call a',
      'tool-result a ok',
      'tool-call a',
      'tool-result a ok',
      'tool-call a',
      'tool-result a unknown',
    ])
  })

  it('[I5] omits abandoned branches, even nested ones', async () => {
    const fork = (type: 'fork-start' | 'fork-end') => ({ type, forkId: newEntryId() }) as EntryBody
    const left = [fork('fork-start'), call('a'), fork('fork-start'), call('b'), fork('fork-end')]
    const all = [begun, ...left, call('c'), fork('fork-end'), message('On.', 'complete')]
    expect(shapeOf(await repairedOf(stamped(all)))).toEqual(['run-start', 'message'])
  })

  it('drops an interrupted message without content, and keeps a complete one', async () => {
    const repaired = await repairedOf(
      stamped([
        ...[message('  ', 'interrupted'), message('', 'complete'), message('half', 'interrupted')],
      ]),
    )
    expect(repaired.map((entry) => entry.type === 'message' && entry.status)).toEqual([
      'complete',
      'interrupted',
    ])
  })
})
