import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { TreeDifference } from '../../src/main/git/index.ts'
import * as authorship from '../../src/main/runs/changes/authorship.ts'
import { createFileChanges } from '../../src/main/runs/changes/file-changes.ts'
import { recordedAttributions } from '../../src/main/runs/changes/recorded-attributions.ts'
import { createSessions } from '../../src/main/sessions/sessions.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { newEntryId, newTaskId, newToolCallId } from '../../src/shared/records/ids.ts'
import { temporaryDir } from '../harness.ts'

vi.mock('../../src/main/runs/changes/authorship.ts', async (original) => {
  const real = await original<typeof import('../../src/main/runs/changes/authorship.ts')>()
  return { ...real, follow: vi.fn(real.follow) }
})

/** Records the changes in order and gives what the attribution entries say of the file. */
async function attributions(changes: [before: string, after: string][]) {
  const sessions = createSessions()
  const id = newTaskId()
  const session = await sessions.open(id, join(await temporaryDir(), id))
  const changing = createFileChanges({
    session,
    recorded: recordedAttributions([]),
    treeBefore: null,
    readTexts: async () => new Map(),
  })
  const recorder = changing.recorder(newEntryId())
  for (const [before, after] of changes) {
    const [was, is] = [Buffer.from(before), Buffer.from(after)]
    await recorder.record({ callId: newToolCallId(), path: 'a.txt', before: was, after: is })
  }
  const entries: Entry[] = []
  for await (const entry of session.entries()) entries.push(entry)
  await sessions.close(id)
  return entries.flatMap((entry) =>
    entry.type === 'attribution-snapshot' ? [entry.files['a.txt']] : [],
  )
}

it('counts the characters by the agent and by others', async () => {
  const counted = await attributions([
    ['one\ntwo\n', 'one\ntwo\nthree\n'],
    ['one\nTWO!\nthree\n', 'one\nTWO!\nthree\nfour\n'],
  ])
  expect(counted).toMatchObject([
    { agentChars: 6, otherChars: 8 },
    { agentChars: 11, otherChars: 9 },
  ])
})

it('does not block the program while a large file is rewritten', async () => {
  const lines = (word: string) =>
    Array.from({ length: 20_000 }, (_, n) => `${word} ${n}\n`).join('')
  const counted = await attributions([[lines('old'), lines('new')]])
  expect(counted).toMatchObject([{ agentChars: lines('new').length, otherChars: 0 }])
})

/** Files that a tool wrote, and then a command: `texts` by their ids, which are the texts themselves. */
async function afterCommand(written: string[], differences: Partial<TreeDifference>[]) {
  const sessions = createSessions()
  const id = newTaskId()
  const session = await sessions.open(id, join(await temporaryDir(), id))
  const changing = createFileChanges({
    session,
    recorded: recordedAttributions([]),
    treeBefore: null,
    readTexts: async (names) => new Map(names.map((name) => [name, Buffer.from(name)])),
  })
  const messageUuid = newEntryId()
  for (const path of written) {
    const after = Buffer.from(`by the tool: ${path}\n`)
    const change = { callId: newToolCallId(), path, before: null, after }
    await changing.recorder(messageUuid).record(change)
  }
  await changing.byCommands([])
  changing.commandBegins(newEntryId())
  const file = { change: 'modified', oldPath: null, isFile: true, oldId: 'old\n', newId: 'new\n' }
  const found = await changing.byCommands(
    differences.map((one) => ({ ...file, ...one }) as TreeDifference),
  )
  await sessions.close(id)
  const [entry] = found
  return entry?.type === 'attribution-snapshot' ? entry.files : {}
}

it('compares the files of one turn in one time, whatever has to be compared of each', async () => {
  let nowMs = 1_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => clock.mockRestore())
  const paths = ['a.txt', 'b.txt', 'c.txt']
  const follow = vi.mocked(authorship.follow)
  const given: number[] = []
  const real = follow.getMockImplementation()
  follow.mockImplementation((spans, request) => {
    given.push(request.msMax)
    nowMs += 100
    return real?.(spans, request) ?? []
  })
  onTestFinished(() => void (real && follow.mockImplementation(real)))
  const changed = paths.map((path) => ({ path, oldId: `found ${path}\n`, newId: `new ${path}\n` }))
  await afterCommand(paths, changed)
  // The tools' own three first. Then of each file what others changed, and what the command did.
  expect(given.slice(paths.length)).toEqual([250, 150, 50, 1, 1, 1])
})

it('records every deleted file, however many others changed', async () => {
  const many = Array.from({ length: 150 }, (_, n) => ({
    path: `made/${n}.txt`,
    change: 'added' as const,
    newId: `made ${n}\n`,
  }))
  const gone = { path: 'a.txt', change: 'deleted' as const }
  const moved = { path: 'c.txt', oldPath: 'b.txt', change: 'renamed' as const }
  const files = await afterCommand(['a.txt', 'b.txt'], [...many, gone, moved])
  expect(Object.keys(files).filter((path) => path.startsWith('made/'))).toHaveLength(100)
  expect(files['a.txt']?.sha256).toBeNull()
  expect(files['b.txt']?.sha256).toBeNull()
})
