/** `shiplog demo`: creates a small Git project and plays the bundled scenario in it. */

import path from 'node:path'
import type { AgentPreset } from '../../../../shared/agents/installed-agents.ts'
import type { Action, ParsedOptions } from '../action.ts'
import { followRun } from '../follow/follow-run.ts'
import { createRunProgress } from '../follow/run-progress.ts'
import { taskTreeJson } from '../task-json.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { runsAgents, withShiplog } from '../with-shiplog.ts'
import { exitCodeOf, printResult, resultOf, silent } from './agents/report-run.ts'

export function demo(given: ParsedOptions): Action {
  const dir = given.dir as string | undefined
  const agent = given.agent as AgentPreset | undefined
  return (context) =>
    withShiplog(context, runsAgents, async (session) => {
      const started = await session.starting(
        () =>
          session.client.projects.startDemo({
            ...(agent && { agent }),
            dir: dir === undefined ? undefined : path.resolve(context.host.cwd, dir),
          }),
        ({ taskId }) => [taskId],
      )
      await context.say(`The demo's project is in ${safeLine(started.project.dir)}`)
      const watcher = context.json ? silent : createRunProgress(context.progress, context.host.now)
      const ended = await followRun(session.client, started.taskId, watcher, session)
      const result = await resultOf(session, ended.task)
      if (context.json) {
        await context.printJson({
          ...result,
          project: started.project,
          task: taskTreeJson(ended.task),
        })
      } else {
        await printResult(context, session, ended.task, result)
      }
      return exitCodeOf(result)
    })
}
