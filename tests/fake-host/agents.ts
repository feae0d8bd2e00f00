/** The answers about installed agents, kept in memory. What a check shows is for the test. */
import type { AgentCheck, InstalledAgentState } from '../../src/shared/agents/agent-checks.ts'
import { agentPresetNames } from '../../src/shared/agents/installed-agents.ts'
import { FailureError, invalid } from '../../src/shared/failure.ts'
import { presetState, readyCheck } from '../fixtures/installed-agents.ts'
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'

export function agentAnswers(os: Implementer, { given }: Pick<Memory, 'given'>) {
  let states: InstalledAgentState[] = agentPresetNames.map(
    (id) => given.agents?.find((one) => one.id === id) ?? presetState(id),
  )
  states.push(...(given.agents ?? []).filter(({ own }) => own !== null))
  const allowed = new Set<string>()
  const known = (id: string): InstalledAgentState =>
    states.find((one) => one.id === id) ??
    (() => {
      throw new FailureError({ kind: 'not-found', what: 'agent', id })
    })()
  const change = (id: string, over: Partial<InstalledAgentState>) => {
    states = states.map((one) => (one.id === id ? { ...one, ...over } : one))
  }
  const check = (id: string, prompts: boolean): AgentCheck => {
    const found = given.agentChecks?.[id] ?? { ...readyCheck, answeredMs: prompts ? 2_100 : null }
    change(id, { check: found, signedIn: found.signedIn })
    return found
  }
  return {
    list: os.agents.list.handler(() => ({ agents: states })),
    check: os.agents.check.handler(({ input: { id, prompts } }) => check(known(id).id, prompts)),
    allowFetch: os.agents.allowFetch.handler(({ input: { id, version } }) => {
      const { package: from } = known(id)
      if (!from || from.version !== version) invalid('version', 'Read it again.')
      change(id, {
        available: true,
        why: null,
        version,
        package: from && { ...from, allowed: true },
      })
      return check(id, false)
    }),
    signIn: os.agents.signIn.handler(({ input }) => ({
      opened: known(input.id).signIn.command !== null,
      command: known(input.id).signIn.command,
    })),
    authenticate: os.agents.authenticate.handler(({ input: { id } }) => {
      known(id)
      const found = { ...readyCheck, signInMethods: given.agentChecks?.[id]?.signInMethods ?? [] }
      change(id, { check: found, signedIn: true })
      return found
    }),
    configuration: os.agents.configuration.handler(({ input: { id } }) => {
      known(id)
      const text = allowed.has(id) ? undefined : given.agentConfiguration?.[id]
      return { text: text ?? '', sha256s: text ? [`of ${id}`] : [], unshowable: [] }
    }),
    allowConfiguration: os.agents.allowConfiguration.handler(({ input: { id, sha256s } }) => {
      if (sha256s.includes(`of ${id}`)) allowed.add(id)
      return {}
    }),
    saveOwn: os.agents.saveOwn.handler(({ input }) => {
      const { name, command, mode, passes = [], sets = {} } = input
      if (agentPresetNames.some((id) => id === name))
        invalid(
          'name',
          `“${name}” is the name of an agent that Shiplog supports. Choose another one.`,
        )
      states = states.filter((one) => one.id !== name)
      states.push({
        ...presetState('codex'),
        id: name,
        name,
        program: 'acp',
        available: !command.startsWith('missing'),
        why: command.startsWith('missing') ? 'missing was not found on your PATH' : null,
        package: null,
        file: `/usr/local/bin/${command.split(' ')[0]}`,
        signIn: { text: 'Sign in to it in a terminal', command: null },
        own: { name, command, ...(mode && { mode }), passes, sets },
      })
      return {}
    }),
    removeOwn: os.agents.removeOwn.handler(({ input }) => {
      known(input.name)
      states = states.filter((one) => one.id !== input.name)
      return {}
    }),
  }
}
