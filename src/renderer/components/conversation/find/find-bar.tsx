/** The bar above a transcript that finds text in it. It covers no row. */
import { ArrowDown, ArrowUp, CaseSensitive, Regex, WholeWord, X } from 'lucide-react'
import {
  type KeyboardEvent,
  type MouseEvent,
  type Ref,
  useId,
  useImperativeHandle,
  useRef,
} from 'react'
import type { FindQuery } from '../../../../shared/text/find-pattern.ts'
import { counted, exactCount } from '../../primitives/format.ts'
import { classNames, IconButton, TextInput } from '../../primitives/index.ts'

interface ShownFind {
  query: FindQuery
  phase: 'idle' | 'counting' | 'done' | 'failed'
  /** The error in the expression, or why the search failed; null: none. */
  error: string | null
  matches: number
  /** Number of the current match, from 1; null while it is unknown. */
  position: number | null
  /** False if only the first matches can be stepped through. */
  isListed: boolean
}

/** `onClose` is called for Esc as well. */
export function FindBar(props: {
  find: ShownFind
  onChange(change: Partial<FindQuery>): void
  onStep(by: 1 | -1): void
  onClose(): void
  ref?: Ref<HTMLInputElement>
}) {
  const { find, onChange, onStep, onClose, ref } = props
  const { query, error, matches } = find
  const errorId = useId()
  const field = useRef<HTMLInputElement>(null)
  useImperativeHandle(ref, () => field.current as HTMLInputElement)
  const toggled = (option: FindOption) => (event: MouseEvent) => {
    onChange({ [option]: !query[option] })
    // A click is followed by typing: on the button, Enter would undo it, and letters would be shortcuts.
    if (event.detail > 0) field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const toggle =
      event.altKey && !event.ctrlKey && !event.metaKey ? toggles[event.code] : undefined
    if (toggle) onChange({ [toggle]: !query[toggle] })
    else if (event.key === 'Enter' || event.key === 'F3') onStep(event.shiftKey ? -1 : 1)
    else if (event.key === 'ArrowDown') onStep(1)
    else if (event.key === 'ArrowUp') onStep(-1)
    else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <search
      aria-label="Find in the transcript"
      onKeyDown={onKeyDownOutside(onClose)}
      className="flex shrink-0 flex-col items-end border-b px-4 py-1"
    >
      <div className="flex w-full max-w-[460px] items-center gap-1">
        <TextInput
          ref={field}
          type="text"
          role="searchbox"
          aria-label="Find"
          placeholder="Find"
          maxLength={1_000}
          aria-invalid={error !== null || undefined}
          aria-describedby={error === null ? undefined : errorId}
          value={query.text}
          onChange={(event) => onChange({ text: event.currentTarget.value })}
          onKeyDown={onKeyDown}
          className={classNames('min-w-0 flex-1', query.isPattern && 'font-mono text-code')}
        />
        <Count find={find} />
        <span className="flex">
          <IconButton
            size="small"
            label="Match case"
            shortcut="Alt+C"
            icon={<CaseSensitive />}
            pressed={query.matchCase}
            onClick={toggled('matchCase')}
          />
          <IconButton
            size="small"
            label="Whole words"
            shortcut="Alt+W"
            icon={<WholeWord />}
            pressed={query.wholeWord}
            onClick={toggled('wholeWord')}
          />
          <IconButton
            size="small"
            label="Regular expression"
            shortcut="Alt+R"
            icon={<Regex />}
            pressed={query.isPattern}
            onClick={toggled('isPattern')}
          />
        </span>
        <span className="flex border-l pl-1">
          <IconButton
            size="small"
            label="Previous match"
            shortcut="Shift+F3"
            icon={<ArrowUp />}
            disabled={matches === 0}
            onClick={() => onStep(-1)}
          />
          <IconButton
            size="small"
            label="Next match"
            shortcut="F3"
            icon={<ArrowDown />}
            disabled={matches === 0}
            onClick={() => onStep(1)}
          />
          <IconButton size="small" label="Close" shortcut="Esc" icon={<X />} onClick={onClose} />
        </span>
      </div>
      {error === null ? null : (
        <p id={errorId} role="alert" className="untrusted px-1 pt-1 text-small text-red">
          {error}
        </p>
      )}
    </search>
  )
}

type FindOption = 'matchCase' | 'wholeWord' | 'isPattern'

/** By the place of the key, because Alt changes the character on a Mac. */
const toggles: Partial<Record<string, FindOption>> = {
  KeyC: 'matchCase',
  KeyW: 'wholeWord',
  KeyR: 'isPattern',
}

/** Handles Esc on the bar's buttons. */
const onKeyDownOutside = (onClose: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.stopPropagation()
  onClose()
}

function Count({ find }: { find: ShownFind }) {
  const { query, phase, matches, isListed } = find
  const text = query.text === '' || phase === 'failed' ? '' : countText(find)
  return (
    <>
      <span
        aria-hidden
        title={
          isListed
            ? undefined
            : 'Too many to step through: next and previous skip the last of them.'
        }
        className={classNames(
          'tabular shrink-0 px-1 text-right text-small whitespace-nowrap text-muted',
          phase === 'done' && matches === 0 && 'text-red',
        )}
      >
        {text}
      </span>
      {/* Announced once the count is final, not with every match. */}
      <span role="status" className="sr-only">
        {phase === 'done' ? text : ''}
      </span>
    </>
  )
}

function countText({ phase, matches, position }: ShownFind): string {
  if (phase === 'counting') return matches === 0 ? 'Searching…' : `${exactCount(matches)}…`
  if (matches === 0) return 'No matches'
  return position === null
    ? counted(matches, 'match', 'matches')
    : `${exactCount(position)} of ${exactCount(matches)}`
}
