/** `shiplog tasks retry`, `restart` and `abandon`: other ways on than a resume. */

import { resolveId, shortId, type TaskId } from '../../../../../shared/records/ids.ts'
import { counted } from '../../../../../shared/text/counted.ts'
import type { Action } from '../../action.ts'
import { exitCodes } from '../../exit-codes.ts'
import { endOf } from '../../follow/follow-run.ts'
import { ledgerSnapshot } from '../../follow/follow-trees.ts'
import { createRunProgress } from '../../follow/run-progress.ts'
import { othersInterrupted, othersLines, rootOf } from '../../resume/conflicts.ts'
import { hinting } from '../../resume/error-hints.ts'
import { resumeAndFollow } from '../../resume/resume-and-follow.ts'
import { causeJson } from '../../task-json.ts'
import { safeLine } from '../../terminal/safe-text.ts'
import { runsAgents, withShiplog } from '../../with-shiplog.ts'
import {
  exitCodeOf,
  reportRun,
  resultOf,
  silent,
  tellResult,
  tellWhatIsLeft,
} from '../agents/report-run.ts'

/** A failed one runs again, to its end; with it what it had blocked. */
export function retry(id: string): Action {
  return (context) =>
    withShiplog(context, runsAgents, async (session) => {
      const { client } = session
      const state = await ledgerSnapshot(client)
      const found = resolveId(id, state.tasks.keys())
      // The RPC reports unknown and ambiguous ids.
      const ids: TaskId[] = found.kind === 'found' ? [found.id] : []
      const watcher = context.json ? silent : createRunProgress(context.progress, context.host.now)
      const went = await resumeAndFollow(session, watcher, {
        rootIds: new Set(ids.map((one) => rootOf(state, one))),
        begin: () => hinting(client, 'retry', id, () => client.tasks.retry({ taskId: id })),
        agentsOf: () => ids,
      })
      const end = went.ends?.[0]
      if (!went.ends || !end) throw new Error(`${id} was begun, and is not in the record`)
      const ended = endOf(went.followed, end.taskId)
      const result = await resultOf(session, ended.task)
      if (context.json) {
        const { run, cause } = end
        await context.printJson({ ...result, run, cause: causeJson(cause) })
      } else {
        await tellResult(context, session, ended.task, result)
        const others = othersInterrupted(went.followed.state, ids)
        for (const line of othersLines(others)) await context.say(line)
      }
      await tellWhatIsLeft(context, ended)
      return exitCodeOf(result)
    })
}

/** Abandons an interrupted one and runs it again from its beginning, followed to its end. */
export function restart(id: string): Action {
  return (context) =>
    withShiplog(context, runsAgents, async (session) => {
      const { client } = session
      const state = await ledgerSnapshot(client)
      const found = resolveId(id, state.tasks.keys())
      const rootIds = new Set(found.kind === 'found' ? [rootOf(state, found.id)] : [])
      const isRoot = found.kind === 'found' && rootIds.has(found.id)
      const begin = async () => {
        const started = await hinting(client, 'restart', id, () =>
          client.tasks.restart({ taskId: id }),
        )
        const { length } = started.abandoned
        if (length > 0 && !context.json)
          await context.say(`Abandoned ${counted(length, 'sub-agent')} of the previous attempt.`)
        return started
      }
      // A root's restart is a separate tree.
      if (isRoot) {
        const { taskId } = await session.starting(begin, (started) => [started.taskId])
        return reportRun(context, session, taskId)
      }
      const watcher = context.json ? silent : createRunProgress(context.progress, context.host.now)
      const agentsOf = ({ taskId }: { taskId: TaskId }) => [taskId]
      const went = await resumeAndFollow(session, watcher, { rootIds, begin, agentsOf })
      const end = went.ends?.[0]
      if (!went.ends || !end) throw new Error(`${id} was restarted, and is not in the record`)
      const ended = endOf(went.followed, end.taskId)
      const result = await resultOf(session, ended.task)
      if (context.json)
        await context.printJson({ ...result, run: end.run, cause: causeJson(end.cause) })
      else await tellResult(context, session, ended.task, result)
      await tellWhatIsLeft(context, ended)
      return exitCodeOf(result)
    })
}

export function abandon(id: string): Action {
  return (context) =>
    withShiplog(context, { host: 'cli' }, async ({ client }) => {
      const { tasks } = await ledgerSnapshot(client)
      await hinting(client, 'abandon', id, () => client.tasks.abandon({ taskId: id }))
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
