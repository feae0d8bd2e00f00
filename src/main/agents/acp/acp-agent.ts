/** What a run needs to know about its installed agent. */
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
  /** Its count of a session's cost begins at what it saved when its process last ended in order. */
  savesCostAtEnd: boolean
  /** The body of its definition; empty if it has none. */
  instructions: string
  definition: DefinedAgent | null
}
