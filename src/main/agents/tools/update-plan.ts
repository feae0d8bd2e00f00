import type { PlanItem } from '../../../shared/agents/agent-records.ts'
import type { Tool } from './tool.ts'

const marks: Record<PlanItem['status'], string> = {
  pending: '[ ]',
  'in-progress': '[~]',
  completed: '[x]',
}

/** Replaces the agent's plan. */
export const updatePlan: Tool<'update_plan'> = async ({ items }, context) => {
  await context.recordPlan(items)
  const done = items.filter(({ status }) => status === 'completed').length
  const next = items.find(({ status }) => status !== 'completed')
  return {
    outcome: 'ok',
    // The whole plan is repeated, so that the agent still has it after a compaction.
    output: [
      `${done} of ${items.length} done.${next ? ` Next: ${next.text}` : ''}`,
      ...items.map(({ status, text }) => `${marks[status]} ${text}`),
    ].join('\n'),
  }
}
