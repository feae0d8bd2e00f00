import type { AwaitedTask } from '../../../shared/agents/tools.ts'
import { formatCause } from '../../../shared/records/causes.ts'
import { shortId } from '../../../shared/records/ids.ts'

/** Returns one line: title, agent, id, status and cause. `hasEndedIn` of `compaction.ts` parses it. */
export function describeTask({ title, agent, taskId, status, cause }: AwaitedTask): string {
  const why = cause ? `, ${formatCause(cause, { reader: 'agent' })}` : ''
  return `**${title}** (${agent}, ${shortId(taskId)}): ${status}${why}`
}

/** Returns Markdown: a line for each task, with its report below it. */
export function describeTasks(tasks: AwaitedTask[]): string {
  return tasks
    .map((task) => {
      const report = task.report && [`*${task.report.title}*`, task.report.markdown.trim()]
      return [describeTask(task), ...(report ?? [])].filter(Boolean).join('\n\n')
    })
    .join('\n\n---\n\n')
}
