/** `shiplog tasks retry`, `restart` and `abandon`. */

import { resolveId, shortId, type TaskId } from '../../../../../shared/records/ids.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import type { Action } from '../../action.ts'
import { exitCodes } from '../../exit-codes.ts'
import { endOf } from '../../follow/follow-run.ts'
import { ledgerSnapshot } from '../../follow/follow-trees.ts'
import { createRunProgress } from '../../follow/run-progress.ts'
import { othersInterrupted, othersLines, rootOf } from '../../resume/conflicts.ts'
import { withHint } from '../../resume/error-hints.ts'
import { resumeAndFollow } from '../../resume/resume-and-follow.ts'
import { causeJson } from '../../task-json.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { runsAgents, withShiplog } from '../../with-shiplog.ts'
import {
  exitCodeOf,
  printResult,
  reportRun,
  resultOf,
  silent,
  warnOfLeftovers,
} from '../agents/report-run.ts'

/** Runs a failed task again, and the tasks that it blocked, and follows it to its end. */
export function retry(id: string): Action {
  return (context) =>
    withShiplog(context, runsAgents, async (session) => {
      const { client } = session
      const state = await ledgerSnapshot(client)
      const found = resolveId(id, state.tasks.keys())
      // The RPC reports unknown and ambiguous ids.
      const ids: TaskId[] = found.kind === 'found' ? [found.id] : []
      const watcher = context.json ? silent : createRunProgress(context.progress, context.host.now)
      const outcome = await resumeAndFollow(session, watcher, {
        rootIds: new Set(ids.map((one) => rootOf(state, one))),
        begin: () => withHint(client, 'retry', id, () => client.tasks.retry({ taskId: id })),
        agentsOf: () => ids,
      })
      const end = outcome.ends?.[0]
      if (!outcome.ends || !end) throw new Error(`${id} was started, and is not in the record`)
      const ended = endOf(outcome.followed, end.taskId)
      const result = await resultOf(session, ended.task)
      if (context.json) {
        const { run, cause } = end
        await context.printJson({ ...result, run, cause: causeJson(cause) })
      } else {
        await printResult(context, session, ended.task, result)
        const others = othersInterrupted(outcome.followed.state, ids)
        for (const line of othersLines(others)) await context.say(line)
      }
      await warnOfLeftovers(context, ended)
      return exitCodeOf(result)
    })
}

/** Abandons an interrupted task, runs it from its beginning, and follows it to its end. */
export function restart(id: string): Action {
  return (context) =>
    withShiplog(context, runsAgents, async (session) => {
      const { client } = session
      const state = await ledgerSnapshot(client)
      const found = resolveId(id, state.tasks.keys())
      const rootIds = new Set(found.kind === 'found' ? [rootOf(state, found.id)] : [])
      const isRoot = found.kind === 'found' && rootIds.has(found.id)
      const begin = async () => {
        const started = await withHint(client, 'restart', id, () =>
          client.tasks.restart({ taskId: id }),
        )
        const { length } = started.abandoned
        if (length > 0 && !context.json)
          await context.say(`Abandoned ${counted(length, 'sub-agent')} of the previous attempt.`)
        return started
      }
      // The restart of a root is a new tree.
      if (isRoot) {
        const { taskId } = await session.starting(begin, (started) => [started.taskId])
        return reportRun(context, session, taskId)
      }
      const watcher = context.json ? silent : createRunProgress(context.progress, context.host.now)
      const agentsOf = ({ taskId }: { taskId: TaskId }) => [taskId]
      const outcome = await resumeAndFollow(session, watcher, { rootIds, begin, agentsOf })
      const end = outcome.ends?.[0]
      if (!outcome.ends || !end) throw new Error(`${id} was restarted, and is not in the record`)
      const ended = endOf(outcome.followed, end.taskId)
      const result = await resultOf(session, ended.task)
      if (context.json)
        await context.printJson({ ...result, run: end.run, cause: causeJson(end.cause) })
      else await printResult(context, session, ended.task, result)
      await warnOfLeftovers(context, ended)
      return exitCodeOf(result)
    })
}

export function abandon(id: string): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { tasks } = await ledgerSnapshot(client)
      await withHint(client, 'abandon', id, () => client.tasks.abandon({ taskId: id }))
      const found = resolveId(id, tasks.keys())
      const task = found.kind === 'found' ? tasks.get(found.id) : undefined
      if (context.json) await context.printJson({ abandoned: task ? [task.id] : [] })
      else if (task) {
        await context.say(
          `Abandoned ${safeLine(task.title)} (${shortId(task.id)}). Its record stays.`,
        )
        const others = othersInterrupted(await ledgerSnapshot(client), [task.id])
        for (const line of othersLines(others)) await context.say(line)
      }
      return exitCodes.done
    })
}
