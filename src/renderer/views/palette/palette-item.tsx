import { Command } from 'cmdk'
import type { ReactNode } from 'react'
import { Kbd } from '../../components/primitives/index.ts'
import { usePreference } from '../../store/hooks.ts'
import { isCharacterKeys } from '../../store/window/keys.ts'
import { keyName } from '../keys/key-name.ts'

/** A row of the palette. */
export function PaletteItem(props: {
  value?: string
  icon?: ReactNode
  keys?: string | null
  disabled?: boolean
  onSelect(): void
  children: ReactNode
}) {
  const { value, icon, keys, disabled, onSelect, children } = props
  const characterKeys = usePreference('characterKeys')
  return (
    <Command.Item
      value={value}
      disabled={disabled}
      onSelect={onSelect}
      className="flex min-h-7 items-center gap-2 rounded-sm px-2 select-none data-[disabled=true]:opacity-50 data-[selected=true]:bg-hover [&>svg]:size-4 [&>svg]:shrink-0"
    >
      <span className="flex size-4 shrink-0 items-center justify-center text-muted [&>svg]:size-4">
        {icon}
      </span>
      <span className="flex min-w-0 flex-1 items-center gap-2">{children}</span>
      {keys && (characterKeys || !isCharacterKeys(keys)) ? (
        <span className="flex gap-1">
          {keys.split(' ').map((key) => (
            <Kbd key={key} keys={keyName(key)} />
          ))}
        </span>
      ) : null}
    </Command.Item>
  )
}
