/** The permission mode of agents, and the rules, each of which can be changed. */
import { Plus, X } from 'lucide-react'
import { useRef } from 'react'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import type { PermissionRule, PermissionSettings } from '../../../shared/agents/permissions.ts'
import { HiddenInRule } from '../approval/command-to-allow.tsx'
import { Button, Field, IconButton, Select, TextInput } from '../primitives/index.ts'
import { modeOptions } from './mode-options.ts'

type ModeChoice = PermissionMode | 'default'

const effects: { value: PermissionRule['effect']; label: string }[] = [
  { value: 'allow', label: 'Allow' },
  { value: 'ask', label: 'Ask' },
  { value: 'deny', label: 'Deny' },
]

export function PermissionFields(props: {
  settings: PermissionSettings
  /** The mode that applies if a project has none; absent if there is no wider scope. */
  inherited?: boolean
  onChange(settings: PermissionSettings): void
}) {
  const { settings, inherited = false, onChange } = props
  const { mode, rules } = settings
  const added = useRef<number | null>(null)
  const focusAdded = (field: HTMLElement | null, index: number) => {
    if (!(field instanceof HTMLInputElement) || added.current !== index) return
    added.current = null
    field.focus()
    field.setSelectionRange(field.value.length, field.value.length)
  }
  const setRule = (index: number, change: Partial<PermissionRule>) =>
    onChange({
      ...settings,
      rules: rules.map((rule, at) => (at === index ? { ...rule, ...change } : rule)),
    })
  const options: { value: ModeChoice; label: string; hint?: string }[] = [
    ...(inherited ? [{ value: 'default' as const, label: 'As in the settings' }] : []),
    ...modeOptions,
  ]
  return (
    <div className="flex flex-col gap-3">
      <Field label="Agents may, without asking" className="max-w-60">
        <Select<ModeChoice>
          value={mode ?? (inherited ? 'default' : 'ask')}
          onChange={(value) => onChange({ ...settings, mode: value === 'default' ? null : value })}
          options={options}
        />
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-semibold">Rules</legend>
        {rules.length === 0 ? (
          <p className="text-muted">
            None yet. A rule such as <code className="font-mono text-code">bash: npm test *</code>{' '}
            is proposed whenever an agent asks.
          </p>
        ) : (
          <ul className="flex flex-col gap-1">
            {rules.map(({ effect, rule }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule that is being typed is its place
              <li key={index} className="flex flex-col gap-1">
                <div className="flex items-center gap-1">
                  <Select
                    label={`Effect of rule ${index + 1}`}
                    value={effect}
                    onChange={(next) => setRule(index, { effect: next })}
                    options={effects}
                    className="w-24! shrink-0"
                  />
                  <TextInput
                    ref={(field) => focusAdded(field, index)}
                    aria-label={`Rule ${index + 1}`}
                    value={rule}
                    onChange={(event) => setRule(index, { rule: event.target.value })}
                    className="min-w-0 flex-1 font-mono text-code"
                  />
                  <IconButton
                    label={`Remove rule ${index + 1}`}
                    icon={<X />}
                    onClick={() =>
                      onChange({ ...settings, rules: rules.filter((_, at) => at !== index) })
                    }
                  />
                </div>
                <HiddenInRule rules={rule} />
              </li>
            ))}
          </ul>
        )}
        <Button
          size="small"
          icon={<Plus />}
          className="self-start"
          onClick={() => {
            added.current = rules.length
            onChange({ ...settings, rules: [...rules, { effect: 'allow', rule: 'bash: ' }] })
          }}
        >
          Add a rule
        </Button>
      </fieldset>
    </div>
  )
}
