/** The facts about an installed agent that a run needs. */
import type { DefinedAgent } from '../../../shared/agents/agent-specs.ts'

export interface AcpAgent {
  /** As shown: `Codex`. */
  name: string
  /** In the record: `acp:codex`. */
  source: string
  signIn: string
  /** The mode that its sessions are put in; null: as they are. */
  mode: string | null
  /** Other settings of its sessions, by id. */
  options: Readonly<Record<string, string | boolean>>
  /** `_meta` of its sessions; null: none. */
  sessionMeta: Readonly<Record<string, unknown>> | null
  canLoad: boolean
  sumsUsage: boolean
  /** As `PresetFacts`. */
  countsSubAgents: boolean
  /** Its session cost resumes from the sum saved at its last orderly exit. */
  savesCostAtEnd: boolean
  /** The body of its definition; empty if it has none. */
  instructions: string
  definition: DefinedAgent | null
}
