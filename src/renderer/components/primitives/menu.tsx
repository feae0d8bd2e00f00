import { ContextMenu as ContextBase } from '@base-ui/react/context-menu'
import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { plainText } from '../../../shared/text/plain-text.ts'
import { classNames } from './class-names.ts'
import { ariaKeys, keysText } from './kbd.tsx'

export type MenuEntry =
  | {
      kind?: 'item'
      label: string
      icon?: ReactNode
      shortcut?: string
      danger?: boolean
      disabled?: boolean
      onSelect(): void
    }
  | { kind: 'separator' }
  /** A group of which one entry is selected. */
  | {
      kind: 'choice'
      value: string
      options: { value: string; label: string }[]
      onChange(value: string): void
    }

/** `trigger` is one button with its own name. */
export function Menu(props: {
  trigger: ReactElement
  /** A function is called once the menu is open. */
  entries: MenuEntry[] | (() => MenuEntry[])
  align?: 'start' | 'end'
}) {
  const { trigger, entries, align = 'start' } = props
  return (
    <Base.Root>
      <Base.Trigger render={trigger as ReactElement<Record<string, unknown>>} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50 outline-none">
          <Base.Popup className={popupLook}>
            <Entries entries={entries} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** The menu of a button that is rendered apart from it, on first use: in a long list, most menus are never opened. */
export function MenuAt(props: {
  anchor: HTMLElement | null
  open: boolean
  entries: MenuEntry[]
  onClose(): void
}) {
  const { anchor, open, entries, onClose } = props
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={4} align="end" className="z-50 outline-none">
          <Base.Popup finalFocus={() => anchor} className={popupLook}>
            <Entries entries={entries} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** The menu for a right click or the menu key inside its children. */
export function ContextMenu(props: { entries: MenuEntry[]; children: ReactElement }) {
  const { entries, children } = props
  return (
    <ContextBase.Root>
      <ContextBase.Trigger render={children as ReactElement<Record<string, unknown>>} />
      <ContextBase.Portal>
        <ContextBase.Positioner className="z-50 outline-none">
          <ContextBase.Popup className={popupLook}>
            <Entries entries={entries} />
          </ContextBase.Popup>
        </ContextBase.Positioner>
      </ContextBase.Portal>
    </ContextBase.Root>
  )
}

const popupLook =
  'max-h-(--available-height) min-w-44 max-w-96 overflow-y-auto rounded-md bg-raised p-1 text-ui text-ink shadow-popup outline-none'

const Entries = ({ entries }: { entries: MenuEntry[] | (() => MenuEntry[]) }) =>
  (typeof entries === 'function' ? entries() : entries).map((entry, index) =>
    entry.kind === 'separator' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a separator has nothing else to name it
      <Base.Separator key={index} className="mx-1 my-1 h-px bg-line" />
    ) : entry.kind === 'choice' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the entries of a menu keep their places
      <Base.RadioGroup key={index} value={entry.value} onValueChange={entry.onChange}>
        {entry.options.map(({ value, label }) => (
          <Base.RadioItem
            key={value}
            value={value}
            closeOnClick
            className="flex h-7 items-center gap-2 rounded-sm px-2 outline-none select-none data-highlighted:bg-hover"
          >
            <span className="flex size-4 items-center justify-center">
              <Base.RadioItemIndicator>
                <Check className="size-3.5" />
              </Base.RadioItemIndicator>
            </span>
            {label}
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    ) : (
      <Base.Item
        // biome-ignore lint/suspicious/noArrayIndexKey: tasks may have the same title, and entries keep their places
        key={index}
        disabled={entry.disabled}
        onClick={entry.onSelect}
        aria-keyshortcuts={entry.shortcut ? ariaKeys(entry.shortcut) : undefined}
        className={classNames(
          'flex h-7 items-center gap-2 rounded-sm px-2 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover [&>svg]:size-4 [&>svg]:text-muted',
          entry.danger && 'text-red',
        )}
      >
        {entry.icon}
        <span dir="auto" className="min-w-0 flex-1 truncate text-left [unicode-bidi:isolate]">
          {plainText(entry.label)}
        </span>
        {entry.shortcut ? (
          <span aria-hidden className="pl-4 text-small text-muted">
            {keysText(entry.shortcut)}
          </span>
        ) : null}
      </Base.Item>
    ),
  )
