import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'

/** From the narrowest to the widest mode, with a one-line description each. */
export const modeOptions: { value: PermissionMode; label: string; hint: string }[] = [
  { value: 'ask', label: 'Ask', hint: 'Only read without asking' },
  { value: 'allow-edits', label: 'Allow edits', hint: 'Also change files of the worktree' },
  { value: 'allow-all', label: 'Allow all', hint: 'Do everything that no rule forbids' },
]

export const modeLabel = (mode: PermissionMode): string =>
  modeOptions.find(({ value }) => value === mode)?.label ?? mode
