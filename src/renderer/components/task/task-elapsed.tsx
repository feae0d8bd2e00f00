import { isRunning, type Run, type Task } from '../../../shared/records/tasks.ts'
import { elapsed } from '../primitives/format.ts'
import { useClockText } from '../primitives/index.ts'

/** Time at work, over all runs; it moves while one is under way. Nothing before the first. */
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

/** Milliseconds. `nowMs`: null when nothing runs; a run without an end then counts as nothing. */
export function timeAtWork(runs: Run[], nowMs: number | null): number {
  return runs.reduce((sum, run) => {
    const end = run.endedAt ? Date.parse(run.endedAt) : nowMs
    return end === null ? sum : sum + Math.max(0, end - Date.parse(run.startedAt))
  }, 0)
}
