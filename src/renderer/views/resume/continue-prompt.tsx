import type { Ref } from 'react'
import { Field, TextArea } from '../../components/primitives/index.ts'

/** The prompt of a task that continues another one. `hint`: which history it has. */
export function ContinuePrompt(props: {
  value: string
  onChange(value: string): void
  placeholder: string | undefined
  hint: string
  error: string | null
  ref: Ref<HTMLTextAreaElement>
}) {
  const { value, onChange, placeholder, hint, error, ref } = props
  return (
    <Field label="Prompt" hint={hint} error={error}>
      <TextArea
        ref={ref}
        rows={4}
        value={value}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
}
