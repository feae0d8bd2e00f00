/** How planning tools name a plan, `05-01`: its phase and its number. Pure. */
import type { Task } from './tasks/tasks.ts'

/** Null for a task that was not given both. A plan that repeats its phase (`05-01` in phase `05`) is the same. */
export function planReferenceOf({ phase, plan }: Task['plan']): string | null {
  if (!phase || !plan) return null
  return plan.startsWith(`${phase}-`) ? plan : `${phase}-${plan}`
}
