/**
 * Shown beside a row under the pointer or with the focus: its time, buttons that copy its text and its address, and a
 * menu with the rest.
 */
import {
  Braces,
  Copy,
  CopyPlus,
  Ellipsis,
  Link,
  ListEnd,
  ScrollText,
  SquareTerminal,
} from 'lucide-react'
import { useContext, useRef, useState } from 'react'
import type { TranscriptItem } from '../../../../shared/projections/transcript/transcript-items.ts'
import { createItemMarkdown } from '../../../../shared/projections/transcript/transcript-markdown.ts'
import { plainText } from '../../../../shared/text/plain-text.ts'
import { exactTime, timeOfDayWithSeconds } from '../../primitives/format.ts'
import { CopyButton, IconButton, MenuAt, type MenuEntry } from '../../primitives/index.ts'
import { useFold } from '../fold-state.ts'
import { TaskActionsContext } from '../task-lookup.ts'
import { jsonKey } from './entry-json.tsx'
import { entriesOf, entrySeqOf, type Row } from './row.ts'

/** In the margins if the pane has some, else above the row's right end. `item` returns the item of the row. */
export function RowTools({ row, item }: { row: Row; item(): TranscriptItem | undefined }) {
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
            className="pointer-events-auto px-1 text-small whitespace-nowrap text-muted @gutter:absolute @gutter:top-2 @gutter:right-full"
          >
            {'turn' in row ? <span className="text-faint">{row.turn} · </span> : null}
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
            <CopyButton text={linkToEntry(linkedSeqOf(row))} label="Copy link" icon={<Link />} />
          ) : null}
          <More row={row} item={item} />
        </span>
      </div>
    </div>
  )
}

function More({ row, item }: { row: Row; item(): TranscriptItem | undefined }) {
  const { linkToEntry, readEntry, onContinueAt } = useContext(TaskActionsContext)
  const button = useRef<HTMLButtonElement>(null)
  const [menu, setMenu] = useState<'unused' | 'open' | 'closed'>('unused')
  const [isJson, toggleJson] = useFold(jsonKey(row.key))
  const copy = (text: string) => void navigator.clipboard.writeText(text).catch(() => {})
  const entries = (): MenuEntry[] => {
    const text = copiedText(row)
    const output = row.kind === 'call' ? row.call.output : null
    const whole = item()
    return [
      ...(text === null
        ? []
        : [{ label: 'Copy text', icon: <Copy />, onSelect: () => copy(text) }]),
      ...(output
        ? [
            {
              label: 'Copy output',
              icon: <SquareTerminal />,
              onSelect: () => copy(plainText(output)),
            },
          ]
        : []),
      ...(whole?.kind === 'turn'
        ? [
            {
              label: `Copy turn ${whole.turn} as Markdown`,
              icon: <ScrollText />,
              onSelect: () => copy(createItemMarkdown()(whole)),
            },
          ]
        : []),
      ...(linkToEntry
        ? [
            {
              label: 'Copy link',
              icon: <Link />,
              onSelect: () => copy(linkToEntry(linkedSeqOf(row))),
            },
          ]
        : []),
      ...(whole?.kind === 'turn' && onContinueAt
        ? [
            {
              label: 'Continue from here…',
              icon: <CopyPlus />,
              onSelect: () => onContinueAt(linkedSeqOf(row)),
            },
          ]
        : []),
      ...(readEntry && entriesOf(row).length > 0
        ? [
            {
              label: isJson ? 'Hide JSON' : 'Show JSON',
              icon: <Braces />,
              onSelect: toggleJson,
            },
          ]
        : []),
    ]
  }
  return (
    <>
      <IconButton
        ref={button}
        size="small"
        label="Entry actions"
        shortcut="m"
        icon={<Ellipsis />}
        data-action="menu"
        aria-haspopup="menu"
        aria-expanded={menu === 'open'}
        onClick={() => setMenu('open')}
      />
      {menu === 'unused' ? null : (
        <MenuAt
          anchor={button.current}
          open={menu === 'open'}
          entries={menu === 'open' ? entries() : []}
          onClose={() => setMenu('closed')}
        />
      )}
    </>
  )
}

/** A message comes after its calls; its address must not lead to one of them. */
const linkedSeqOf = (row: Row): number =>
  row.kind === 'text' || row.kind === 'reasoning' || row.kind === 'image'
    ? (row.messageSeq ?? row.seq)
    : entrySeqOf(row)

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
