import { Command } from 'cmdk'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'

/** One option in the list of a picker. `value`: its key in the list. */
export function PickerItem(props: {
  value: string
  isCurrent?: boolean
  isCode?: boolean
  hint?: string | undefined
  disabled?: boolean
  onSelect(): void
  children: ReactNode
}) {
  const { value, isCurrent = false, isCode = false, hint, disabled = false, children } = props
  return (
    <Command.Item
      value={value}
      disabled={disabled}
      onSelect={props.onSelect}
      className="flex h-7 items-center gap-2 rounded-sm px-2 select-none data-[disabled=true]:opacity-50 data-[selected=true]:bg-hover"
    >
      <span className="flex size-4 shrink-0 items-center justify-center">
        {isCurrent ? <Check className="size-3.5" /> : null}
      </span>
      <span className={`untrusted truncate ${isCode ? 'font-mono text-code' : ''}`}>
        {children}
      </span>
      {isCurrent ? <span className="sr-only">, in use</span> : null}
      {hint ? <span className="ml-auto shrink-0 text-small text-muted">{hint}</span> : null}
    </Command.Item>
  )
}
