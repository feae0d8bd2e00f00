import { resolveId, shortId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'

/**
 * Resolves an agent's reference to a task: a title, an id or a unique prefix of one (S1). Among several with one
 * title the newest is chosen: `tasks` come oldest first. `scope` describes the tasks searched. Throws an error for
 * the agent to read when none or more than one matches.
 */
export function namedTask(tasks: readonly Task[], text: string, scope: string): Task {
  const titled = tasks.findLast((task) => task.title === text)
  if (titled) return titled
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const found = resolveId(text, byId.keys())
  if (found.kind === 'ambiguous') {
    const candidates = tasks.filter(({ id }) => found.candidates.includes(id))
    throw new Error(
      `"${text}" could be any of ${candidates.map(nameWithId).join(', ')}: give more of the id, or the title.`,
    )
  }
  const task = found.kind === 'found' ? byId.get(found.id) : undefined
  if (task) return task
  const known = tasks.map(({ title }) => `"${title}"`).join(', ') || 'none yet'
  throw new Error(`There is no task "${text}" ${scope}. Its tasks: ${known}.`)
}

function nameWithId({ id, title }: Task): string {
  return `"${title}" (${shortId(id)})`
}
