/** The prompts, runs and turns of a transcript, as links. Virtual, because there may be thousands. */

import { useVirtualizer } from '@tanstack/react-virtual'
import { CircleAlert, MessageSquareText, Play, RotateCcw } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { firstIndexOf } from '../../../shared/collections/first-index.ts'
import type { OutlineItem } from '../../../shared/contract/transcripts/transcripts.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { counted, exactTime } from '../primitives/format.ts'
import { classNames, IconButton, StatusIcon, TextInput } from '../primitives/index.ts'

const rowPx = 28

export function Outline(props: {
  items: OutlineItem[]
  /** The index of the item in view of the reader; -1: none. */
  current: number
  busy: boolean
  onGo(item: OutlineItem): void
  /** Shown beside the filter. */
  actions?: ReactNode
  /** The list takes the focus when the outline appears. */
  takesFocus?: boolean
}) {
  const { items, current, busy, onGo, actions, takesFocus = false } = props
  const [typed, setTyped] = useState('')
  const [onlyErrors, setOnlyErrors] = useState(false)
  const filter = useDeferredValue(typed.trim().toLowerCase())
  const shown = useMemo(
    () => items.filter((item) => (!onlyErrors || isError(item)) && matches(item, filter)),
    [items, filter, onlyErrors],
  )
  const currentItem = items[current]
  const currentIndex = currentItem ? nearest(shown, currentItem.seq) : -1
  /** The item selected by keys; -1 until a key is used. */
  const [chosen, setChosen] = useState(-1)
  const at = Math.min(chosen < 0 ? currentIndex : chosen, shown.length - 1)
  const scroller = useRef<HTMLDivElement>(null)
  const listId = useId()
  const optionId = (index: number) => `${listId}-${index}`
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 8,
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it appears
  useEffect(() => {
    if (takesFocus) scroller.current?.focus()
  }, [])

  // Follows the reader, except while the outline itself is used.
  useEffect(() => {
    const box = scroller.current
    if (currentIndex < 0 || !box || box.matches(':hover') || box === document.activeElement) return
    virtualizer.scrollToIndex(currentIndex, { align: 'auto' })
  }, [currentIndex, virtualizer])

  const choose = (index: number) => {
    const next = Math.max(0, Math.min(index, shown.length - 1))
    setChosen(next)
    virtualizer.scrollToIndex(next, { align: 'auto' })
  }
  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowPx) - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const item = shown[at]
    if (event.key === 'ArrowDown' || event.key === 'j') choose(at + 1)
    else if (event.key === 'ArrowUp' || event.key === 'k') choose(at - 1)
    else if (event.key === 'PageDown') choose(at + page)
    else if (event.key === 'PageUp') choose(at - page)
    else if (event.key === 'Home') choose(0)
    else if (event.key === 'End') choose(shown.length - 1)
    else if (event.key === 'Enter' && item) onGo(item)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const onFilterKeyDown = (event: KeyboardEvent) => {
    const [first] = shown
    if (event.key === 'ArrowDown') {
      scroller.current?.focus()
      choose(0)
    } else if (event.key === 'Enter' && first) onGo(first)
    else if (event.key === 'Escape' && typed !== '') setTyped('')
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const errors = useMemo(() => items.filter(isError).length, [items])

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 items-center gap-1 border-b px-2 py-1.5">
        <TextInput
          type="search"
          aria-label="Filter the outline"
          placeholder="Filter turns"
          value={typed}
          onChange={({ target }) => {
            setTyped((target as HTMLInputElement).value)
            setChosen(-1)
          }}
          onKeyDown={onFilterKeyDown}
        />
        <IconButton
          label={`Only errors (${counted(errors, 'turn')})`}
          icon={<CircleAlert />}
          pressed={onlyErrors}
          disabled={errors === 0 && !onlyErrors}
          onClick={() => {
            setOnlyErrors(!onlyErrors)
            setChosen(-1)
          }}
        />
        {actions}
      </div>
      {shown.length === 0 && !busy ? (
        <p className="px-3 py-2 text-small text-muted">
          {items.length === 0 ? 'Nothing has happened yet.' : 'No turn matches.'}
        </p>
      ) : null}
      <div
        ref={scroller}
        role="listbox"
        data-stays
        aria-label="Outline"
        aria-busy={busy}
        aria-activedescendant={at >= 0 ? optionId(at) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setChosen(-1)}
        className="group/outline focus-pane min-h-0 flex-1 overflow-y-auto overscroll-contain"
      >
        <div
          role="presentation"
          className="relative w-full"
          style={{ height: virtualizer.getTotalSize() }}
        >
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const item = shown[index]
            return item ? (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
              <div
                key={`${item.kind}:${item.seq}`}
                tabIndex={-1}
                id={optionId(index)}
                role="option"
                aria-selected={index === currentIndex}
                aria-posinset={index + 1}
                aria-setsize={shown.length}
                onClick={() => onGo(item)}
                title={`${lineOf(item).text}\n${exactTime(new Date(item.at).toISOString())}`}
                className={classNames(
                  'absolute inset-x-0 top-0 flex h-7 items-center gap-2 border-l-2 border-transparent pr-2 pl-2 text-ui select-none hover:bg-hover',
                  index === currentIndex
                    ? 'border-accent! bg-accent-tint'
                    : 'forced-colors:border-l-[Canvas]',
                  index === at &&
                    'group-focus-visible/outline:outline-2 group-focus-visible/outline:-outline-offset-2 group-focus-visible/outline:outline-focus',
                )}
                style={{ transform: `translateY(${start}px)` }}
              >
                <OutlineLine item={item} />
              </div>
            ) : null
          })}
        </div>
      </div>
      {busy ? (
        <p role="status" className="shrink-0 border-t px-3 py-1 text-small text-muted">
          Reading the outline…
        </p>
      ) : null}
    </div>
  )
}

