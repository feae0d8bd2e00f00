/**
 * Tools of the Model Context Protocol that start, await and stop tasks. They need only the grant of `lease.json` (K7):
 * a client can't choose an agent's permissions, environment or budget, which are those of the project.
 */
import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { AgentChoice } from '../../../shared/agents/agent-specs.ts'
import { agentPresetNames } from '../../../shared/agents/installed-agents.ts'
import type { CallTiming } from '../../../shared/agents/mcp-call.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import { formatCause } from '../../../shared/records/causes.ts'
import { resolveId, shortId, type TaskId } from '../../../shared/records/ids.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import { isRunning, isSettled } from '../../../shared/records/tasks/task-status.ts'
import type { Task, TaskTree } from '../../../shared/records/tasks/tasks.ts'
import { counted } from '../../../shared/text/counted.ts'
import { reportText } from '../../record-tools/answers.ts'
import { type CallServices, textToolsOf } from './text-tools.ts'

interface TaskToolsOptions {
  callServices: CallServices
  /** Called with each started task: the process that runs it must not end before the task has. */
  onStarted: (taskId: TaskId) => void
  /** Absolute. A call that names no project starts in the project of this folder. */
  cwd: string
  timing?: CallTiming
}

const task = z.string().describe('The id of a task, or its first characters (4 or more)')

export function addTaskTools(
  server: McpServer,
  { callServices, onStarted, cwd, timing }: TaskToolsOptions,
): void {
  const add = textToolsOf(server, callServices, timing)

  add(
    'list_projects',
    {
      title: 'List projects',
      description: 'The folders in which tasks can be started. Example: {}.',
      input: z.object({}),
      effect: 'reads',
    },
    async (_input, client) => {
      const { projects } = await client.projects.list()
      return projects.map(({ name, dir }) => `- ${name}: ${dir}`).join('\n') || noProjects
    },
  )
  add(
    'start_task',
    {
      title: 'Start a task',
      description:
        'Starts an agent on an assignment and returns its id at once; await_task gives its report. The agent knows only ' +
        'the prompt. It works in its own copy of the project, from which a user applies its changes. ' +
        'Example: {"prompt": "Find out why tests/parser.test.ts fails. Change nothing.", "agent": "explore"}.',
      input: z.object({
        prompt: z.string().trim().min(1).describe('Everything that it needs to know'),
        project: z
          .string()
          .optional()
          .describe('Its name or folder; absent: that of the working directory'),
        agent: z
          .string()
          .optional()
          .describe(
            `An installed agent (${agentPresetNames.join(', ')}, or one that the user added), or the name of an agent definition; absent: lead`,
          ),
        model: z
          .string()
          .optional()
          .describe('PROVIDER/MODEL; absent: the default. An installed agent has its own'),
        title: z.string().optional(),
      }),
      effect: 'starts',
    },
    async (input, client) => {
      const project = await projectOf(client, input.project, cwd)
      const { taskId } = await client.tasks.start({
        projectId: project.id,
        agent: await choiceOf(client, input),
        prompt: input.prompt,
        ...(input.title !== undefined && { title: input.title }),
      })
      onStarted(taskId)
      const started = await taskOf(client, taskId)
      return `Started “${started.title}” (${shortId(taskId)}) in ${project.dir}. await_task gives its report: {"task": "${taskId}"}.`
    },
  )
  add(
    'await_task',
    {
      title: 'Await a task',
      description:
        'Waits until a task is over and returns its report. If it takes long, the answer says that it still runs: call ' +
        'await_task again. Example: {"task": "3f2a1b9c"}.',
      input: z.object({ task }),
      effect: 'reads',
    },
    async (input, client, { signal, stopWaiting }) => {
      const { id } = await taskOf(client, input.task)
      const waiting = AbortSignal.any([signal, stopWaiting])
      await client.tasks.resumeEnded({ taskIds: [id] }, { signal: waiting }).catch((error) => {
        if (!waiting.aborted) throw error
      })
      signal.throwIfAborted()
      return outcomeText(client, await taskOf(client, id), signal)
    },
  )
  add(
    'stop_task',
    {
      title: 'Stop a task',
      description:
        'Stops a task and everything below it. Its work is kept, and a user can resume it. Example: {"task": "3f2a1b9c"}.',
      input: z.object({ task }),
      effect: 'stops',
    },
    async (input, client) => {
      const { id, title } = await taskOf(client, input.task)
      const { stopped, cancelled } = await client.tasks.stop({ taskId: id })
      const count = stopped.length + cancelled.length
      return count === 0 ? `“${title}” was not running.` : `Stopped ${counted(count, 'task')}.`
    },
  )
}

