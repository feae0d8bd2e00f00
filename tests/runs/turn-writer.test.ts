import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTurnWriter } from '../../src/main/runs/turn-writer.ts'
import { maskEntry } from '../../src/main/secrets/mask-records.ts'
import { createMasker } from '../../src/main/secrets/masker.ts'
import { openSession, type SessionEvent } from '../../src/main/sessions/session.ts'
import { newTaskId, runIdOf, type ToolCallId } from '../../src/shared/ids.ts'
import { temporaryDir } from '../harness.ts'

const secret = 'q1W2e3R4t5-y6U7'

async function openWriter() {
  const dir = join(await temporaryDir(), 'session')
  await mkdir(dir)
  const id = newTaskId()
  const mask = createMasker()
  mask.learn([{ name: 'API_KEY', value: secret }])
  const heard: SessionEvent[] = []
  const session = await openSession(id, dir, (event) => heard.push(event), {
    prepare: (entry) => maskEntry(mask, entry),
  })
  const writer = createTurnWriter({
    ...{ session, sessionId: id, runId: runIdOf(id, 1), turnsBefore: 0, mask },
    ...{ cwd: () => dir, gitBranch: async () => null, clock: Date.now },
  })
  return { session, writer, heard }
}

it('[K3] hides a secret that an agent says in pieces, from the first piece on', async () => {
  const { session, writer, heard } = await openWriter()
  await writer.begin()
  for (const piece of ['The key is ', ...secret, '. Not q1W2e', '3 though.'])
    await writer.text(piece)
  for (const piece of ['Think: ', secret.slice(0, 7), secret.slice(7)])
    await writer.reasoning(piece)
  await writer.text(secret.slice(0, 5))
  await writer.end({})
  const [message] = (await session.page({ last: 1 })).records
  expect(message?.parts).toEqual([
    { type: 'text', text: 'The key is [hidden: API_KEY]. Not q1W2e3 though.' },
    { type: 'reasoning', text: 'Think: [hidden: API_KEY]' },
    { type: 'text', text: secret.slice(0, 5) },
  ])
  const spoken = heard.flatMap((event) => (event.type === 'delta' ? [event.text] : [])).join('')
  expect(spoken).toBe(
    'The key is [hidden: API_KEY]. Not q1W2e3 though.Think: [hidden: API_KEY]q1W2e',
  )
  expect(JSON.stringify(heard)).not.toContain(secret.slice(0, 8))
  await session.close()
})

it('[K3] gives the agent the result that was recorded', async () => {
  const { session, writer } = await openWriter()
  await writer.text('Look: q1W2')
  const input = { command: `echo ${secret}` }
  const result = await writer.call({ name: 'bash', input }, async () => ({
    outcome: 'ok',
    output: `${secret}\n${encodeURIComponent(secret)}`,
  }))
  await writer.end({})
  expect(result.output).toBe('[hidden: API_KEY]\n[hidden: API_KEY]')
  const { records } = await session.page({ last: 3 })
  expect(records.map(({ type }) => type)).toEqual(['tool-call', 'tool-result', 'message'])
  expect(records[0]?.input).toEqual({ command: 'echo [hidden: API_KEY]' })
  expect(records[1]?.output).toBe(result.output)
  expect(records[2]?.parts).toMatchObject([{ text: 'Look: q1W2' }, { type: 'tool-call' }])
  await session.close()
})

it('[J6] has a call durable before its tool runs, and its result before the agent hears of it', async () => {
  const { session, writer } = await openWriter()
  const typesNow = async () => (await session.page({ last: 9 })).records.map(({ type }) => type)
  await writer.begin()
  let atExecution: string[] = []
  await writer.call({ name: 'bash', input: {} }, async () => {
    atExecution = await typesNow()
    return { outcome: 'ok', output: 'done' }
  })
  expect(atExecution).toEqual(['tool-call'])
  expect(await typesNow()).toEqual(['tool-call', 'tool-result'])
  await session.close()
})

it('[J6] runs no tool whose call could not be recorded', async () => {
  const { session, writer } = await openWriter()
  await writer.begin()
  await session.close()
  let ran = false
  const call = writer.call({ name: 'bash', input: {} }, async () => {
    ran = true
    return { outcome: 'ok', output: '' }
  })
  await expect(call).rejects.toThrow()
  expect(ran).toBe(false)
})

it('[A8] keeps what an interrupted turn had said, marked as interrupted; nothing when it had said nothing', async () => {
  const silent = await openWriter()
  await silent.writer.begin()
  await silent.writer.interrupt()
  expect(silent.session.lastSeq).toBe(0)
  await silent.session.close()

  const { session, writer } = await openWriter()
  await writer.text('half a sen')
  await writer.interrupt()
  await writer.interrupt()
  const { records } = await session.page({ last: 9 })
  expect(records).toMatchObject([
    { type: 'message', status: 'interrupted', parts: [{ type: 'text', text: 'half a sen' }] },
  ])
  expect(session.partial).toBeNull()
  await expect(writer.text('ce')).rejects.toThrow('has ended')
  await session.close()
})

it('[J6] begins another turn for a call that comes while the turn before is being written', async () => {
  const { session, writer } = await openWriter()
  await writer.text('First.')
  const ended = writer.end({})
  const called = writer.call({ name: 'read_file', input: {} }, async () => ({
    outcome: 'ok',
    output: 'text',
  }))
  await Promise.all([ended, called])
  await writer.end({})
  const { records } = await session.page({ last: 9 })
  expect(records.map(({ type, turn }) => [type, turn])).toEqual([
    ['message', 1],
    ['tool-call', 2],
    ['tool-result', 2],
    ['message', 2],
  ])
  expect(session.partial).toBeNull()
  await session.close()
})

it('records each of two calls that were given one id', async () => {
  const { session, writer } = await openWriter()
  const callId = 'call-1' as ToolCallId
  const both = ['a', 'b'].map((path) =>
    writer.call({ name: 'read_file', input: { path }, callId }, async () => ({
      outcome: 'ok',
      output: path,
    })),
  )
  await Promise.all(both)
  await writer.end({})
  const { records } = await session.page({ last: 9 })
  const results = records.filter(({ type }) => type === 'tool-result')
  expect(results.map(({ output }) => output).sort()).toEqual(['a', 'b'])
  expect(new Set(results.map((result) => result.callId)).size).toBe(2)
  await session.close()
})
