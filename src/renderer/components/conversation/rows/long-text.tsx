/** Text of any size in a box of bounded size: long text is cut until the user requests the rest. */
import { useId, useLayoutEffect, useRef } from 'react'
import { plainText } from '../../../../shared/text/plain-text.ts'
import { bytes } from '../../primitives/format.ts'
import { CopyButton, classNames, TextButton } from '../../primitives/index.ts'
import { useFold } from '../fold-state.ts'

/** About three screens; laying out more at once causes a visible delay. */
export const shownCharsMax = 16_000

/**
 * `label` is the accessible name; `captioned` shows it too. `followEnd` scrolls to the end of a
 * growing text. `foldKey` keeps whether all is shown; without it the state lasts as long as the component.
 */
export function LongText(props: {
  text: string
  label: string
  captioned?: boolean
  tone?: 'error'
  className?: string
  followEnd?: boolean
  foldKey?: string
}) {
  const { text, label, captioned = false, tone, className, followEnd = false, foldKey } = props
  const ownKey = useId()
  const scroller = useRef<HTMLElement>(null)
  /** A user who scrolled up is reading there. */
  const isAtEnd = useRef(true)
  const [whole, showWhole] = useFold(foldKey ?? ownKey)
  const cut = !whole && text.length > shownCharsMax
  const shown = plainText(cut ? text.slice(0, shownCharsMax) : text)
  useLayoutEffect(() => {
    const box = scroller.current
    if (followEnd && box && isAtEnd.current && shown !== '') box.scrollTop = box.scrollHeight
  }, [followEnd, shown])
  return (
    <div className={classNames('group/text', className)}>
      {captioned ? (
        <p aria-hidden className="mb-0.5 text-small text-faint">
          {label}
        </p>
      ) : null}
      <div className="relative">
        <figure
          ref={scroller}
          onScroll={({ currentTarget: box }) => {
            isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 8
          }}
          aria-label={label}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className={classNames(
            'focus-inset max-h-80 overflow-auto rounded-md border bg-sunken px-3 py-2',
            tone === 'error' && 'border-red/40',
          )}
        >
          <pre className="font-mono text-code wrap-anywhere whitespace-pre-wrap" dir="ltr">
            {shown || <span className="text-faint">(empty)</span>}
          </pre>
        </figure>
        <div className="absolute top-1 right-1 rounded-md bg-sunken opacity-0 group-hover/text:opacity-100 focus-within:opacity-100">
          <CopyButton label={`Copy ${label.toLowerCase()}`} text={text} />
        </div>
      </div>
      {cut ? (
        <p className="mt-1 text-small text-muted">
          The first {bytes(shownCharsMax)} of {bytes(text.length)}.{' '}
          <TextButton onClick={showWhole}>Show all</TextButton>
        </p>
      ) : null}
    </div>
  )
}
