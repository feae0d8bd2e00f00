/** Alternatives for an agent that can't be resumed, retried or abandoned in its present state. */
import { ORPCError } from '@orpc/client'
import type { ShiplogClient } from '../../../../shared/contract/index.ts'
import { resolveId, shortId } from '../../../../shared/records/ids.ts'
import type { TaskStatus } from '../../../../shared/records/tasks/task-status.ts'
import type { TaskTree } from '../../../../shared/records/tasks/tasks.ts'
import { CliError, failureOf } from '../exit-codes.ts'
import { commandLines } from '../terminal/wording.ts'

type Attempt = 'restart' | 'resume' | 'retry' | 'abandon' | 'continue'

/** Calls, and adds to a refusal of `attempt` the command that would do. `id`: as the person gave it. */
export async function hinting<Result>(
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
  const all = new Map(tasks.flatMap(flat).map((task) => [task.id, task]))
  const found = resolveId(text, all.keys())
  const task = found.kind === 'found' ? all.get(found.id) : undefined
  if (!task) return null
  const hindered = task.status === 'blocked' ? task.dependsOn.map((id) => all.get(id)) : []
  const culprit = hindered.find((one) => one !== undefined && one.status !== 'completed')
  const { id, status, title } = culprit ?? task
  const way = ways[status]
  if (!way || way.command === attempt) return null
  const command = `shiplog tasks ${way.command} ${shortId(id)}`
  return commandLines([[command, way.does(`"${title}"`)]])[0] ?? null
}

interface Way {
  command: Attempt | 'stop'
  does: (title: string) => string
}
const continueHint: Way = {
  command: 'continue',
  does: (title) => `continues ${title} as a new task`,
}
const stop: Way = { command: 'stop', does: (title) => `interrupts ${title}` }
const ways: Partial<Record<TaskStatus, Way>> = {
  completed: continueHint,
  cancelled: continueHint,
  abandoned: continueHint,
  failed: { command: 'retry', does: (title) => `runs ${title} again` },
  interrupted: { command: 'resume', does: (title) => `resumes ${title}` },
  spawned: stop,
  resumed: stop,
}

const flat = (task: TaskTree): TaskTree[] => [task, ...task.children.flatMap(flat)]
