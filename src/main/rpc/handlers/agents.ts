/** The handlers of installed agents. */
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const agentHandlers = ({ os, requirePerson }: Calls, { agents }: RouterDependencies) => ({
  list: os.agents.list.handler(async () => ({ agents: await agents.list() })),
  check: os.agents.check.handler(({ input: { id, prompts }, context }) => {
    // Requires a user, because a check with a prompt costs money.
    if (prompts) requirePerson(context)
    return agents.check(id, { prompts })
  }),
  allowFetch: os.agents.allowFetch.handler(({ input }) =>
    agents.allowFetch(input.id, input.version),
  ),
  signIn: os.agents.signIn.handler(({ input }) => agents.signIn(input.id)),
  authenticate: os.agents.authenticate.handler(({ input }) =>
    agents.authenticate(input.id, input.method),
  ),
  configuration: os.agents.configuration.handler(({ input: { id, projectId } }) =>
    agents.configuration.find(id, projectId),
  ),
  allowConfiguration: os.agents.allowConfiguration.handler(async ({ input }) => {
    await agents.configuration.allow(input.id, input.projectId, input.sha256s)
    return {}
  }),
  saveOwn: os.agents.saveOwn.handler(async ({ input }) => {
    await agents.saveOwn(input)
    return {}
  }),
  removeOwn: os.agents.removeOwn.handler(async ({ input }) => {
    await agents.removeOwn(input.name)
    return {}
  }),
})
