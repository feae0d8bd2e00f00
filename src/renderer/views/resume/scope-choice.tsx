import { useId } from 'react'

/** Which interrupted agents: the tree below the agent, the agent alone, or its parallel group. */
export type ResumeScope = 'tree' | 'one' | 'group'

export function ScopeChoice(props: {
  value: ResumeScope
  options: { value: ResumeScope; label: string }[]
  onChange(scope: ResumeScope): void
}) {
  const { value, options, onChange } = props
  const name = useId()
  return (
    <fieldset className="flex flex-wrap gap-x-6">
      <legend className="sr-only">Scope</legend>
      {options.map((option) => (
        <label key={option.value} className="flex h-7 items-center gap-2">
          <input
            type="radio"
            name={name}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
            className="size-4 accent-[var(--accent-fill)]"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
