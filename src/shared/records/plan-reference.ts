/** The name of a plan in planning tools: its phase and its number, such as `05-01`. Pure. */
import type { Task } from './tasks/tasks.ts'

/** Returns null for a task without both. A plan that repeats its phase (`05-01` in phase `05`) has the same name. */
export function planReferenceOf({ phase, plan }: Task['plan']): string | null {
  if (!phase || !plan) return null
  return plan.startsWith(`${phase}-`) ? plan : `${phase}-${plan}`
}
