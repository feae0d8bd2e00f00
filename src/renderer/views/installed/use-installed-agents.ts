import { useCallback, useEffect, useState } from 'react'
import type { InstalledAgentState } from '../../../shared/agents/agent-checks.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'

export interface InstalledAgentsView {
  /** Null while they load. */
  agents: InstalledAgentState[] | null
  problem: Problem | null
  reload(): void
}

/**
 * The agents that are installed on this machine, read when this is first shown and again by `reload`. Nothing is read
 * while `enabled` is false.
 */
export function useInstalledAgents({ enabled = true } = {}): InstalledAgentsView {
  const { client } = useStores()
  const [view, setView] = useState<Omit<InstalledAgentsView, 'reload'>>({
    agents: null,
    problem: null,
  })
  const [reloads, setReloads] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `reloads` repeats the request
  useEffect(() => {
    if (!enabled) return
    let wanted = true
    client.agents.list().then(
      ({ agents }) => wanted && setView({ agents, problem: null }),
      (error: unknown) =>
        wanted &&
        setView((before) => ({ ...before, problem: problemOf(error, 'look for agents') })),
    )
    return () => {
      wanted = false
    }
  }, [client, reloads, enabled])
  const reload = useCallback(() => setReloads((count) => count + 1), [])
  return { ...view, reload }
}
