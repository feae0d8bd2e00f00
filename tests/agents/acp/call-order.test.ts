/** Calls over MCP come by another way than the updates of their agent, which may be behind. */
import { expect, it } from 'vitest'
import { call, callUpdate, ended, textChunk } from '../../acp-agent/script.ts'
import { entriesOf, untilQuiet } from '../../harness.ts'
import { acpFixture } from './acp-fixture.ts'

it('makes a call after the agent’s earlier updates, and waits for its sub-agent', async () => {
  const task = { agent: 'explore', title: 'Look', prompt: 'Find it' }
  const report = { title: 'Found', markdown: 'It is here.' }
  const { shiplog, begin, log } = await acpFixture({
    prompts: [
      [
        { flood: 1_000 },
        call('c1', { title: 'ls', kind: 'execute' }),
        callUpdate('c1', { status: 'completed', rawOutput: 'a' }),
        // Ends the turn of that call, and not the wait for the next one.
        textChunk('Two.', 'm2'),
        { mcp: { tool: 'task', input: task } },
        ended(),
      ],
    ],
    childPrompts: [
      [{ stream: 20, everyMs: 20 }, { mcp: { tool: 'agent_report', input: report } }, ended()],
    ],
  })
  const root = await begin()
  await untilQuiet(shiplog)
  const answers = (await log()).flatMap(({ mcp }) => (mcp ? [JSON.stringify(mcp)] : []))
  // In either order: two processes write them down.
  expect(answers).toHaveLength(2)
  expect(answers).toContainEqual(expect.stringContaining('Reported'))
  expect(answers).toContainEqual(expect.stringContaining('It is here.'))
  const order = (await entriesOf(shiplog, root)).flatMap((entry) => {
    if (entry.type === 'tool-call') return [entry.name]
    return entry.type === 'message' && entry.role === 'assistant' ? ['turn'] : []
  })
  expect(order).toEqual(['execute', 'turn', 'task', 'turn'])
})
