import type { Run } from '../../../shared/records/tasks/runs.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { elapsed } from '../primitives/format.ts'
import { useClockText } from '../primitives/index.ts'

/** The running time over all runs; it advances during a run. Nothing before the first. */
export function TaskElapsed({ task, className }: { task: Task; className?: string }) {
  const { runs } = task
  const running = isRunning(task.status)
  const text = useClockText((now) => elapsed(timeAtWork(runs, running ? now : null), running))
  if (runs.length === 0) return null
  return (
    <span className={`tabular ${className ?? ''}`} title="Running time of all runs">
      {text}
    </span>
  )
}

/**
 * Returns milliseconds. `nowMs` is null if nothing runs; a run without an end then counts as zero.
 */
export function timeAtWork(runs: Run[], nowMs: number | null): number {
  return runs.reduce((sum, run) => {
    const end = run.endedAt ? Date.parse(run.endedAt) : nowMs
    return end === null ? sum : sum + Math.max(0, end - Date.parse(run.startedAt))
  }, 0)
}
