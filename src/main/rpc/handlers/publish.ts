/** The handlers of commits, pushes and pull requests. */
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const publishHandlers = ({ os, taskId }: Calls, { publish }: RouterDependencies) => ({
  state: os.publish.state.handler(({ input }) => publish.state(taskId(input.taskId))),
  run: os.publish.run.handler(({ input: { taskId: id, request, commands } }) =>
    publish.run(taskId(id), request, commands),
  ),
})
