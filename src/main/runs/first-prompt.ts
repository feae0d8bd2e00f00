/** The prompt of a run that may be its task's first. */
import type { Task } from '../../shared/records/tasks.ts'

/**
 * The prompt of a run. An agent that stopped before its first prompt was recorded gets that prompt first,
 * then the new one. `wasAsked`: its record holds a prompt already.
 */
export function promptFor(task: Pick<Task, 'prompt'>, prompt: string, wasAsked: boolean): string {
  if (wasAsked || prompt.startsWith(task.prompt)) return prompt
  return [task.prompt, prompt].filter((text) => text !== '').join('\n\n')
}
