/** A run as JSON Lines on standard output: `task` and `entry` events as they become durable (CLI.md). */
import type { Output } from '../terminal/output.ts'
import type { RunWatcher } from './follow-trees.ts'

export function createRunEvents(out: Output): RunWatcher {
  const writeEvent = (event: object) => out.write(`${JSON.stringify(event)}\n`)
  return {
    task: (task) => writeEvent({ type: 'task', task }),
    async stillRunning() {},
    session: {
      async entries(taskId, entries) {
        for (const entry of entries) await writeEvent({ type: 'entry', taskId, entry })
      },
      async progress() {}, // not durable, so no event
    },
  }
}
