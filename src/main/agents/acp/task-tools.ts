/** Offers Shiplog's own tools to an installed agent while it runs. */

import { type DefinedAgent, hasTool } from '../../../shared/agents/agent-specs.ts'
import type { AgentPlace } from '../../../shared/agents/driver/agent-place.ts'
import type { AgentHost } from '../../../shared/agents/driver/agent-session.ts'
import { agentPresetNames, agentPresets } from '../../../shared/agents/installed-agents.ts'
import type { Definitions } from '../definitions/index.ts'
import { withInstalledAgents } from '../tools/offered-agents.ts'
import type { OfferedAgent } from '../tools/tool-definitions.ts'
import type { RunToolServer, ToolServers } from './mcp/tool-servers.ts'

/** Opens the tools of one run. Their calls are made on its host. */
export type OpenTaskTools = (run: {
  place: AgentPlace
  host: AgentHost
  definition: DefinedAgent | null
  /** Resolves once everything that the agent has sent until now was read. */
  untilRead: () => Promise<void>
}) => Promise<RunToolServer>

export function createOpenTaskTools({
  servers,
  definitions,
  isInstalled,
}: {
  servers: ToolServers
  definitions: Pick<Definitions, 'of'>
  isInstalled: (command: string) => Promise<boolean>
}): OpenTaskTools {
  return async ({ place, host, definition, untilRead }) => {
    const server = await servers.open({
      has: (name) => hasTool(definition, name),
      mustReport: place.mustReport ?? false,
      readsRecord: place.readsRecord ?? false,
      agents: async () =>
        withInstalledAgents(await definitions.of(place.cwd), await offeredPresets(isInstalled)),
    })
    server.connect(host, untilRead)
    return server
  }
}

/** The installed agents that another agent may start by name. */
export async function offeredPresets(
  isInstalled: (command: string) => Promise<boolean>,
): Promise<OfferedAgent[]> {
  const found = await Promise.all(
    agentPresetNames.map(async (name) => {
      const preset = agentPresets[name]
      return (await isInstalled(preset.command))
        ? [{ name, description: `${preset.name}, an installed agent.` }]
        : []
    }),
  )
  return found.flat()
}
