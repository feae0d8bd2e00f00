/** What the services ask of the kinds of agent. `src/main/agents` provides them; the composition root joins the two. */
import type { AgentProgram } from '../../shared/agent.ts'
import type { AgentKind } from '../../shared/agents.ts'

export interface AgentKinds {
  /**
   * Makes a program for one tree of tasks from what the person chose (for `scripted`: the scenario's text).
   * Throws an Error that says what is wrong and where, before anything has started.
   */
  load(kind: AgentKind, source: { text: string; name: string }): AgentProgram
  /** The same text without known secrets: it is kept beside the record (K3). */
  masked(kind: AgentKind, text: string): string
}
