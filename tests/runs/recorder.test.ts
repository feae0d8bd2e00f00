import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRecorder } from '../../src/main/runs/recording/recorder.ts'
import { maskEntry } from '../../src/main/secrets/mask-records.ts'
import { createMasker } from '../../src/main/secrets/masker.ts'
import { openSession, type Session, type SessionEvent } from '../../src/main/sessions/session.ts'
import type { EntryBody } from '../../src/shared/records/entries.ts'
import { newTaskId, runIdOf, type ToolCallId } from '../../src/shared/records/ids.ts'
import { temporaryDir } from '../harness.ts'
import { speech } from './played-agent.ts'

const secret = 'q1W2e3R4t5-y6U7'

/** `onAppend` is told what is about to be written. */
async function openRecorder(onAppend: (type: string) => void = () => undefined) {
  const dir = join(await temporaryDir(), 'session')
  await mkdir(dir)
  const id = newTaskId()
  const mask = createMasker()
  mask.learn([{ name: 'API_KEY', value: secret }])
  const heard: SessionEvent[] = []
  const session = await openSession(id, dir, (event) => heard.push(event), {
    prepare: (entry) => maskEntry(mask, entry),
  })
  const told: Session = Object.assign(Object.create(session), {
    append: (...bodies: EntryBody[]) => {
      for (const { type } of bodies) onAppend(type)
      return session.append(...bodies)
    },
  })
  const recorder = createRecorder({
    session: told,
    sessionId: id,
    runId: runIdOf(id, 1),
    turnsBefore: 0,
    mask,
    cwd: () => dir,
    gitBranch: async () => null,
    clock: Date.now,
  })
  return { session, recorder, heard }
}

it('[K3] masks a secret that an agent’s text contains in pieces, from the first piece on', async () => {
  const { session, recorder, heard } = await openRecorder()
  await recorder.event({ type: 'turn-started' })
  for (const piece of ['The key is ', ...secret, '. Not q1W2e', '3 though.'])
    await recorder.event(speech(piece))
  await recorder.event({ type: 'part-ended', part: 'text' })
  for (const piece of ['Think: ', secret.slice(0, 7), secret.slice(7)])
    await recorder.event(speech(piece, 'reasoning'))
  await recorder.event(speech(secret.slice(0, 5)))
  await recorder.endTurn()
  const [message] = (await session.page({ last: 1 })).records
  expect(message?.parts).toEqual([
    { type: 'text', id: 'text', text: 'The key is [hidden: API_KEY]. Not q1W2e3 though.' },
    { type: 'reasoning', id: 'reasoning', text: 'Think: [hidden: API_KEY]' },
    { type: 'text', id: 'text-2', text: secret.slice(0, 5) },
  ])
  const spoken = heard.flatMap((event) => (event.type === 'delta' ? [event.text] : [])).join('')
  expect(spoken).toBe(
    'The key is [hidden: API_KEY]. Not q1W2e3 though.Think: [hidden: API_KEY]q1W2e',
  )
  expect(JSON.stringify(heard)).not.toContain(secret.slice(0, 8))
  await session.close()
})

it('[K3] gives the agent the result that was recorded', async () => {
  const { session, recorder } = await openRecorder()
  await recorder.event(speech('Look: q1W2'))
  const input = { command: `echo ${secret}` }
  const result = await recorder.call({ name: 'bash', input }, async () => ({
    outcome: 'ok',
    output: `${secret}\n${encodeURIComponent(secret)}`,
  }))
  await recorder.endTurn()
  expect(result.output).toBe('[hidden: API_KEY]\n[hidden: API_KEY]')
  const { records } = await session.page({ last: 3 })
  expect(records.map(({ type }) => type)).toEqual(['tool-call', 'tool-result', 'message'])
  expect(records[0]?.input).toEqual({ command: 'echo [hidden: API_KEY]' })
  expect(records[1]?.output).toBe(result.output)
  expect(records[2]?.parts).toMatchObject([{ text: 'Look: q1W2' }, { type: 'tool-call' }])
  await session.close()
})

