/** What the contract says of installed agents. */
import type { AgentCheck, InstalledAgentState } from '../../shared/agents/agent-checks.ts'
import type { CallContext } from '../../shared/contract/grants.ts'
import type { Implementer } from './implementer.ts'

export interface AgentCalls {
  list(): Promise<InstalledAgentState[]>
  check(id: string, options: { prompts: boolean }): Promise<AgentCheck>
  allowFetch(id: string, version: string): Promise<AgentCheck>
  signIn(id: string): Promise<{ opened: boolean; command: string[] | null }>
  saveOwn(agent: {
    name: string
    command: string
    mode?: string | undefined
    passes?: string[] | undefined
    sets?: Record<string, string> | undefined
  }): Promise<void>
  removeOwn(name: string): Promise<void>
}

export const agentAnswers = (
  os: Implementer,
  agents: AgentCalls,
  /** Throws FailureError unless the caller may decide. */
  onlyAPerson: (context: CallContext) => void,
) => ({
  list: os.agents.list.handler(async () => ({ agents: await agents.list() })),
  check: os.agents.check.handler(({ input: { id, prompts }, context }) => {
    // It is paid for.
    if (prompts) onlyAPerson(context)
    return agents.check(id, { prompts })
  }),
  allowFetch: os.agents.allowFetch.handler(({ input }) =>
    agents.allowFetch(input.id, input.version),
  ),
  signIn: os.agents.signIn.handler(({ input }) => agents.signIn(input.id)),
  saveOwn: os.agents.saveOwn.handler(async ({ input }) => {
    await agents.saveOwn(input)
    return {}
  }),
  removeOwn: os.agents.removeOwn.handler(async ({ input }) => {
    await agents.removeOwn(input.name)
    return {}
  }),
})
