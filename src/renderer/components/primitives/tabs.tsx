import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

interface TabSpec<Value extends string> {
  value: Value
  label: string
  /** A small number after the label. */
  count?: number
  /** Keeps its scroll position and open parts while another tab is selected. */
  kept?: boolean
  content: ReactNode
}

/**
 * A row of tabs over their panels. Only the selected panel, and those to be kept, are in the page.
 */
export function Tabs<Value extends string>(props: {
  label: string
  value: Value
  onChange(value: NoInfer<Value>): void
  tabs: TabSpec<NoInfer<Value>>[]
  /** At the right end of the row. */
  actions?: ReactNode
  className?: string
}) {
  const { label, value, onChange, tabs, actions, className } = props
  return (
    <Base.Root
      value={value}
      onValueChange={(next: Value) => onChange(next)}
      className={`flex min-h-0 flex-col ${className ?? ''}`}
    >
      <div className="flex h-9 shrink-0 items-stretch border-b px-2">
        <Base.List aria-label={label} className="flex flex-1 items-stretch gap-1">
          {tabs.map((tab) => (
            <Base.Tab
              key={tab.value}
              value={tab.value}
              className="focus-inset -mb-px flex items-center gap-1.5 border-b-2 border-transparent px-2 text-ui text-muted transition-colors not-data-active:forced-colors:border-b-[Canvas] hover:text-ink data-active:border-accent data-active:text-ink"
            >
              {tab.label}
              {tab.count === undefined ? null : (
                <span className="tabular text-small text-faint">{tab.count}</span>
              )}
            </Base.Tab>
          ))}
        </Base.List>
        {actions ? <div className="flex items-center gap-1">{actions}</div> : null}
      </div>
      {tabs.map((tab) => (
        <Base.Panel
          key={tab.value}
          value={tab.value}
          keepMounted={tab.kept}
          className="focus-pane flex min-h-0 flex-1 flex-col overflow-auto"
        >
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
