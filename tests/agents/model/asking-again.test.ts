/** A question that a crash cut off: nothing was done by it, so it is asked again. */
import { expect, it } from 'vitest'
import type { EntryBody } from '../../../src/shared/records/entries.ts'
import { newEntryId, runIdOf, type ToolCallId } from '../../../src/shared/records/ids.ts'
import { say } from '../../fake-models/script.ts'
import { id } from '../../runs/run-stage.ts'
import { fakeModels, modelStage, told, wires } from './model-stage.ts'

const input = { question: 'Keep the old format?' }
const runId = runIdOf(id, 1)
const uuid = newEntryId()
const callId = 'ask-1' as ToolCallId
const message = {
  type: 'message' as const,
  cwd: '/work',
  timestamp: '2026-11-22T10:00:00.000Z',
  gitBranch: null,
  sessionId: id,
  runId,
} as const

/** As recovery leaves it. */
const cutOff: EntryBody[] = [
  { type: 'run-start', runId, run: 1, reason: 'prompt', agent: 'lead' },
  {
    ...message,
    role: 'user',
    parts: [{ type: 'text', text: 'Go.' }],
    turn: null,
    status: 'complete',
  },
  { type: 'tool-call', messageUuid: uuid, runId, turn: 1, callId, name: 'ask_person', input },
  {
    type: 'tool-result' as const,
    messageUuid: uuid,
    runId,
    turn: 1,
    callId,
    name: 'ask_person',
    outcome: 'unknown' as const,
    output: 'Interrupted while it ran.',
    durationMs: 0,
  },
  {
    ...message,
    uuid,
    role: 'assistant' as const,
    turn: 1,
    status: 'interrupted' as const,
    parts: [{ type: 'tool-call', callId, name: 'ask_person' }],
  },
  { type: 'run-end', runId, run: 1, status: 'interrupted', cause: { kind: 'crashed' } },
]

it.each(wires)('[S3] asks again after a crash, on the wire %s', async (wire) => {
  const fake = await fakeModels({ script: [[say('Both it is.')]] })
  const stage = await modelStage({
    fake,
    wire,
    before: cutOff,
    answer: () => 'The user answers: Both',
  })
  expect(await stage.run('', { run: 2 })).toMatchObject({ status: 'completed' })
  expect(stage.calls).toMatchObject([{ name: 'ask_person', input, callId }])
  expect(told(await stage.entries())).toContain('ok: The user answers: Both')
  expect(JSON.stringify(fake.requests[0]?.body)).toContain('The user answers: Both')
  expect(fake.refused).toEqual([])
})
