/** Prints `shiplog tasks list` for people: trees by project, with notes below each task. */
import { sleepOf } from '../../../../../shared/projections/ledger/sleep.ts'
import { formatCause } from '../../../../../shared/records/causes.ts'
import { shortId, type TaskId } from '../../../../../shared/records/ids.ts'
import type { Task, TaskTree } from '../../../../../shared/records/tasks/tasks.ts'
import { addUsage, type Usage } from '../../../../../shared/records/usage.ts'
import { sleepText } from '../../../../../shared/text/sleep-text.ts'
import { costText } from '../../../../../shared/text/usage-text.ts'
import type { CliContext } from '../../context.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { type Row, renderTable } from '../../terminal/table.ts'
import {
  ago,
  commandLines,
  elapsed,
  sleepingWording,
  statusWording,
} from '../../terminal/wording.ts'

export async function printTree(context: CliContext, roots: TaskTree[]): Promise<void> {
  const { out } = context
  const all = new Map(roots.flatMap(withDescendants).map((task) => [task.id, task]))
  const byProject = Map.groupBy(roots, (root) => root.projectDir)
  const hasSeveralRuns = [...all.values()].some(({ runs }) => runs.length > 1)
  const listing = { all, hasSeveralRuns, now: context.host.now() }
  for (const [index, [projectDir, trees]] of [...byProject].entries()) {
    const rows = trees.flatMap((root) => rowsOf(root, '', '', listing))
    const gap = index > 0 ? '\n' : ''
    await out.write(
      `${gap}${out.style('bold', projectDir === '' ? '(no folder recorded)' : safeLine(projectDir))}\n`,
    )
    await out.write(renderTable(columns, rows, out))
  }
  const awake = [...all.values()].filter((task) => !sleepOf(task, all.get(task.rootId)))
  for (const line of hintsFor(awake)) await context.say(line)
}

const columns = [
  { title: 'STATUS' },
  { title: 'TASK', shrinks: true },
  { title: 'AGENT' },
  { title: 'ID' },
  { title: 'RUNS', align: 'right' as const },
  { title: 'COST', align: 'right' as const },
  { title: 'TOOK', align: 'right' as const },
  { title: 'STARTED', align: 'right' as const },
]
const taskColumn = 1

interface Listing {
  all: Map<TaskId, Task>
  /** Shows the column with the number of runs. */
  hasSeveralRuns: boolean
  now: number
}

/** `prefix`: the prefix of this task; `childPrefix`: the prefix of its children. */
function rowsOf(task: TaskTree, prefix: string, childPrefix: string, listing: Listing): Row[] {
  const sleep = sleepOf(task, listing.all.get(task.rootId))
  const { sign, word, style } = sleep ? sleepingWording : statusWording[task.status]
  const row = [
    { text: `${sign} ${word}`, style },
    prefix + safeLine(task.title),
    safeLine(task.agent),
    shortId(task.id),
    listing.hasSeveralRuns ? String(task.runs.length) : '',
    costText(usageBelow(task)) ?? '',
    workingTime(task, listing.now),
    ago(task.startedAt ?? task.createdAt, listing.now),
  ]
  const branch = childPrefix + (task.children.length > 0 ? '│  ' : '   ')
  const notes = notesOn(task, listing).map((note) => ({ note, under: taskColumn, lead: branch }))
  const children = task.children.flatMap((child, index) => {
    const isLast = index === task.children.length - 1
    return rowsOf(
      child,
      `${childPrefix}${isLast ? '└─ ' : '├─ '}`,
      `${childPrefix}${isLast ? '   ' : '│  '}`,
      listing,
    )
  })
  return [row, ...notes, ...children]
}

/** Returns the usage of a task and its descendants. */
export const usageBelow = (task: TaskTree): Usage =>
  task.children.map(usageBelow).reduce(addUsage, task.usage)

/** Returns the time in which it ran, without interruptions. */
function workingTime({ runs }: Task, now: number): string {
  const [first] = runs
  if (!first) return ''
  const firstStartMs = Date.parse(first.startedAt)
  const ms = runs.reduce((sum, { startedAt, endedAt }) => {
    return sum + (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt)
  }, 0)
  return elapsed(first.startedAt, new Date(firstStartMs + ms).toISOString(), now)
}

function notesOn(task: Task, { all }: Listing): string[] {
  const notes: string[] = []
  const sleep = sleepOf(task, all.get(task.rootId))
  if (sleep) notes.push(safeLine(sleepText(sleep)))
  else if (task.cause !== null) notes.push(safeLine(formatCause(task.cause)))
  const awaited = task.dependsOn.flatMap((id) => all.get(id) ?? [])
  const missing = awaited.filter(({ status }) => status !== 'completed')
  if (task.status === 'queued' && missing.length > 0)
    notes.push(`waits for ${missing.map(({ title }) => `"${safeLine(title)}"`).join(', ')}`)
  if (task.resumedFrom) {
    const { taskId } = task.resumedFrom
    notes.push(continuesText(taskId, all.get(taskId)))
  }
  return notes
}

export const continuesText = (from: TaskId, task: { title: string } | undefined): string =>
  `continues ${task ? `"${safeLine(task.title)}" ` : ''}${shortId(from)}`

/** Returns the commands for interrupted and failed tasks. */
export function hintsFor(tasks: Pick<Task, 'id' | 'status' | 'archived'>[]): string[] {
  const stopped = (status: Task['status']) =>
    tasks.filter((task) => task.status === status && !task.archived)
  const interrupted = stopped('interrupted').length
  const [failed, ...othersFailed] = stopped('failed')
  const lines: string[] = []
  if (interrupted > 0) {
    lines.push(`${interrupted} interrupted:`)
    lines.push(
      ...commandLines([
        ['shiplog tasks resume', `resumes ${interrupted > 1 ? 'the latest' : 'it'}`],
        ['shiplog tasks resume --tree', 'and with all of its tree'],
      ]),
    )
  }
  if (failed) {
    const alone = othersFailed.length === 0
    lines.push(`${1 + othersFailed.length} failed:`)
    const [id, which] = alone ? [shortId(failed.id), 'it'] : ['ID', 'one']
    lines.push(...commandLines([[`shiplog tasks retry ${id}`, `runs ${which} again`]]))
  }
  return lines
}

const withDescendants = (task: TaskTree): TaskTree[] => [
  task,
  ...task.children.flatMap(withDescendants),
]
