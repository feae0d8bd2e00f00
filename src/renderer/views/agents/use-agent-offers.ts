import type { InstalledAgentState } from '../../../shared/agents/agent-checks.ts'
import { useAppInfo } from '../../store/hooks.ts'
import { type InstalledAgentsView, useInstalledAgents } from '../installed/use-installed-agents.ts'

export interface AgentOffer {
  /** `model`, `scripted`, or the id of an installed agent. */
  value: string
  label: string
  hint?: string | undefined
}

interface AgentOffers {
  offers: AgentOffer[]
  /** The installed agents that were found on this machine. */
  available: InstalledAgentState[]
  installedAgents: InstalledAgentsView
}

/** The agents that can be started here. Installed agents are not looked for while `looks` is false. */
export function useAgentOffers({ looks = true } = {}): AgentOffers {
  const { info } = useAppInfo()
  const installedAgents = useInstalledAgents({ enabled: looks })
  const available = installedAgents.agents?.filter((one) => one.available) ?? []
  const offers = [
    ...(info?.agents ?? []).map(({ kind, name, why }) => ({
      value: kind as string,
      label: name,
      hint: why ?? undefined,
    })),
    ...available.map(({ id, name, signedIn }) => ({
      value: id,
      label: name,
      hint: signedIn === false ? 'Not signed in' : undefined,
    })),
  ]
  return { offers, available, installedAgents }
}
