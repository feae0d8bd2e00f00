/** Beside a row under the pointer or with the focus: when it happened, and a button that copies it. */
import { exactTime, timeOfDayWithSeconds } from '../primitives/format.ts'
import { CopyButton } from '../primitives/index.ts'
import type { Row } from './rows.ts'

/** In the margins where the pane has some, else over the row's right end. */
export function RowTools({ row }: { row: Row }) {
  const text = copiedText(row)
  const { at } = row
  if (row.kind === 'mark' || (at === null && text === null)) return null
  return (
    <div className="pointer-events-none absolute inset-y-0 right-0 left-0 opacity-0 transition-opacity group-hover/row:opacity-100 group-focus-within/row:opacity-100 group-focus-visible/row:opacity-100">
      {at ? (
        <time
          dateTime={at}
          title={exactTime(at)}
          className="pointer-events-auto absolute top-2 right-13 rounded-sm bg-canvas px-1 text-small text-faint @gutter:right-full @gutter:mr-0"
        >
          {timeOfDayWithSeconds(at)}
        </time>
      ) : null}
      {text === null ? null : (
        <span className="pointer-events-auto absolute top-1.5 right-6 rounded-md bg-canvas @gutter:right-auto @gutter:left-full @gutter:ml-0">
          <CopyButton text={text} label="Copy" />
        </span>
      )}
    </div>
  )
}

/** The text of a message, as it was written; null for rows that are no message. */
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
