import type { AgentPreset } from '../../../../shared/agents/installed-agents.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { Budget } from '../../../../shared/records/tasks/budgets.ts'
import { toast } from '../../../components/primitives/index.ts'
import type { Stores } from '../../../store/stores.ts'
import { taskRoute } from '../../../store/window/route.ts'
import { attempt } from '../toasts.ts'

export interface AgentActions {
  /** `agent`: an installed agent that runs the demo in place of a script. */
  startDemo(agent?: AgentPreset): Promise<boolean>
  stop(taskId: TaskId): Promise<void>
  /** Asks the agent and everything below it to report now. */
  wrapUp(taskId: TaskId): Promise<void>
  setBudget(taskId: TaskId, budget: Budget | null): Promise<void>
  /** Ends the agent's wait before its next request to the model. */
  tryNow(taskId: TaskId): Promise<void>
  /** A tree that waits for a quota continues at once. */
  wake(taskId: TaskId): Promise<void>
  /** A tree that waits for a quota stays stopped. */
  cancelSleep(taskId: TaskId): Promise<void>
}

export function createAgentActions({
  client,
  navigation,
}: Pick<Stores, 'client' | 'navigation'>): AgentActions {
  return {
    async startDemo(agent) {
      const started = await attempt('start the demo', () =>
        client.projects.startDemo({ ...(agent && { agent }) }),
      )
      if (started) navigation.go(taskRoute(started.taskId))
      return started !== null
    },
    async stop(taskId) {
      const stopped = await attempt('stop the agent', () => client.tasks.stop({ taskId }))
      if (stopped && stopped.stopped.length > 1)
        toast(`Stopped ${stopped.stopped.length} agents. Their partial output was saved.`)
    },
    async wrapUp(taskId) {
      const done = await attempt('ask it to wrap up', () => client.tasks.wrapUp({ taskId }))
      if (done)
        toast(
          done.asked.length > 1
            ? `Asked ${done.asked.length} agents to report at their next step.`
            : 'Asked it to report at its next step.',
        )
    },
    async setBudget(taskId, budget) {
      await attempt('set the limits', () => client.tasks.setBudget({ taskId, budget }))
    },
    async tryNow(taskId) {
      await attempt('try again now', () => client.tasks.tryNow({ taskId }))
    },
    async wake(taskId) {
      await attempt('wake the agent', () => client.tasks.wake({ taskId }))
    },
    async cancelSleep(taskId) {
      await attempt('end the wait', () => client.tasks.cancelSleep({ taskId }))
    },
  }
}
