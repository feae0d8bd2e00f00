import type { ReactNode } from 'react'
import { Field, Select, TextInput } from '../primitives/index.ts'
import {
  type RetentionErrors,
  type RetentionForm,
  type SizeUnit,
  sizeUnits,
} from './retention-form.ts'

const units = sizeUnits.map((unit) => ({ value: unit, label: unit }))

/** The settings, each with its unit. An empty field is no limit, and its placeholder says so. */
export function RetentionFields(props: {
  form: RetentionForm
  errors: RetentionErrors
  onChange(form: RetentionForm): void
}) {
  const { form, errors, onChange } = props
  const input = (field: Exclude<keyof RetentionForm, 'unit'>, placeholder: string) => (
    <TextInput
      inputMode="decimal"
      placeholder={placeholder}
      value={form[field]}
      onChange={(event) => onChange({ ...form, [field]: event.target.value })}
      className="max-w-28 tabular"
    />
  )
  return (
    <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
      <Field
        label="Keep transcripts for"
        error={errors.days}
        hint="Since the last thing that happened. Empty: for ever."
      >
        <WithUnit unit="days">{input('days', 'for ever')}</WithUnit>
      </Field>
      <Field
        label="Keep things in the trash for"
        error={errors.trashDays}
        hint="Until then they can be restored."
      >
        <WithUnit unit="days">{input('trashDays', '7')}</WithUnit>
      </Field>
      <Field
        label="Keep no more than"
        error={errors.transcripts}
        hint="The oldest go first. Empty: any number."
      >
        <WithUnit unit="transcripts">{input('transcripts', 'any number')}</WithUnit>
      </Field>
      <Field
        label="Use no more than"
        error={errors.size}
        hint="The oldest go first. Empty: any size."
      >
        <div className="flex items-center gap-2">
          {input('size', 'any size')}
          <Select
            quiet
            label="Unit of the size"
            value={form.unit}
            onChange={(unit: SizeUnit) => onChange({ ...form, unit })}
            options={units}
          />
        </div>
      </Field>
      <Field
        label="Use no more for the trash than"
        error={errors.trashSize}
        hint="The oldest leftovers of worktrees are deleted first. Empty: any size."
      >
        <WithUnit unit="GB">{input('trashSize', 'any size')}</WithUnit>
      </Field>
    </div>
  )
}

function WithUnit({ unit, children }: { unit: string; children: ReactNode }) {
  return (
    <div className="flex items-center gap-2">
      {children}
      <span className="text-muted">{unit}</span>
    </div>
  )
}
