/** The entries of a row as they are in the journal. */
import { X } from 'lucide-react'
import { type ReactNode, useContext, useEffect, useState } from 'react'
import { messageOf } from '../../../../shared/error-message.ts'
import { bytes } from '../../primitives/format.ts'
import { IconButton, Skeleton } from '../../primitives/index.ts'
import { useFold } from '../fold-state.ts'
import { type EntryPart, TaskActionsContext } from '../task-lookup.ts'
import { JsonValue } from './json-value.tsx'
import { LongText } from './long-text.tsx'
import { entriesOf, type Row } from './row.ts'

export const jsonKey = (rowKey: string): string => `${rowKey}:entries`

/** Renders nothing until it is opened from the row's menu. */
export function EntryJson({ row }: { row: Row }) {
  const [open, toggle] = useFold(jsonKey(row.key))
  if (!open) return null
  const seqs = entriesOf(row)
  const close = (button: HTMLElement) => {
    // The focused button is removed, and a dialog would take the focus.
    button.closest<HTMLElement>('[data-index]')?.focus({ preventScroll: true })
    toggle()
  }
  return (
    <section aria-label="JSON of the entries" data-aside className="mb-2 ml-5.5 space-y-2">
      {seqs.map((seq, index) => (
        <Entry
          key={seq}
          seq={seq}
          foldKey={`${jsonKey(row.key)}:${seq}`}
          action={
            index === 0 ? (
              <IconButton
                size="small"
                label="Hide JSON"
                icon={<X />}
                onClick={({ currentTarget }) => close(currentTarget)}
              />
            ) : null
          }
        />
      ))}
    </section>
  )
}

type Shown = { kind: 'json'; value: object } | { kind: 'text'; text: string; note: string }

function Entry(props: { seq: number; foldKey: string; action: ReactNode }) {
  const { seq, foldKey, action } = props
  const { readEntry } = useContext(TaskActionsContext)
  const [shown, setShown] = useState<Shown | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    let wanted = true
    readEntry?.(seq).then(
      (part) => wanted && setShown(shownOf(part)),
      (error) => wanted && setProblem(messageOf(error)),
    )
    return () => {
      wanted = false
    }
  }, [readEntry, seq])
  const label = `Entry ${seq}`
  return (
    <div>
      <div className="mb-0.5 flex h-6 items-center text-small text-faint">
        <span className="flex-1">
          {label}
          {shown?.kind === 'text' ? `, ${shown.note}` : ''}
        </span>
        {action}
      </div>
      {problem !== null ? (
        <p className="text-small text-red">{problem}</p>
      ) : shown === null ? (
        <Skeleton lines={3} />
      ) : shown.kind === 'json' ? (
        <JsonValue label={label} value={shown.value} foldKey={foldKey} />
      ) : (
        <LongText label={label} text={shown.text} language="json" foldKey={foldKey} />
      )}
    </div>
  )
}

/** A part of a long entry is not valid JSON. */
function shownOf({ text, total, nextOffset }: EntryPart): Shown {
  if (nextOffset === null) {
    try {
      return { kind: 'json', value: JSON.parse(text) }
    } catch {
      return { kind: 'text', text, note: 'as it is recorded' }
    }
  }
  return { kind: 'text', text, note: `the first ${bytes(nextOffset)} of ${bytes(total)}` }
}
