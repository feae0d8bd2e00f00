import type { Usage } from './entries.ts'

/** Tokens and costs of both; complete only when both are. A cost that nobody told is null. */
export function addUsage(a: Usage, b: Usage): Usage {
  const costUsd =
    a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0)
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd,
    complete: a.complete && b.complete,
  }
}