it('[J6] has a call durable before its tool runs, and its result before the agent receives it', async () => {
  const { session, recorder } = await openRecorder()
  const typesNow = async () => (await session.page({ last: 9 })).records.map(({ type }) => type)
  await recorder.event({ type: 'turn-started' })
  let atExecution: string[] = []
  await recorder.call({ name: 'bash', input: {} }, async () => {
    atExecution = await typesNow()
    return { outcome: 'ok', output: 'done' }
  })
  expect(atExecution).toEqual(['tool-call'])
  expect(await typesNow()).toEqual(['tool-call', 'tool-result'])
  await session.close()
})

it('[J6] runs no tool whose call could not be recorded', async () => {
  const { session, recorder } = await openRecorder()
  await recorder.event({ type: 'turn-started' })
  await session.close()
  let ran = false
  const call = recorder.call({ name: 'bash', input: {} }, async () => {
    ran = true
    return { outcome: 'ok', output: '' }
  })
  await expect(call).rejects.toThrow()
  expect(ran).toBe(false)
})

it('[A8] keeps what an interrupted turn had said, marked as interrupted; nothing when it had said nothing', async () => {
  const silent = await openRecorder()
  await silent.recorder.event({ type: 'turn-started' })
  await silent.recorder.interrupt()
  expect(silent.session.lastSeq).toBe(0)
  await silent.session.close()

  const { session, recorder } = await openRecorder()
  await recorder.event(speech('half a sen'))
  await recorder.interrupt()
  await recorder.interrupt()
  const { records } = await session.page({ last: 9 })
  expect(records).toMatchObject([
    { type: 'message', status: 'interrupted', parts: [{ type: 'text', text: 'half a sen' }] },
  ])
  expect(session.partial).toBeNull()
  await expect(recorder.event(speech('ce'))).rejects.toThrow('has ended')
  await session.close()
})

it('[J6] begins another turn for a call that comes while the turn before is being written', async () => {
  let called: Promise<unknown> | null = null
  const { session, recorder } = await openRecorder((type) => {
    if (type === 'message')
      called ??= recorder.call({ name: 'read_file', input: {} }, async () => ({
        outcome: 'ok',
        output: 'text',
      }))
  })
  await recorder.event(speech('First.'))
  await recorder.event({ type: 'turn-ended' })
  await called
  await recorder.endTurn()
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
  const { session, recorder } = await openRecorder()
  const callId = 'call-1' as ToolCallId
  const both = ['a', 'b'].map((path) =>
    recorder.call({ name: 'read_file', input: { path }, callId }, async () => ({
      outcome: 'ok',
      output: path,
    })),
  )
  await Promise.all(both)
  await recorder.endTurn()
  const { records } = await session.page({ last: 9 })
  const results = records.filter(({ type }) => type === 'tool-result')
  expect(results.map(({ output }) => output).sort()).toEqual(['a', 'b'])
  expect(new Set(results.map((result) => result.callId)).size).toBe(2)
  await session.close()
})

it('takes parts that come mixed, unannounced and under one name twice', async () => {
  const { session, recorder } = await openRecorder()
  const signature = { provider: 'p', model: 'm', data: { signature: 'abc' } }
  await recorder.event(speech('one ', 'text', 'a'))
  await recorder.event({
    type: 'part-started',
    part: 'b',
    kind: 'reasoning',
    providerData: signature,
  })
  await recorder.event(speech('two', 'text', 'a'))
  await recorder.event({ type: 'part-ended', part: 'nobody' })
  await recorder.event({ type: 'part-ended', part: 'a' })
  await recorder.event(speech('again', 'text', 'a'))
  await recorder.event(speech('other', 'reasoning', 'a'))
  await recorder.event({ type: 'turn-ended', model: 'm', stop: 'end' })
  const [message] = (await session.page({ last: 1 })).records
  expect(message).toMatchObject({ status: 'complete', model: 'm', stop: 'end' })
  expect(message?.parts).toEqual([
    { type: 'text', id: 'a', text: 'one two' },
    { type: 'reasoning', id: 'b', text: '', providerData: signature },
    { type: 'text', id: 'a-2', text: 'again' },
    { type: 'reasoning', id: 'a-3', text: 'other' },
  ])
  await session.close()
})

