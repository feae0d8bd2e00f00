/**
 * A command for the user to allow: complete, in numbered lines, in execution order, with every
 * hidden character visible (K6). A change of a file likewise: the file, then lines with their
 * signs. `onSeen` is called with true once all of it has been in view, from its first line on: the
 * button that allows it must stay disabled until then.
 */
import { useEffect, useMemo, useRef, useState } from 'react'
import { type ShownCommand, shownCommand } from '../../../shared/text/shown-text.ts'

export function CommandToAllow(props: {
  command: string
  label: string
  isChange?: boolean
  onSeen: (seen: boolean) => void
}) {
  const { command, label, isChange = false, onSeen } = props
  const { lines, notes } = useMemo(() => shownCommand(command), [command])
  const { box, seen } = useSeenWhole(command, onSeen)
  return (
    <div className="flex flex-col gap-1">
      <section
        ref={box}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        dir="ltr"
        className="focus-inset max-h-[min(8rem,40vh)] overflow-y-auto rounded-sm bg-canvas py-1 font-mono text-code"
      >
        {lines.map((pieces, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its position
          <div key={index} className={`flex gap-2 px-2 ${isChange ? tintOf(pieces, index) : ''}`}>
            {isChange ? null : (
              <span aria-hidden className="w-6 shrink-0 text-right text-faint select-none">
                {index + 1}
              </span>
            )}
            <CommandPieces pieces={pieces} />
          </div>
        ))}
      </section>
      {notes.map((note) => (
        <p key={note} className="text-small text-amber">
          {note}
        </p>
      ))}
      <p role="status" className="text-small text-muted empty:hidden">
        {seen ? '' : 'Scroll through all of it to allow it.'}
      </p>
    </div>
  )
}

/** Below a field, which shows its text as it is: the rules in it that have hidden characters, with those marked. */
export function HiddenInRule({ rules }: { rules: string }) {
  const lines = useMemo(
    () => shownCommand(rules).lines.filter((pieces) => pieces.some(({ hidden }) => hidden)),
    [rules],
  )
  if (lines.length === 0) return null
  return (
    <div role="status" className="flex flex-col gap-1 text-small text-amber">
      It has characters that can’t be seen; here their codes are shown in their place:
      {lines.map((pieces, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its position
        <div key={index} className={lineClasses}>
          <CommandPieces pieces={pieces} />
        </div>
      ))}
    </div>
  )
}

const lineClasses = 'flex rounded-sm bg-canvas px-2 py-1 font-mono text-code text-ink'

/** A line of a command, in the order in which it runs, with its hidden characters marked. */
function CommandPieces({ pieces }: { pieces: ShownCommand['lines'][number] }) {
  return (
    <code className="command-order min-w-0 flex-1">
      {pieces.map(({ text, hidden }, at) =>
        hidden ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its position
          <mark key={at} className="rounded-sm bg-red-tint text-red">
            {text}
          </mark>
        ) : (
          text
        ),
      )}
    </code>
  )
}

/** The first line is the file's name. */
function tintOf(pieces: { text: string }[], index: number): string {
  if (index === 0) return 'text-muted'
  return pieces[0]?.text.startsWith('-') ? 'bg-red-tint' : 'bg-green-tint'
}

/** Below 1, because a fraction of a pixel may be cut off at some zoom levels. */
const wholeRatio = 0.98

/** A jump to the end does not count the skipped part. */
function useSeenWhole(command: string, onSeen: (seen: boolean) => void) {
  const box = useRef<HTMLElement>(null)
  const [seenCommand, setSeenCommand] = useState<string | null>(null)
  const seen = seenCommand === command
  useEffect(() => onSeen(seen), [seen, onSeen])
  useEffect(() => {
    const element = box.current
    if (!element) return
    let seenTo = 0
    let isInView = false
    const update = () => {
      // Its container may scroll as well.
      if (!isInView) return
      const { scrollTop, clientHeight, scrollHeight } = element
      if (scrollTop <= seenTo + 1) seenTo = Math.max(seenTo, scrollTop + clientHeight)
      if (clientHeight > 0 && seenTo >= scrollHeight - 1) setSeenCommand(command)
    }
    element.scrollTop = 0
    const placed = new IntersectionObserver(
      (changes) => {
        isInView = (changes.at(-1)?.intersectionRatio ?? 0) >= wholeRatio
        update()
      },
      { threshold: [0, wholeRatio] },
    )
    placed.observe(element)
    element.addEventListener('scroll', update)
    const resized = new ResizeObserver(update)
    resized.observe(element)
    return () => {
      element.removeEventListener('scroll', update)
      resized.disconnect()
      placed.disconnect()
    }
  }, [command])
  return { box, seen }
}
