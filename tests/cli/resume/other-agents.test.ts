/** What a user is told whose imported session was recorded by an agent that can't run here. */
import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import { withOtherAgents } from '../../../src/main/hosts/cli/resume/other-agents.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'

const id = newTaskId()
const from = { id, spec: { kind: 'acp', program: 'claude-code', agent: 'claude-code' } } as const
const refusal = new ORPCError('REFUSED', { message: 'Claude Code is not installed.' })

function clientWith(available: string[], defaultModel: string | null = null) {
  const agents = ['claude-code', 'codex', 'diver'].map((one) => ({
    id: one,
    name: one,
    available: available.includes(one),
  }))
  return {
    agents: { list: async () => ({ agents }) },
    models: { providers: async () => ({ providers: [], defaultModel }) },
  } as unknown as Parameters<typeof withOtherAgents>[0]
}

const refused = async (client: Parameters<typeof withOtherAgents>[0]) =>
  withOtherAgents(client, from, () => Promise.reject(refusal)).catch((error) => error)

it('names the installed agents that were found, models and scenarios', async () => {
  const error = await refused(clientWith(['diver'], 'anthropic/claude-opus-5-5'))
  expect(error.message).toBe('Claude Code is not installed.')
  const command = `  shiplog tasks continue ${id.slice(0, 8)} "PROMPT"`
  const hints: string[] = error.details
  expect(hints.map((line) => line.split(/ {3,}/)[0])).toEqual([
    `${command} --agent diver`,
    `${command} --model anthropic/claude-opus-5-5`,
    `${command} --scenario FILE`,
  ])
  expect((await refused(clientWith([]))).details[0]).toContain('--model PROVIDER/MODEL')
})

it('leaves a refusal for another reason as it is', async () => {
  expect(await refused(clientWith(['claude-code']))).toBe(refusal)
})
