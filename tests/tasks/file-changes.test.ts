import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSessions } from '../../src/main/sessions/sessions.ts'
import { createFileChanges } from '../../src/main/tasks/file-changes.ts'
import type { Entry } from '../../src/shared/entries.ts'
import { newEntryId, newTaskId, newToolCallId } from '../../src/shared/ids.ts'
import { temporaryDir } from '../harness.ts'

/** Records the changes in order and gives what the attribution entries say of the file. */
async function attributions(changes: [before: string, after: string][]) {
  const sessions = createSessions()
  const id = newTaskId()
  const session = await sessions.open(id, join(await temporaryDir(), id))
  const changing = createFileChanges({ session, history: [], readTexts: async () => new Map() })
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

it('does not hold the program up when a large file is written anew', async () => {
  const lines = (word: string) =>
    Array.from({ length: 20_000 }, (_, n) => `${word} ${n}\n`).join('')
  const counted = await attributions([[lines('old'), lines('new')]])
  expect(counted).toMatchObject([{ agentChars: lines('new').length, otherChars: 0 }])
})
