/** The verdict on a command in one place, under one layer of rules. */
import { decide } from '../../../src/main/agents/permissions/decide.ts'
import type { PermissionMode } from '../../../src/shared/agents/permission-modes.ts'
import type { PermissionRule } from '../../../src/shared/agents/permissions.ts'
import { tableRules } from './commands.ts'

export const place = { workingDir: '/code/api', cwd: '/code/api' }

export const verdictOf = (
  command: string,
  {
    mode = 'ask',
    rules = tableRules,
    cwd = place.cwd,
  }: Partial<{ mode: PermissionMode; rules: PermissionRule[]; cwd: string }> = {},
) => decide([{ mode, rules }], { kind: 'command', command, place: { ...place, cwd } })
