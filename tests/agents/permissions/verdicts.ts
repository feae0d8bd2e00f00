/** The verdict on a command in one place, under one layer of rules. */
import { expect } from 'vitest'
import {
  type AnalyzedRequest,
  analyzeRequest,
} from '../../../src/main/agents/permissions/analyze-request.ts'
import { decideOn } from '../../../src/main/agents/permissions/decide.ts'
import type { PermissionMode } from '../../../src/shared/agents/permission-modes.ts'
import type { PermissionRule } from '../../../src/shared/agents/permissions.ts'
import { tableRules } from './commands.ts'

export const place = { workingDir: '/code/api', cwd: '/code/api' }

interface Given {
  mode: PermissionMode
  rules: PermissionRule[]
  cwd: string
}

const analyzed = (command: string, cwd: string) =>
  analyzeRequest({ kind: 'command', command, place: { ...place, cwd } })

export const verdictOf = (
  command: string,
  { mode = 'ask', rules = tableRules, cwd = place.cwd }: Partial<Given> = {},
) => decideOn([{ mode, rules }], analyzed(command, cwd))

/** The verdict if commands with expansions could look at files unasked: on the parts of the command alone. */
export const verdictOnParts = (
  command: string,
  { mode = 'ask', rules = tableRules, cwd = place.cwd }: Partial<Given> = {},
) => decideOn([{ mode, rules }], asIfPlain(analyzed(command, cwd)))

function asIfPlain(seen: AnalyzedRequest): AnalyzedRequest {
  if (seen.kind !== 'command') return seen
  const steps = seen.steps.map((step) =>
    step.kind === 'run' ? { ...step, harmless: step.harmless || step.isNotPlain } : step,
  )
  return { ...seen, steps }
}

/** Also if its commands with expansions could look at files unasked. */
export function asked(
  command: string,
  mode: PermissionMode = 'ask',
  rules: PermissionRule[] = [],
): void {
  expect(verdictOf(command, { mode, rules }).kind, command).toBe('ask')
  expect(verdictOnParts(command, { mode, rules }).kind, command).toBe('ask')
}

export const allowed = (rule: string): PermissionRule[] => [{ effect: 'allow', rule }]
