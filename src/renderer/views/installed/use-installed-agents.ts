import { useCallback, useEffect, useState } from 'react'
import type { InstalledAgentState } from '../../../shared/agents/agent-checks.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'

export interface InstalledAgentsView {
  /** Null while they are looked for. */
  agents: InstalledAgentState[] | null
  problem: Problem | null
  reload(): void
}

/**
 * The installed agents of the machine, as they are found when this is first shown, and again by `reload`. `looks` false:
 * not yet.
 */
export function useInstalledAgents({ looks = true } = {}): InstalledAgentsView {
  const { client } = useStores()
  const [view, setView] = useState<Omit<InstalledAgentsView, 'reload'>>({
    agents: null,
    problem: null,
  })
  const [asked, setAsked] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` counts the times that it is read again
  useEffect(() => {
    if (!looks) return
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
  }, [client, asked, looks])
  const reload = useCallback(() => setAsked((count) => count + 1), [])
  return { ...view, reload }
}
