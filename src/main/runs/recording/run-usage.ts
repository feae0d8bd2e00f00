import {
  type AgentSpec,
  isCostIncluded,
  isUsageIncluded,
  usesModel,
} from '../../../shared/agents/agent-specs.ts'
import { addUsage, noUsage, type Usage, unknownUsage } from '../../../shared/records/usage.ts'
import type { RunLimits } from '../run-limits.ts'

interface UsageSum {
  /** `usage` is undefined if the agent did not report it; most models report it for each complete turn. */
  add(usage: Usage | undefined, of: 'turn' | 'cut-turn' | 'run'): void
  total(): Usage
}

/** The sum is marked complete only if every turn reported its usage. */
export function createUsageSum(spec: AgentSpec, onUsed: RunLimits['used']): UsageSum {
  let sum = noUsage
  const measured = { usd: true, tokens: true }
  return {
    add(usage, of) {
      sum = addUsage(sum, usage ?? (usesModel(spec) ? unknownUsage : noUsage))
      // A turn that was cut off does not show whether the model reports usage.
      if (of === 'turn' && usesModel(spec) && !usage?.complete) {
        if (!isUsageIncluded(spec)) measured.tokens = false
        if (!isCostIncluded(spec) && !isPricedByAgent(usage)) measured.usd = false
      }
      onUsed(sum, { ...measured })
    },
    total: () => sum,
  }
}

/** Returns true if the agent reports its cost, whether or not it reports all tokens. */
const isPricedByAgent = (usage: Usage | undefined): boolean =>
  usage?.pricedBy === 'agent' && usage.costUsd !== null && !usage.unpriced
