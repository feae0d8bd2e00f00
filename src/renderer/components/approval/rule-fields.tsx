import type { PermissionDecision } from '../../../shared/agents/permissions.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { Field, Select, TextArea } from '../primitives/index.ts'
import { HiddenInRule } from './command-to-allow.tsx'

export type RuleScope = Extract<PermissionDecision, { scope: unknown }>['scope']

/** Focuses a field that appears for an answer, because it is used next. */
export const focusNew = (element: HTMLElement | null): void => element?.focus()

/** The rules that will answer such requests from now on, and where. */
export function RuleFields(props: {
  proposal: readonly string[]
  /** The name of the project. */
  project: string
  /** One per line. */
  rules: string
  onRules(rules: string): void
  scope: RuleScope
  onScope(scope: RuleScope): void
}) {
  const { proposal, project, rules, onRules, scope, onScope } = props
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={proposal.length > 1 ? 'Rules to remember' : 'Rule to remember'}
        hint="One per line. * matches anything."
      >
        <TextArea
          ref={focusNew}
          // All of them in view, where the browser can't fit the field to a long one: no more than 12 are proposed.
          rows={Math.min(12, rules.split('\n').length)}
          value={rules}
          onChange={(event) => onRules(event.target.value)}
          className="field-sizing-content min-h-8 font-mono text-code"
        />
      </Field>
      <HiddenInRule rules={rules} />
      <Field label="For" className="max-w-60">
        <Select<RuleScope>
          value={scope}
          onChange={onScope}
          options={[
            { value: 'project', label: visibleText(project) },
            { value: 'everywhere', label: 'All projects' },
          ]}
        />
      </Field>
    </div>
  )
}
