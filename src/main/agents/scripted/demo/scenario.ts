/**
 * The scenario of the demo (SCENARIOS.md defines the format): about twenty seconds, most of them `wait`s, so that
 * there is something to watch. `agent`: an installed agent that takes part.
 */
import type { AgentPreset } from '../../../../shared/agents/installed-agents.ts'
import { demoLead } from './lead.ts'
import { demoSubAgents } from './sub-agents.ts'

export const demoScenario = (agent: AgentPreset | null): string =>
  `${demoLead(agent)}${demoSubAgents}`
