import { useId } from 'react'

/** The whole tree, or only the agent that was asked for. */
export function ScopeChoice(props: {
  whole: boolean
  count: number
  onChange(whole: boolean): void
}) {
  const { whole, count, onChange } = props
  const name = useId()
  const option = (value: boolean, label: string) => (
    <label className="flex h-7 items-center gap-2">
      <input
        type="radio"
        name={name}
        checked={whole === value}
        onChange={() => onChange(value)}
        className="size-4 accent-[var(--accent-fill)]"
      />
      {label}
    </label>
  )
  return (
    <fieldset className="flex gap-6">
      <legend className="sr-only">How much of it</legend>
      {option(true, `Whole tree (${count})`)}
      {option(false, 'Only this agent')}
    </fieldset>
  )
}
