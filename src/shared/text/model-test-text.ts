import type { ModelTest } from '../agents/provider-settings.ts'

/** Instructions and tools take some thousands of tokens, and files much more. */
const contextTokensAdvised = 16_000

/** Returns the advice for a user before an agent uses the model; null if there is none. */
export function modelTestHint(test: Extract<ModelTest, { outcome: 'ok' }>): string | null {
  const { callsTools, contextTokens } = test
  if (!callsTools) return 'It called no tool, so an agent can’t work with it. Choose another model.'
  if (contextTokens === null || contextTokens >= contextTokensAdvised) return null
  return `Its server runs it with a context window of ${contextTokens.toLocaleString('en')} tokens, which is too small for an agent. Set 32,000 or more there.`
}
