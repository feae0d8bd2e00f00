/** Suggests another command for an agent that can't be resumed, retried or abandoned in its present state. */
import { ORPCError } from '@orpc/client'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import { resolveId, shortId } from '../../../../shared/records/ids.ts'
import type { TaskStatus } from '../../../../shared/records/tasks/task-status.ts'
import type { TaskTree } from '../../../../shared/records/tasks/tasks.ts'
import { CliError, failureOf } from '../exit-codes.ts'
import { commandLines } from '../terminal/wording.ts'

type Attempt = 'restart' | 'resume' | 'retry' | 'abandon' | 'continue'

/** Makes the call, and adds to a refusal of `attempt` the command that would work. `id` is as the user typed it. */
export async function withHint<Result>(
  client: ShiplogClient,
  attempt: Attempt,
  id: string | undefined,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    const isRefusal = error instanceof ORPCError && error.code === 'REFUSED'
    const hint = isRefusal && id !== undefined ? await hintFor(client, attempt, id) : null
    if (hint === null) throw error
    const { exitCode, message } = failureOf(error)
    throw new CliError(exitCode, message, [hint])
  }
}

async function hintFor(
  client: ShiplogClient,
  attempt: Attempt,
  text: string,
): Promise<string | null> {
  const { tasks } = await client.tasks.list({ all: true })
  const all = new Map(tasks.flatMap(withDescendants).map((task) => [task.id, task]))
  const found = resolveId(text, all.keys())
  const task = found.kind === 'found' ? all.get(found.id) : undefined
  if (!task) return null
  const blockers = task.status === 'blocked' ? task.dependsOn.map((id) => all.get(id)) : []
  const blocker = blockers.find((one) => one !== undefined && one.status !== 'completed')
  const { id, status, title } = blocker ?? task
  const hint = hints[status]
  if (!hint || hint.command === attempt) return null
  const command = `shiplog tasks ${hint.command} ${shortId(id)}`
  return commandLines([[command, hint.does(`"${title}"`)]])[0] ?? null
}

interface Hint {
  command: Attempt | 'stop'
  does: (title: string) => string
}
const continueHint: Hint = {
  command: 'continue',
  does: (title) => `continues ${title} as a new task`,
}
const stop: Hint = { command: 'stop', does: (title) => `interrupts ${title}` }
const hints: Partial<Record<TaskStatus, Hint>> = {
  completed: continueHint,
  cancelled: continueHint,
  abandoned: continueHint,
  failed: { command: 'retry', does: (title) => `runs ${title} again` },
  interrupted: { command: 'resume', does: (title) => `resumes ${title}` },
  spawned: stop,
  resumed: stop,
}

const withDescendants = (task: TaskTree): TaskTree[] => [
  task,
  ...task.children.flatMap(withDescendants),
]
