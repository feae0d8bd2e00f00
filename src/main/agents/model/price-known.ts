import type { AgentSpec } from '../../../shared/agents/agent-specs.ts'

/** Reports whether the usage of such an agent has a known price, or costs nothing. Loads the price list when needed. */
export const isPriceKnown = async (spec: AgentSpec): Promise<boolean> =>
  spec.kind !== 'model' || (await import('./pricing.ts')).hasPrice(spec)