export function OutlineLine({ item }: { item: OutlineItem }) {
  const { text, tone } = lineOf(item)
  const failed = item.kind === 'turn' ? item.failedCalls : 0
  return (
    <>
      <span className="tabular flex w-8 shrink-0 justify-end text-small text-faint [&>svg]:size-3.5">
        {markOf(item)}
      </span>
      <span className={classNames('untrusted min-w-0 flex-1 truncate', tone)} dir="auto">
        {text}
      </span>
      {failed > 0 ? (
        <span className="flex shrink-0 items-center gap-1 text-small text-red">
          <CircleAlert aria-hidden className="size-3" />
          <span aria-hidden>{failed}</span>
          <span className="sr-only">{counted(failed, 'error')}</span>
        </span>
      ) : null}
    </>
  )
}

function markOf(item: OutlineItem): ReactNode {
  switch (item.kind) {
    case 'prompt':
      return <MessageSquareText aria-label="Prompt" className="text-accent" />
    case 'turn':
      return (
        <>
          <span className="sr-only">Turn </span>
          {item.turn.toLocaleString('en')}
        </>
      )
    case 'run':
      return item.reason === 'prompt' ? <Play aria-hidden /> : <RotateCcw aria-hidden />
    case 'run-end':
      return <StatusIcon status={item.status} decorative />
  }
}

function lineOf(item: OutlineItem): { text: string; tone: string } {
  switch (item.kind) {
    case 'prompt':
      return { text: plainText(item.text) || 'Prompt', tone: 'font-semibold' }
    case 'turn': {
      const calls = item.calls > 0 ? counted(item.calls, 'call') : 'No text'
      const lost = { complete: '', interrupted: ', interrupted', superseded: ', tried again' }
      if (item.text === '') return { text: calls + lost[item.status], tone: 'text-muted' }
      return { text: plainText(item.text), tone: item.status === 'complete' ? '' : 'text-muted' }
    }
    case 'run': {
      const reason = { prompt: '', resume: ', resumed', retry: ', retried' }[item.reason]
      return { text: `Run ${item.run}${reason}`, tone: 'text-muted' }
    }
    case 'run-end': {
      const status = { completed: 'ended', interrupted: 'was interrupted', failed: 'failed' }
      return { text: `Run ${item.run} ${status[item.status]}`, tone: 'text-muted' }
    }
  }
}

const isError = (item: OutlineItem): boolean =>
  (item.kind === 'turn' && item.failedCalls > 0) ||
  (item.kind === 'run-end' && item.status === 'failed')

const matches = (item: OutlineItem, filter: string): boolean =>
  filter === '' ||
  lineOf(item).text.toLowerCase().includes(filter) ||
  (item.kind === 'turn' && String(item.turn) === filter)

/** Returns the index of the last item that is not after `seq`; -1 if there is none. */
const nearest = (items: OutlineItem[], seq: number): number =>
  firstIndexOf(items, (item) => item.seq > seq) - 1
