/** The state of an item of a plan, which Claude Code and Codex name alike. */

const statuses = new Map([
  ['pending', 'pending'],
  ['in_progress', 'in-progress'],
  ['completed', 'completed'],
] as const)

/** Undefined: none that is known. */
export const planStatusOf = (value: unknown) => statuses.get(value as 'pending')
