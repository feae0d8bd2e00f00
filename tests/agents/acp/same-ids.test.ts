/** Agents may give an id to more than one call: in a later turn, a later prompt, or a later run of the session. */
import { expect, it } from 'vitest'
import { createUpdateFold } from '../../../src/main/agents/acp/updates/updates.ts'
import { runIdOf } from '../../../src/shared/records/ids.ts'
import { type AgentScript, call, callUpdate, ended, textChunk } from '../../acp-agent/script.ts'
import { allTasks, entriesOf, until } from '../../harness.ts'
import { acpFixture } from './acp-fixture.ts'

type Given = ReturnType<typeof textChunk>
const updateOf = (step: Given) => ('update' in step ? step.update : {})

function fold() {
  const made = createUpdateFold({ source: 'acp:test', cwd: '/project' })
  made.begin()
  const read = (...steps: Given[]) => steps.flatMap((step) => made.update(updateOf(step)))
  return { ...made, read }
}
const ls = { title: 'ls', kind: 'execute', rawInput: { command: 'ls' } }
const done = (rawOutput: string) => ({ status: 'completed', rawOutput })

it('makes a new call of an ended call’s id in a later turn or prompt, however it appears', () => {
  const { read, begin, end } = fold()
  const callsIn = (events: ReturnType<typeof read>) =>
    events.flatMap((event) =>
      event.type === 'call-started' || event.type === 'call-ended'
        ? [[event.type, event.callId, 'output' in event ? event.output : event.title]]
        : [],
    )
  const first = read(call('c', { ...ls, ...done('one') }), textChunk('Next.', 'm1'))
  expect(callsIn(first)).toEqual([
    ['call-started', 'c', 'ls'],
    ['call-ended', 'c', 'one'],
  ])
  const again = read(call('c', { ...ls, ...done('one') }))
  const [, id] = callsIn(again)[0] ?? []
  expect(id).not.toBe('c')
  expect(callsIn(again)).toEqual([
    ['call-started', id, 'ls'],
    ['call-ended', id, 'one'],
  ])
  end({ usage: undefined })
  begin()
  const third = read(callUpdate('c', { title: 'cat', kind: 'read', ...done('three') }))
  expect(callsIn(third)).toHaveLength(2)
  expect(callsIn(third)[0]?.[1]).not.toBe(id)
})

it('assigns late updates of an ended call, and nothing else, to that call', () => {
  const { read, begin, end } = fold()
  read(call('c', { ...ls, ...done('one') }))
  expect(read(callUpdate('c', done('one')))).toEqual([])
  read(textChunk('Next.', 'm1'))
  expect(read(callUpdate('c', done('one')))).toEqual([])
  end({ usage: undefined })
  begin()
  expect(read(callUpdate('c', { ...ls, ...done('one') }))).toEqual([])
  expect(read(callUpdate('c', done('more'))).map(({ type }) => type)).toEqual(['foreign'])
})

it('[P2] asks about the call that will run, and not about an earlier one with its id', () => {
  const { read, asked } = fold()
  read(call('c', { ...ls, ...done('one') }))
  const rm = { toolCallId: 'c', title: 'rm', kind: 'execute', rawInput: { command: 'rm -r .' } }
  const { call: question, events } = asked(rm)
  expect(question).toMatchObject({ title: 'rm', input: { command: 'rm -r .' } })
  expect(events).toContainEqual(expect.objectContaining({ type: 'call-started', title: 'rm' }))
  expect(question).toMatchObject({
    callId: events.flatMap((event) => (event.type === 'call-started' ? [event.callId] : []))[0],
  })
})

it('[P4] asks about a command even if a call of Shiplog’s tools had its id', () => {
  const { read, asked, begin, end } = fold()
  const own = { title: 'shiplog_task', kind: 'other' }
  const rm = { toolCallId: 'c', title: 'rm', kind: 'execute', rawInput: { command: 'rm -r .' } }
  read(call('c', own))
  expect(asked({ toolCallId: 'c' }).call).toBe('own')
  read(callUpdate('c', { status: 'completed' }))
  expect(asked(rm).call).toMatchObject({ title: 'rm' })
  read(call('d', own))
  // Still open, it is something else all at once.
  expect(asked({ ...rm, toolCallId: 'd' }).call).toMatchObject({ title: 'rm' })
  end({ usage: undefined })
  begin()
  read(call('c', own))
  expect(read(call('d', ls)).map(({ type }) => type)).toContain('call-started')
})

it('records a call of a later run as one of its own, and starts its sub-agent', async () => {
  const explore = (title: string): AgentScript => ({
    capabilities: { sessionCapabilities: { resume: {} } },
    prompts: [
      [
        call('c', { ...ls, ...done(title) }),
        {
          mcp: {
            tool: 'task',
            input: { agent: 'explore', title, prompt: title },
            callId: 'call_0',
          },
        },
        textChunk('Done.', 'm1'),
        ended(),
      ],
    ],
    childPrompts: [[textChunk('Found.'), ended()]],
  })
  const { shiplog, begin, play } = await acpFixture(explore('First'))
  const root = await begin()
  const completed = (runs: number) =>
    until(shiplog, (tasks) => {
      const task = tasks.find(({ id }) => id === root)
      return task?.status === 'completed' && task.runs.length === runs
    })
  await completed(1)
  await play(explore('Second'))
  await shiplog.client.tasks.prompt({ taskId: root, prompt: 'More' })
  await completed(2)
  expect((await allTasks(shiplog)).map(({ title }) => title)).toEqual(['Lead', 'First', 'Second'])
  const entries = await entriesOf(shiplog, root)
  const calls = entries.flatMap((entry) => (entry.type === 'tool-call' ? [entry.callId] : []))
  expect(calls).toHaveLength(4)
  expect(new Set(calls).size).toBe(4)
  const second = entries.find((entry) => entry.type === 'tool-result' && entry.output === 'Second')
  expect(second).toMatchObject({ runId: runIdOf(root, 2) })
})
