/** Calls over MCP at the host of a run: what a client repeats, and what has to come first. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createToolCalls } from '../../../../src/main/agents/acp/mcp/tool-calls.ts'
import type { AgentHost, HostCall } from '../../../../src/shared/agents/driver/agent-session.ts'
import type { ToolResult } from '../../../../src/shared/agents/driver/tool-result.ts'
import { newTaskId, type ToolCallId } from '../../../../src/shared/records/ids.ts'

const look = { agent: 'explore', title: 'Look', prompt: 'Find it' }
const inBackground = { ...look, background: true }
const id = 'call-1' as ToolCallId
const state = { title: 'Look', agent: 'explore', status: 'spawned', cause: null, report: null }
const started: ToolResult = {
  outcome: 'ok',
  output: 'Started.',
  detail: { kind: 'tasks', tasks: [{ ...state, taskId: newTaskId(), status: 'spawned' }] },
}

function opened(
  play: (call: HostCall) => Promise<ToolResult> = async () => started,
  untilRead = async () => {},
) {
  const calls = createToolCalls({ graceMs: 60_000 })
  const made: string[] = []
  const callTool: AgentHost['callTool'] = (call) => {
    made.push(call.name)
    return play(call)
  }
  calls.connect({ callTool } as AgentHost, untilRead)
  const { signal: stopWaiting } = new AbortController()
  const call = (name: string, input: unknown, callId: ToolCallId | null = null) =>
    calls.call({ name, input, callId, stopWaiting })
  return { calls, made, call }
}

it('makes a call again that could not be made', async () => {
  let attempts = 0
  const { made, call } = opened(async () => {
    attempts++
    if (attempts === 1) throw new Error('the disk is full')
    return started
  })
  expect(await call('task', look, id)).toMatchObject({ output: 'Not done: the disk is full' })
  expect(await call('task', look, id)).toMatchObject({ outcome: 'ok' })
  expect(made).toEqual(['task', 'task'])
})

it('answers a repeated start in the background at once, in a later turn too', async () => {
  const { calls, made, call } = opened()
  await call('task', inBackground, id)
  expect(await call('task', inBackground, id)).toMatchObject({ output: 'Started.' })
  calls.turnEnded()
  expect(await call('task', inBackground, id)).toMatchObject({ output: 'Started.' })
  expect(made).toEqual(['task'])
})

it('waits for sub-agents once all of them are started', async () => {
  const allowed = Promise.withResolvers<ToolResult>()
  const { made, call } = opened(({ name }) =>
    name === 'task' ? allowed.promise : Promise.resolve(started),
  )
  const asked = [call('task', inBackground), call('task_await', {})]
  await delay(5)
  expect(made).toEqual(['task'])
  allowed.resolve(started)
  await Promise.all(asked)
  expect(made).toEqual(['task', 'task_await'])
})

it('makes a call after the updates that the agent had sent before it', async () => {
  const read = Promise.withResolvers<void>()
  const { made, call } = opened(undefined, () => read.promise)
  const asked = call('task_list', {})
  await delay(5)
  expect(made).toEqual([])
  read.resolve()
  await asked
  expect(made).toEqual(['task_list'])
})
