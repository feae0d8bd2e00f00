/** What an installed agent says that a prompt used, and what of it a budget of tokens goes by. */
import { expect, it } from 'vitest'
import { usageOfAnswer } from '../../../src/main/agents/acp/updates/usage.ts'
import { createUsageSum } from '../../../src/main/runs/recording/run-usage.ts'
import type { Measured } from '../../../src/main/runs/run-limits.ts'
import type { AgentSpec } from '../../../src/shared/agents/agent-specs.ts'
import type { InstalledAgent } from '../../../src/shared/agents/installed-agents.ts'

const counts = (inputTokens: number, cachedInputTokens: number, cachedWriteTokens: number) => ({
  inputTokens,
  cachedInputTokens,
  cachedWriteTokens,
  outputTokens: 5,
})

/** As Claude Code answers a prompt in which a sub-agent of its own worked, on two models. */
const answer = {
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 5, cachedReadTokens: 20, cachedWriteTokens: 3 },
  _meta: {
    quota: {
      model_usage: [
        { model: 'opus', token_count: counts(1, 20, 3) },
        { model: 'haiku', token_count: counts(100, 0, 40) },
      ],
    },
  },
}

it('[Q2] counts the usage of all models if it covers the agent’s own sub-agents', () => {
  const usage = { isSum: true, costUsd: 0.5 }
  expect(usageOfAnswer(answer, { ...usage, byModel: true })).toMatchObject({
    inputTokens: 164,
    cacheReadTokens: 20,
    cacheWriteTokens: 43,
    outputTokens: 10,
    costUsd: 0.5,
    complete: true,
  })
  expect(usageOfAnswer(answer, usage)).toMatchObject({ inputTokens: 24, outputTokens: 5 })
  // That of the last request only.
  expect(usageOfAnswer(answer, { isSum: false, costUsd: null })).toMatchObject({ complete: false })
})

it.each([
  [{}, 'no usage by model'],
  [{ quota: { model_usage: [] } }, 'an empty list'],
  [{ quota: { model_usage: [null, { token_count: 'many' }] } }, 'a list without counts'],
])('goes by the usage of the answer beside %j: %s', (_meta: object, _: string) => {
  const options = { isSum: true, byModel: true, costUsd: null }
  expect(usageOfAnswer({ ...answer, _meta }, options)).toMatchObject({ inputTokens: 24 })
})

it('[Q2] needs no usage of a sub-agent that the tokens of its parent cover', () => {
  const measured = (program: InstalledAgent) => {
    const reports: (Measured | undefined)[] = []
    const spec: AgentSpec = { kind: 'acp', program, agent: 'explorer', inside: true }
    createUsageSum(spec, (_, given) => reports.push(given)).add(undefined, 'turn')
    return reports.at(-1)
  }
  expect(measured('claude-code')).toEqual({ usd: true, tokens: true })
  expect(measured('codex')).toEqual({ usd: true, tokens: false })
})
