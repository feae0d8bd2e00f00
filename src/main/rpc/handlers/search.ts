/** The handlers of the search. */
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const searchHandlers = ({ os }: Calls, { search }: RouterDependencies) => ({
  find: os.search.find.handler(({ input, signal }) => search.find(input, signal)),
  state: os.search.state.handler(() => search.state()),
  tools: os.search.tools.handler(async () => ({ tools: await search.tools() })),
  tasksUsing: os.search.tasksUsing.handler(async ({ input }) => ({
    taskIds: await search.tasksUsing(input.tool),
  })),
})
