import type { AwaitedTask } from '../../../shared/agents/tools.ts'
import { formatCause } from '../../../shared/records/causes.ts'
import { shortId } from '../../../shared/records/ids.ts'

/** One line: title, agent, id, status, cause. */
export function describeTask({ title, agent, taskId, status, cause }: AwaitedTask): string {
  const why = cause ? `, ${formatCause(cause, { reader: 'agent' })}` : ''
  return `**${title}** (${agent}, ${shortId(taskId)}): ${status}${why}`
}

/** Markdown: each task in a line, its report below it. Reads well inside another report. */
export function describeTasks(tasks: AwaitedTask[]): string {
  return tasks
    .map((task) => {
      const report = task.report && [`*${task.report.title}*`, task.report.markdown.trim()]
      return [describeTask(task), ...(report ?? [])].filter(Boolean).join('\n\n')
    })
    .join('\n\n---\n\n')
}
