/** Follows a root agent that was started to its end, and says how it ended. */
import { shortId, type TaskId } from '../../../../shared/ids.ts'
import type { Report, Task, TaskTree } from '../../../../shared/tasks.ts'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { type EndedRun, followRun, type RunWatcher } from '../follow/follow-run.ts'
import { createRunEvents } from '../follow/run-events.ts'
import { createRunProgress } from '../follow/run-progress.ts'
import { safeLine, safeText } from '../terminal/safe-text.ts'
import { count } from '../terminal/wording.ts'
import type { CliSession } from '../with-shiplog.ts'

export interface RunResult {
  type: 'result'
  taskId: TaskId
  status: Task['status']
  /** Null when it ended without one. */
  report: Report | null
}

/**
 * Waits for the end of the run, of what it started, and of the clean-up. People see progress on standard
 * error and the report on standard output; with `--json` it is events and last the result.
 */
export async function reportRun(
  context: CliContext,
  session: CliSession,
  taskId: TaskId,
  options: { keep: boolean },
): Promise<number> {
  const watcher = context.json
    ? createRunEvents(context.out)
    : createRunProgress(context.err, context.host.now)
  const { ended, result } = await followToResult(session, taskId, watcher, options)
  if (context.json) await context.out.write(`${JSON.stringify(result)}\n`)
  else await tellResult(context, ended.root, result)
  await tellWhatIsLeft(context, ended)
  return exitCodeOf(result)
}

export async function followToResult(
  { client, ending, closed }: CliSession,
  taskId: TaskId,
  watcher: RunWatcher,
  options: { keep: boolean },
): Promise<{ ended: EndedRun; result: RunResult }> {
  const ended = await followRun(client, taskId, watcher, { ...options, ending, closed })
  const { root } = ended
  const report = root.hasReport && !ending.aborted ? await client.tasks.report({ taskId }) : null
  return { ended, result: { type: 'result', taskId, status: root.status, report } }
}

export const exitCodeOf = ({ status }: RunResult): number =>
  status === 'completed' ? exitCodes.done : exitCodes.failed

export async function tellResult(
  context: CliContext,
  root: TaskTree,
  { report }: RunResult,
): Promise<void> {
  if (report) {
    const text = report.reportMarkdown
    if (context.out.isTTY) await context.say('')
    await context.out.write(`${(context.out.isTTY ? safeText(text) : text).trimEnd()}\n`)
  } else if (root.status === 'completed') {
    await context.say('The agent ended without a report.')
  }
  if (root.workspace?.isolation === 'worktree') {
    const id = shortId(root.id)
    await context.say(
      `Its work is in ${safeLine(root.workspace.path)}; look at it with \`shiplog workspaces diff ${id}\`, bring it into the project with \`shiplog tasks apply ${id}\`.`,
    )
  }
}

async function tellWhatIsLeft(
  context: CliContext,
  { root, notCleanedUp }: EndedRun,
): Promise<void> {
  if (notCleanedUp.length > 0) {
    await context.warn(
      `${count(notCleanedUp.length, 'workspace')} could not be cleaned up yet; the next start tries again.`,
    )
  }
  // Its own progress said so, but what ended well may hide what did not.
  if (root.status !== 'completed') return
  const unfinished = below(root).filter(({ status }) => status !== 'completed')
  for (const task of unfinished) {
    const why = task.error ? `: ${task.error}` : ''
    await context.warn(`${task.title} (${shortId(task.id)}) ${task.status}${why}`)
  }
}

const below = (task: TaskTree): TaskTree[] =>
  task.children.flatMap((child) => [child, ...below(child)])
