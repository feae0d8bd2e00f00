/** Shown beside a row under the pointer or with the focus: its time, and buttons that copy its text and its address. */
import { Link, ListEnd } from 'lucide-react'
import { useContext } from 'react'
import { exactTime, timeOfDayWithSeconds } from '../../primitives/format.ts'
import { CopyButton, IconButton } from '../../primitives/index.ts'
import { TaskActionsContext } from '../task-lookup.ts'
import { entrySeqOf, type Row } from './rows.ts'

/** In the margins if the pane has some, else above the row's right end. */
export function RowTools({ row }: { row: Row }) {
  const text = copiedText(row)
  const { at } = row
  const { linkToEntry, onShowEntry } = useContext(TaskActionsContext)
  if (row.kind === 'mark' || row.kind === 'damage') return null
  return (
    <div
      data-row-tools
      className="pointer-events-none absolute inset-0 opacity-0 transition-opacity group-hover/row:opacity-100 group-focus-within/row:opacity-100 group-focus-visible/row:opacity-100"
    >
      <div className="absolute -top-5 right-6 z-10 flex items-center rounded-md border bg-raised pl-1 @gutter:inset-0 @gutter:border-0 @gutter:bg-transparent @gutter:pl-0">
        {at ? (
          <time
            dateTime={at}
            title={'turn' in row ? `Turn ${row.turn} · ${exactTime(at)}` : exactTime(at)}
            className="pointer-events-auto px-1 text-small text-muted @gutter:absolute @gutter:top-2 @gutter:right-full"
          >
            {timeOfDayWithSeconds(at)}
          </time>
        ) : null}
        <span className="pointer-events-auto flex @gutter:absolute @gutter:top-1.5 @gutter:left-full">
          {onShowEntry ? (
            <IconButton
              size="small"
              label="Show in the transcript"
              shortcut="s"
              icon={<ListEnd />}
              data-action="show"
              onClick={() => onShowEntry(entrySeqOf(row))}
            />
          ) : null}
          {text === null ? null : <CopyButton text={text} label="Copy" />}
          {linkToEntry ? (
            <CopyButton text={linkToEntry(entrySeqOf(row))} label="Copy link" icon={<Link />} />
          ) : null}
        </span>
      </div>
    </div>
  )
}

/** Returns the source text of a message; null for rows that are no message. */
function copiedText(row: Row): string | null {
  switch (row.kind) {
    case 'text':
    case 'reasoning':
      return row.text
    case 'item':
      return row.item.kind === 'prompt' || row.item.kind === 'summary' ? row.item.text : null
    case 'call': {
      const { input } = row.call
      const command =
        typeof input === 'object' && input !== null && 'command' in input ? input.command : null
      return row.call.name === 'bash' && typeof command === 'string' ? command : null
    }
    default:
      return null
  }
}
