/** The facts about an installed agent that a run needs. */

import type { DefinedAgent } from '../../../shared/agents/agent-specs.ts'
import type { CommandShell } from '../../../shared/agents/permissions.ts'

export interface AcpAgent {
  /** Its name for people: `Codex`. */
  name: string
  /** Its name in the record: `acp:codex`. */
  source: string
  /** The shell that reads its commands. */
  shell: CommandShell
  /** What a user does to sign in. */
  signIn: string
  /** The mode that its sessions are set to; null leaves their own. */
  mode: string | null
  /** Other settings of its sessions, by id. */
  options: Readonly<Record<string, string | boolean>>
  /** Sent as `_meta` when a session is opened; null sends none. */
  sessionMeta: Readonly<Record<string, unknown>> | null
  /** This and the next three are specified in `PresetFacts`. */
  canLoad: boolean
  sumsUsage: boolean
  countsSubAgents: boolean
  savesCostAtEnd: boolean
  /** The body of its definition; empty if it has none. */
  instructions: string
  definition: DefinedAgent | null
}
