/** The handlers of projects. */
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const projectHandlers = (
  { os }: Calls,
  { workspaces: { projects }, agentHistory, demo }: RouterDependencies,
) => ({
  list: os.projects.list.handler(() => ({ projects: projects.list() })),
  add: os.projects.add.handler(({ input }) => projects.add(input.dir)),
  remove: os.projects.remove.handler(async ({ input }) => {
    await projects.remove(input.projectId)
    return {}
  }),
  setup: os.projects.setup.handler(({ input }) => projects.setup(input.projectId)),
  setSandbox: os.projects.setSandbox.handler(async ({ input }) => {
    await projects.setSandbox(input.projectId, input.sandbox)
    return {}
  }),
  setEnvironment: os.projects.setEnvironment.handler(async ({ input }) => {
    await projects.setEnvironment(input.projectId, input.environment, input.shown)
    return {}
  }),
  trustSetup: os.projects.trustSetup.handler(async ({ input }) => {
    await projects.trustSetup(input.projectId, input.configSha256)
    return {}
  }),
  planning: os.projects.planning.handler(({ input }) => agentHistory.planning(input.projectId)),
  createPlanning: os.projects.createPlanning.handler(async ({ input }) => {
    await agentHistory.makePlanningFolder(input.projectId)
    return {}
  }),
  startDemo: os.projects.startDemo.handler(({ input }) => demo.start(input)),
})
