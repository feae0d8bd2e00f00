/** Converts `--permissions` to a mode. */
import type { PermissionMode } from '../../../../../shared/agents/permission-modes.ts'

const modes = { ask: 'ask', edits: 'allow-edits', all: 'allow-all' } as const

export type PermissionsFlag = keyof typeof modes

export const modeOf = (flag: PermissionsFlag | undefined): PermissionMode | undefined =>
  flag && modes[flag]