const noProjects = 'There are none: a user adds one by `shiplog projects add DIR` or in the app.'

async function projectOf(
  client: ShiplogClient,
  wanted: string | undefined,
  cwd: string,
): Promise<Project> {
  const { projects } = await client.projects.list()
  const found =
    wanted === undefined
      ? // The innermost.
        projects
          .filter(
            ({ dir }) => cwd === dir || cwd.startsWith(`${dir}/`) || cwd.startsWith(`${dir}\\`),
          )
          .toSorted((a, b) => b.dir.length - a.dir.length)
      : projects.filter(({ id, name, dir }) => [id, name, dir].includes(wanted))
  const [project, another] = found
  if (project && (wanted === undefined || !another)) return project
  const known = projects.map(({ name, dir }) => `${name} (${dir})`).join(', ')
  if (another) throw new Error(`${wanted} names several projects. Give the folder: ${known}.`)
  const what = wanted === undefined ? `${cwd} is in no project` : `There is no project ${wanted}`
  throw new Error(known === '' ? `${what}. ${noProjects}` : `${what}. Projects: ${known}.`)
}

async function choiceOf(
  client: ShiplogClient,
  { agent, model }: { agent?: string | undefined; model?: string | undefined },
): Promise<AgentChoice> {
  const { agents } = agent === undefined ? { agents: [] } : await client.agents.list()
  const installed = agents.find(({ id }) => id === agent)
  if (installed) {
    if (model !== undefined) throw new Error(`${agent} chooses its model itself: omit the model.`)
    const { program, own } = installed
    return { kind: 'acp', program, ...(own && { own: own.name }) }
  }
  const named = model ?? (await client.models.providers()).defaultModel
  if (named === null)
    throw new Error('There is no default model: name one, or an installed agent such as codex.')
  return { kind: 'model', model: named, ...(agent !== undefined && { agent }) }
}

async function taskOf(client: ShiplogClient, text: string): Promise<Task> {
  const { tasks } = await client.tasks.list({ all: true })
  const all = new Map(tasks.flatMap(withDescendants).map((one) => [one.id, one]))
  const found = resolveId(text, all.keys())
  const task = found.kind === 'found' ? all.get(found.id) : undefined
  if (task) return task
  throw new Error(
    found.kind === 'ambiguous'
      ? `${text} could be any of ${found.candidates.join(', ')}: give more of the id.`
      : `There is no task ${text}.`,
  )
}

const withDescendants = (tree: TaskTree): Task[] => [
  tree,
  ...tree.children.flatMap(withDescendants),
]

async function outcomeText(
  client: ShiplogClient,
  { id, title, status, cause, hasReport }: Task,
  signal: AbortSignal,
): Promise<string> {
  const why = cause === null ? '' : `: ${formatCause(cause)}`
  if (!isSettled(status)) {
    const state = isRunning(status) ? 'running' : status
    const failure = await lastFailure(client, id, signal)
    return `“${title}” (${shortId(id)}) is still ${state}${why}.${failure} Call await_task again to keep waiting.`
  }
  const head = `“${title}” (${shortId(id)}) is ${status}${why}.`
  const answer = hasReport
    ? await reportText(client, { task: id, scope: undefined }, signal)
    : await lastAnswer(client, id, signal)
  return answer === '' ? `${head} It gave no report.` : `${head}\n\n${answer}`
}

/** The cause of an attempt that failed and is being repeated; empty if there is none. */
async function lastFailure(client: ShiplogClient, taskId: TaskId, signal: AbortSignal) {
  const at = { taskId, at: 'end', limit: 1, previews: true } as const
  const { entries } = await client.transcripts.page(at, { signal })
  const last = entries.at(-1)
  return last?.type === 'retrying'
    ? ` Its last attempt failed and is being repeated: ${formatCause(last.cause)}.`
    : ''
}

/** More than what may follow the last message of a run. */
const lastEntriesMax = 20

/** A root agent may end without a report: its last message is the answer. Empty if there is none. */
async function lastAnswer(client: ShiplogClient, taskId: TaskId, signal: AbortSignal) {
  const at = { taskId, at: 'end', limit: lastEntriesMax, previews: true } as const
  const { entries } = await client.transcripts.page(at, { signal })
  const message = entries.findLast((one) => one.type === 'message' && one.role === 'assistant')
  if (message?.type !== 'message') return ''
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}
