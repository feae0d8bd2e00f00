/** What a user can say to a model that works: a message, or that it is to wrap up. */
import { expect, it } from 'vitest'
import { newPromptId, type PromptId } from '../../../src/shared/records/ids.ts'
import { call, say } from '../../fake-models/script.ts'
import { noLimits } from '../../runs/no-limits.ts'
import { fakeModels, modelStage, told } from './model-stage.ts'

const look = call('read_file', { path: 'a' })

/** Messages that wait, as the ledger holds them. */
function inbox() {
  const waiting: { id: PromptId; prompt: string }[] = []
  return {
    send(prompt: string) {
      const id = newPromptId()
      waiting.push({ id, prompt })
      return id
    },
    limits: {
      ...noLimits,
      messages: () => [...waiting],
      deliver: async (id: PromptId, record: () => Promise<void>) => {
        const at = () => waiting.findIndex((one) => one.id === id)
        if (at() === -1) return false
        await record()
        waiting.splice(at(), 1)
        return true
      },
    },
    waiting,
  }
}

it('[Q3] reads a message before its next turn, recorded as a user’s', async () => {
  const { send, limits, waiting } = inbox()
  const fake = await fakeModels({ script: [[look], [say('Blue then.')]] })
  const { run, entries } = await modelStage({
    fake,
    answer: () => {
      send('Make it blue.')
      return 'done'
    },
  })
  expect(await run('Go.', { limits })).toMatchObject({ status: 'completed' })
  expect(told(await entries()).slice(0, 5)).toEqual([
    'user complete: Go.',
    'call read_file',
    'ok: done',
    'assistant complete: [read_file]',
    'user complete: Make it blue.',
  ])
  expect(JSON.stringify(fake.requests[1]?.body)).toContain('Make it blue.')
  expect(fake.refused).toEqual([])
  expect(waiting).toEqual([])
})

it('[Q3] continues with a message that arrived during its last text', async () => {
  const { send, limits } = inbox()
  const fake = await fakeModels({ script: [[say('Done.')], [say('And blue.')]] })
  const { run, entries } = await modelStage({ fake })
  let asked = 0
  const messages = () => {
    asked++
    if (asked === 2) send('Make it blue.')
    return limits.messages()
  }
  await run('Go.', { limits: { ...limits, messages } })
  expect(told(await entries()).slice(1, 4)).toEqual([
    'assistant complete: Done.',
    'user complete: Make it blue.',
    'assistant complete: And blue.',
  ])
  expect(fake.refused).toEqual([])
})

it('[Q3] does not get a message that is withdrawn while it gets the previous one', async () => {
  const { send, limits, waiting } = inbox()
  const fake = await fakeModels({ script: [[say('Blue.')]] })
  const { run, entries } = await modelStage({ fake })
  send('Make it blue.')
  send('And delete it.')
  const deliver: typeof limits.deliver = async (id, record) => {
    const isGiven = await limits.deliver(id, record)
    waiting.length = 0
    return isGiven
  }
  await run('Go.', { limits: { ...limits, deliver } })
  expect(told(await entries()).filter((line) => line.startsWith('user'))).toEqual([
    'user complete: Go.',
    'user complete: Make it blue.',
  ])
})

it('[Q3] does not get a message twice if a crash prevented its record in the ledger', async () => {
  const { send, limits } = inbox()
  const fake = await fakeModels({ script: [[say('One.')], [say('Two.')]] })
  const { run, entries } = await modelStage({ fake })
  const id = send('Make it blue.')
  await run('Go.', {
    limits: { ...noLimits, messages: once(limits.messages) },
  })
  let delivered: PromptId | null = null
  await run('Go on.', {
    limits: {
      ...noLimits,
      messages: () => (delivered === null ? [{ id, prompt: 'Make it blue.' }] : []),
      deliver: async (one, record) => {
        await record()
        delivered = one
        return true
      },
    },
  })
  expect(delivered).toBe(id)
  expect(told(await entries()).filter((line) => line.includes('blue'))).toHaveLength(1)
})

const once = <Value>(read: () => Value[]) => {
  let isRead = false
  return () => {
    const values = isRead ? [] : read()
    isRead = true
    return values
  }
}

it('[Q3] reports in the turn in which it must wrap up, and calls nothing else', async () => {
  const report = call('agent_report', { title: 'So far', markdown: 'Half.' })
  const fake = await fakeModels({ script: [[look, report]] })
  const { run, entries, calls } = await modelStage({ fake, isRoot: false })
  const limits = { ...noLimits, isWrappingUp: () => true }
  expect(await run('Go.', { limits })).toMatchObject({ status: 'completed' })
  expect(calls.map(({ name }) => name)).toEqual(['agent_report'])
  expect((await entries()).find((entry) => entry.type === 'message' && entry.by)).toMatchObject({
    role: 'user',
    by: 'shiplog',
    parts: [{ text: expect.stringContaining('Wrap up now') }],
  })
  expect(fake.refused).toEqual([])
})
