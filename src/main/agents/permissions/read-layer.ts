/** A source of permissions with its rules parsed. */
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import { parseRule, type RuleTest } from './parse-rule.ts'
import type { PolicyLayer } from './policy.ts'

export interface Rule {
  text: string
  test: RuleTest
}

export interface Layer {
  mode: PermissionMode
  allow: Rule[]
  ask: Rule[]
  deny: Rule[]
  /** Those that ask or deny and can't be read. */
  unreadable: string[]
}

/**
 * Parses a layer's rules. They are validated where they are saved, but a file may be edited by hand: an invalid rule
 * that allows matches nothing, and one that narrows may be about anything.
 */
export function readLayer({ mode, rules }: PolicyLayer): Layer {
  const layer: Layer = { mode, allow: [], ask: [], deny: [], unreadable: [] }
  for (const { effect, rule } of rules) {
    try {
      layer[effect].push({ text: rule, test: parseRule(rule) })
    } catch {
      if (effect !== 'allow') layer.unreadable.push(rule)
    }
  }
  return layer
}
