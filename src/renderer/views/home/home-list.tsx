import { type ReactNode, useId, useState } from 'react'
import { TextButton } from '../../components/primitives/index.ts'

/** The rest is shown by a click, so that no list pushes the others out of the window. */
const listMax = 5

const rowClass = 'focus-inset flex min-h-11 items-center gap-3 px-3 py-0.5 hover:bg-hover'

/** A heading and a row for each item, which gets the class of rows; nothing without items. */
export function HomeList<Item>(props: {
  label: string
  items: readonly Item[]
  keyOf(item: Item): string
  max?: number
  children(item: Item, className: string): ReactNode
}) {
  const { label, items, keyOf, max = listMax, children } = props
  const [all, setAll] = useState(false)
  const heading = useId()
  if (items.length === 0) return null
  const shown = all ? items : items.slice(0, max)
  return (
    <section aria-labelledby={heading} className="flex flex-col gap-1.5">
      <h2 id={heading} className="font-semibold">
        {label}
        {items.length > shown.length ? (
          <span className="tabular ml-1.5 text-small font-normal text-muted">{items.length}</span>
        ) : null}
      </h2>
      <ul className="overflow-hidden rounded-md border">
        {shown.map((item) => (
          <li key={keyOf(item)} className="border-b last:border-b-0">
            {children(item, rowClass)}
          </li>
        ))}
      </ul>
      {items.length > shown.length ? (
        <TextButton className="self-start text-small" onClick={() => setAll(true)}>
          {`Show all ${items.length}`}
        </TextButton>
      ) : null}
    </section>
  )
}
