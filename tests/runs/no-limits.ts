import type { RunLimits } from '../../src/main/runs/run-limits.ts'

/** For a run without limits. */
export const noLimits: RunLimits = {
  beforeTurn: async () => undefined,
  isWrappingUp: () => false,
  takeCompaction: async () => false,
  messages: () => [],
  deliver: async (_, record) => {
    await record()
    return true
  },
  used: () => undefined,
}
