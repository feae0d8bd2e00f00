/** What an agent definition makes of a conversation with a model. */
import { describe, expect, it } from 'vitest'
import { createRunLimit } from '../../../src/main/agents/model/run-limit.ts'
import { toolDefinitions } from '../../../src/main/agents/model/tool-definitions.ts'
import { call, say } from '../../fake-models/script.ts'
import { fakeModels, modelStage, told } from './model-stage.ts'

const definition = (...matter: string[]) =>
  `---\nname: lead\ndescription: Leads.\n${matter.join('\n')}\n---\nLead as this project wants it.\n`

const look = call('read_file', { path: 'a' })
const report = call('agent_report', { title: 'So far', markdown: 'Half.' })

describe('a model whose definition limits its turns', () => {
  it('reports in its last turn, and makes no other call there', async () => {
    const fake = await fakeModels({ script: [[look], [look, report]] })
    const lead = definition('limits: {turns: 2}')
    const { run, entries, calls } = await modelStage({ fake, lead, isRoot: false })
    expect(await run('Go.')).toMatchObject({ status: 'completed' })
    expect(calls.map(({ name }) => name)).toEqual(['read_file', 'agent_report'])
    expect(fake.refused).toEqual([])
    const [first, last] = fake.requests.map(({ body }) => JSON.stringify(body))
    expect(first).not.toContain('your limit')
    expect(last).toContain(
      'You are at your limit of 2 turns. This is your last turn: call agent_report',
    )
    expect(told(await entries()).at(-1)).toBe('end completed')
  })

  it('has its last text as its report if it makes none', async () => {
    const fake = await fakeModels({ script: [[say('I found half.'), look]] })
    const lead = definition('limits: {turns: 1}')
    const { run, calls } = await modelStage({ fake, lead, isRoot: false })
    expect(await run('Go.')).toMatchObject({ status: 'completed' })
    expect(calls).toMatchObject([{ name: 'agent_report' }])
    expect(JSON.stringify(calls)).toContain('I found half.')
  })

  it('has failed if it says nothing', async () => {
    const fake = await fakeModels({ script: [[look]] })
    const lead = definition('limits: {turns: 1}')
    const { run, calls } = await modelStage({ fake, lead, isRoot: false })
    expect(await run('Go.')).toMatchObject({ status: 'failed', cause: { kind: 'no-report' } })
    expect(calls).toEqual([])
  })

  it('continues with the next prompt, without a refusal of the service', async () => {
    const fake = await fakeModels({ script: [[say('Half.'), look], [say('The other half.')]] })
    const { run } = await modelStage({ fake, lead: definition('limits: {turns: 1}') })
    expect(await run('Go.')).toMatchObject({ status: 'completed' })
    expect(await run('Go on.')).toMatchObject({ status: 'completed' })
    expect(fake.refused).toEqual([])
    expect(fake.unused()).toEqual({})
  })
})

describe('a limit', () => {
  it('is reached with the last turn, or when the time is over', () => {
    let nowMs = 1_000
    const limit = (limits: { turns?: number; minutes?: number }) =>
      createRunLimit(limits, () => nowMs)
    const [none, turns, minutes] = [limit({}), limit({ turns: 3 }), limit({ minutes: 2 })]
    expect([none, turns, minutes].map(({ reached }) => reached(1))).toEqual([null, null, null])
    expect([0, 1, 2].map(turns.reached)).toEqual([null, null, '3 turns'])
    nowMs += 2 * 60_000
    expect([none, minutes].map(({ reached }) => reached(1))).toEqual([null, '2 minutes'])
  })
})

it('instructs a model by its definition', async () => {
  const fake = await fakeModels({ script: [[say('Done.')]] })
  const { run } = await modelStage({ fake, lead: definition('tools: [read_file]') })
  expect(await run('Go.')).toMatchObject({ status: 'completed' })
  const body = JSON.stringify(fake.requests[0]?.body)
  expect(body).toContain('Lead as this project wants it.')
  expect(body).toContain('agent_report')
  expect(body).not.toContain('write_file')
})

describe('the task tool', () => {
  const described = (agents: { name: string; description: string }[]) =>
    String(toolDefinitions({ has: () => true, agents }).task?.description)

  it('lists the agents that may be started, with their purposes', () => {
    expect(described([{ name: 'explore', description: 'Finds out.' }])).toMatch(
      /The agents:\n- explore: Finds out\.$/,
    )
  })

  it('lists only the names if the descriptions are too long', () => {
    const many = [...Array(64).keys()].map((n) => ({ name: `a${n}`, description: 'x'.repeat(999) }))
    expect(described(many)).toMatch(/The agents: a0, a1, .*a63$/)
  })
})
