/** Follows an agent to the end of its run, and reports how it ended. */
import { usesModel } from '../../../../../shared/agents/agent-specs.ts'
import { reachedLimit } from '../../../../../shared/projections/ledger/budget-limit.ts'
import { formatCause } from '../../../../../shared/records/causes.ts'
import { shortId, type TaskId } from '../../../../../shared/records/ids.ts'
import type { Report } from '../../../../../shared/records/tasks/reports.ts'
import type { Task, TaskTree } from '../../../../../shared/records/tasks/tasks.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import type { CliContext } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { type EndedRun, followRun } from '../../follow/follow-run.ts'
import type { RunWatcher } from '../../follow/follow-trees.ts'
import { createRunEvents } from '../../follow/run-events.ts'
import { createRunProgress } from '../../follow/run-progress.ts'
import { safeLine, safeText } from '../../terminal/safe-text.ts'
import { commandLines } from '../../terminal/wording.ts'
import type { CliSession } from '../../with-shiplog.ts'

interface RunResult {
  type: 'result'
  taskId: TaskId
  status: Task['status']
  /** Null if it ended without a report. */
  report: Report | null
}

/**
 * Waits for the end of a root's run, of its sub-agents and of the clean-up. Prints progress on standard
 * error and the report on standard output; with `--json`, events and then the result.
 */
export async function reportRun(
  context: CliContext,
  session: CliSession,
  taskId: TaskId,
): Promise<number> {
  const ended = await followRun(session.client, taskId, watcherOf(context), session)
  return reportEnd(context, session, ended)
}

/** Prints events with `--json`, else the agents' output and actions. */
export const watcherOf = (context: CliContext): RunWatcher =>
  context.json ? createRunEvents(context) : createRunProgress(context.progress, context.host.now)

/** With `--json` only `agent run` prints events; every other command prints one document (CLI.md). */
export const silent: RunWatcher = {
  async task() {},
  async stillRunning() {},
}

/** Prints the end of a run that `watcherOf` printed. Resolves with the exit code. */
export async function reportEnd(
  context: CliContext,
  session: CliSession,
  ended: EndedRun,
): Promise<number> {
  const result = await resultOf(session, ended.task)
  if (context.json) await context.printJsonLine(result)
  else await printResult(context, session, ended.task, result)
  await warnOfLeftovers(context, ended)
  await printResumeCommand(context, ended.task)
  return exitCodeOf(result)
}

export async function resultOf(
  { client, ending }: CliSession,
  { id: taskId, status, hasReport }: Task,
): Promise<RunResult> {
  const report = hasReport && !ending.aborted ? await client.tasks.report({ taskId }) : null
  return { type: 'result', taskId, status, report }
}

export const exitCodeOf = ({ status }: Pick<RunResult, 'status'>): number =>
  status === 'completed' ? exitCodes.done : exitCodes.failed

/** Prints the report on standard output, and where the work is. */
export async function printResult(
  context: CliContext,
  session: CliSession,
  task: TaskTree,
  { report }: RunResult,
): Promise<void> {
  if (report) {
    if (context.out.isTTY) await context.say('')
    await context.out.write(`${safeText(report.reportMarkdown).trimEnd()}\n`)
  } else if (task.status === 'completed') {
    const answer = usesModel(task.spec) ? await lastAnswerOf(session, task) : ''
    if (answer === '') await context.say('The agent ended without a report.')
    else await context.out.write(`${safeText(answer).trimEnd()}\n`)
  }
  for (const line of await workLocationLines(session, task)) await context.say(line)
}

/** More entries than can follow the last message of a run. */
const lastEntriesMax = 20

/** Resolves with the last message, which is the answer of a model or an installed agent; empty if it has no text. */
async function lastAnswerOf({ client, ending }: CliSession, { id: taskId }: Task): Promise<string> {
  if (ending.aborted) return ''
  const { entries } = await client.transcripts.page({
    taskId,
    at: 'end',
    limit: lastEntriesMax,
    previews: false,
  })
  const message = entries.findLast(
    (entry) =>
      entry.type === 'message' && entry.role === 'assistant' && entry.status === 'complete',
  )
  if (message?.type !== 'message') return ''
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.join('\n\n')
}

async function workLocationLines(
  { client }: CliSession,
  { id, parentId, workspace, archived, patch }: Task,
): Promise<string[]> {
  if (workspace?.isolation !== 'worktree') return []
  const short = shortId(id)
  if (!archived) {
    // The call fails while everything is being closed; there may be changes then.
    const changed = await client.workspace.diff({ workspaceId: id, patch: false }).catch(() => null)
    if (changed?.files.length === 0) return ['It changed no files.']
    const target = parentId === null ? 'the project' : "its parent's worktree"
    return [
      `Its work is in ${safeLine(workspace.path)}.`,
      ...commandLines([
        [`shiplog workspaces diff ${short}`, 'shows its changes'],
        [`shiplog tasks apply ${short}`, `applies them to ${target}, not committed`],
      ]),
    ]
  }
  if (patch !== 'ready') return []
  return commandLines([
    [`shiplog tasks apply ${short}`, "applies its changes to its parent's worktree, not committed"],
  ])
}

export async function warnOfLeftovers(
  context: CliContext,
  { task, notCleanedUp }: EndedRun,
): Promise<void> {
  if (notCleanedUp.length > 0) {
    await context.warn(
      `${counted(notCleanedUp.length, 'workspace')} could not be cleaned up yet; the next start tries again.`,
    )
  }
  // A successful end could hide failures of sub-agents.
  if (task.status !== 'completed') return
  for (const one of descendantsOf(task).filter(({ status }) => status !== 'completed')) {
    const why = one.cause ? `: ${formatCause(one.cause)}` : ''
    await context.warn(`${one.title} (${shortId(one.id)}) ${one.status}${why}`)
  }
}

/** Prints the command that resumes an interrupted run, with a new budget if the old one stopped it. */
async function printResumeCommand(context: CliContext, task: TaskTree): Promise<void> {
  if (task.status !== 'interrupted') return
  const stoppedByBudget = [task, ...descendantsOf(task)].some(
    ({ cause }) => cause?.kind === 'budget',
  )
  const reached = stoppedByBudget ? reachedLimit(task) : null
  const limit = reached ? ` --budget-${reached.part} N` : ''
  const does = reached ? 'gives it another limit and resumes it' : 'resumes it'
  const command = `shiplog agent run --resume ${shortId(task.id)}${limit}`
  for (const line of commandLines([[command, does]])) await context.say(line)
}

const descendantsOf = (task: TaskTree): TaskTree[] =>
  task.children.flatMap((child) => [child, ...descendantsOf(child)])
