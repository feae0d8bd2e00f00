import type { PlanItem } from '../../../shared/agents/agent-records.ts'
import type { Tool } from './tool.ts'

const marks: Record<PlanItem['status'], string> = {
  pending: '[ ]',
  'in-progress': '[~]',
  completed: '[x]',
}

/** Replaces the agent's plan by this one, which the record and the views show. */
export const updatePlan: Tool<'update_plan'> = async ({ items }, context) => {
  await context.recordPlan(items)
  const done = items.filter(({ status }) => status === 'completed').length
  const next = items.find(({ status }) => status !== 'completed')
  return {
    outcome: 'ok',
    // The list itself is repeated: after a compaction it is the agent's memory of what is left.
    output: [
      `${done} of ${items.length} done.${next ? ` Next: ${next.text}` : ''}`,
      ...items.map(({ status, text }) => `${marks[status]} ${text}`),
    ].join('\n'),
  }
}