it('[G1] records calls on the agent’s side, later corrections of them, and calls that it never ended', async () => {
  const { session, recorder, heard } = await openRecorder()
  const [one, two] = ['1', '2'] as ToolCallId[]
  if (!one || !two) throw new Error('no ids')
  await recorder.event({
    type: 'call-started',
    callId: one,
    by: 'agent',
    name: 'Bash',
    kind: 'execute',
  })
  await recorder.event({
    type: 'call-updated',
    callId: one,
    title: `echo ${secret}`,
    output: `${secret}\n`,
  })
  await recorder.event({ type: 'call-ended', callId: one, outcome: 'ok', output: secret })
  await recorder.event({ type: 'call-started', callId: two, by: 'provider', name: 'web_search' })
  await recorder.event({ type: 'turn-ended' })
  const { records } = await session.page({ last: 9 })
  expect(records).toMatchObject([
    { type: 'tool-call', callId: '1', by: 'agent', kind: 'execute' },
    {
      type: 'tool-result',
      callId: '1',
      outcome: 'ok',
      output: '[hidden: API_KEY]',
      revised: { title: 'echo [hidden: API_KEY]' },
    },
    { type: 'tool-call', callId: '2', by: 'provider' },
    { type: 'tool-result', callId: '2', outcome: 'unknown' },
    { type: 'message', status: 'complete', parts: [{ callId: '1' }, { callId: '2' }] },
  ])
  expect(heard).toContainEqual({
    type: 'call-progress',
    progress: { callId: '1', output: '[hidden: API_KEY]\n', title: 'echo [hidden: API_KEY]' },
  })
  await session.close()
})

it('[G8] records an update of an unknown call, and continues', async () => {
  const { session, recorder } = await openRecorder()
  const lost = 'lost' as ToolCallId
  await recorder.event({ type: 'call-updated', callId: lost, title: 'What' })
  await recorder.event({ type: 'call-ended', callId: lost, outcome: 'ok', output: 'x' })
  await recorder.event(speech('On.'))
  await recorder.endTurn()
  const { records } = await session.page({ last: 9 })
  expect(records).toMatchObject([
    { type: 'foreign', content: { type: 'call-updated', callId: 'lost' } },
    { type: 'foreign', content: { type: 'call-ended', callId: 'lost' } },
    { type: 'message', status: 'complete' },
  ])
  await session.close()
})

it('keeps the text of a failed attempt as superseded, and makes the next one in the same turn', async () => {
  const { session, recorder } = await openRecorder()
  const cause = { kind: 'network', detail: 'reset' } as const
  await recorder.event({ type: 'turn-started' })
  await recorder.event(speech('Half'))
  await recorder.event({ type: 'retrying', cause, untilMs: 5 })
  await recorder.event(speech('Whole.'))
  await recorder.event({ type: 'turn-ended' })
  const { records } = await session.page({ last: 9 })
  expect(records).toMatchObject([
    { type: 'message', status: 'superseded', turn: 1, parts: [{ text: 'Half' }] },
    { type: 'retrying', turn: 1, cause, untilMs: 5 },
    { type: 'message', status: 'complete', turn: 1, parts: [{ text: 'Whole.' }] },
  ])
  await session.close()
})

it('[P4] records a question before anybody is asked, and its answer before the agent gets it', async () => {
  const { session, recorder } = await openRecorder()
  const options = [{ id: 'yes', name: 'Allow', kind: 'allow-once' as const }]
  const answer = { optionId: 'yes', allowed: true, by: 'person' as const }
  const question = { callId: null, question: `rm ${secret}`, options }
  await recorder.permission(question, null)
  await recorder.permission(question, answer)
  const { records } = await session.page({ last: 2 })
  expect(records).toMatchObject([
    { type: 'permission', answer: null, question: 'rm [hidden: API_KEY]' },
    { type: 'permission', answer, question: 'rm [hidden: API_KEY]' },
  ])
  await session.close()
})
