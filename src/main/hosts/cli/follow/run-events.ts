/** Prints a run as JSON Lines on standard output: `task` and `entry` events as they become durable (CLI.md). */

import type { CliContext } from '../context.ts'
import { taskTreeJson } from '../task-json.ts'
import type { RunWatcher } from './follow-trees.ts'

export function createRunEvents({ printJsonLine: writeEvent }: CliContext): RunWatcher {
  return {
    task: (task) => writeEvent({ type: 'task', task: taskTreeJson(task) }),
    async stillRunning() {},
    session: {
      async entries(taskId, entries) {
        for (const entry of entries) await writeEvent({ type: 'entry', taskId, entry })
      },
      async progress() {}, // not durable, so no event
    },
  }
}
