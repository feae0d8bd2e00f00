/**
 * Text of any size. It grows with the list and has no scroll bar of its own: a long one shows its two ends, and opens
 * in steps.
 */
import { createAnsiSequenceParser } from 'ansi-sequence-parser'
import { type ReactNode, useId, useLayoutEffect, useMemo, useRef } from 'react'
import { plainText } from '../../../../shared/text/plain-text.ts'
import { styledTerminalText, stylesIn } from '../../../../shared/text/terminal-text.ts'
import { bytes, counted } from '../../primitives/format.ts'
import { CopyButton, classNames, TextButton } from '../../primitives/index.ts'
import { HighlightedCode } from '../../text/highlighted-code.tsx'
import { saveFile } from '../../text/save-file.ts'
import { terminalPieces } from '../../text/terminal-output.tsx'
import { useFoldStep } from '../fold-state.ts'
import { Caption } from './caption.tsx'
import { cutText, stepKey, stepThrough, type TextCut } from './text-cut.ts'

interface LongTextProps {
  text: string
  /** The accessible name; `captioned` shows it too. */
  label: string
  captioned?: boolean
  tone?: 'error'
  className?: string
  /** The output of a running command: a box of bounded height that follows its end. */
  followEnd?: boolean
  /** Shows the colours of a terminal. */
  terminal?: boolean
  /** The language of code, as in a Markdown fence, or a file extension; null: unknown. */
  language?: string | null
  /** Stores which step is shown; without it the step is reset when the component unmounts. */
  foldKey?: string
}

export function LongText(props: LongTextProps) {
  const {
    text,
    label,
    captioned = false,
    tone,
    className,
    followEnd = false,
    terminal = false,
  } = props
  const ownKey = useId()
  const foldKey = props.foldKey ?? ownKey
  const last = useMemo(() => stepThrough(text, Math.max(0, text.length - 1)), [text])
  const [step, goTo] = useFoldStep((one) => stepKey(foldKey, one), last)
  const box = useFollowedEnd(followEnd, text)
  const wasLonger = useRef(false)
  const fold = () => {
    wasLonger.current = true
    goTo(0)
  }
  useLayoutEffect(() => {
    // The end of the text was in view, and is now far above.
    if (step === 0 && wasLonger.current) box.current?.scrollIntoView({ block: 'center' })
    wasLonger.current = false
  }, [step, box])
  const open = (wanted: number) => {
    // The focused button is removed, and a dialog would take the focus.
    box.current?.focus({ preventScroll: true })
    goTo(wanted)
  }
  return (
    <div className={classNames('group/text', className)}>
      {captioned ? <Caption label={label} /> : null}
      <div className="relative">
        {step > 0 && !followEnd ? (
          // Within reach wherever one reads in a long text.
          <p data-aside className="sticky top-1 z-10 flex h-0 justify-end pr-9 text-small">
            <TextButton
              className="h-6 rounded-md bg-raised px-2 shadow-popup"
              onClick={() => {
                box.current?.focus({ preventScroll: true })
                fold()
              }}
            >
              Show less
            </TextButton>
          </p>
        ) : null}
        <figure
          ref={box}
          aria-label={label}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
          tabIndex={0}
          className={classNames(
            'focus-inset rounded-md border bg-sunken px-3 py-2',
            followEnd && 'max-h-80 overflow-auto',
            tone === 'error' && 'border-red/40',
          )}
        >
          <CutText
            {...props}
            step={step}
            gap={({ hiddenLines, middle, next, allStep }) => (
              <p
                data-aside
                className="-mx-3 my-1 flex flex-wrap items-center gap-x-3 border-y border-dashed bg-canvas px-3 py-0.5 text-small text-muted"
              >
                <span>
                  {counted(hiddenLines, 'line')} hidden, {bytes(middle.length)}
                </span>
                {next === null ? null : (
                  <TextButton onClick={() => open(step + 1)}>
                    Show {next.lines < fewLines ? bytes(next.chars) : counted(next.lines, 'line')}{' '}
                    more
                  </TextButton>
                )}
                {allStep === null ? (
                  // Laying all of it out would stop the window for seconds.
                  <TextButton onClick={() => saveFile([text], `${label.toLowerCase()}.txt`)}>
                    Save to a file
                  </TextButton>
                ) : (
                  <TextButton onClick={() => open(allStep)}>Show all</TextButton>
                )}
              </p>
            )}
          />
        </figure>
        <div className="absolute top-1 right-1 rounded-md bg-sunken opacity-0 group-hover/text:opacity-100 focus-within:opacity-100">
          <CopyButton
            label={`Copy ${label.toLowerCase()}`}
            // As it is shown: pasted into a terminal, its control sequences would act.
            text={terminal ? () => plainText(text) : text}
          />
        </div>
      </div>
    </div>
  )
}

/** A step over fewer lines, which are very long then, is told in bytes. */
const fewLines = 8

function CutText(props: LongTextProps & { step: number; gap(cut: TextCut): ReactNode }) {
  const { text, terminal = false, language, followEnd = false, step, gap } = props
  const printed = useMemo(() => (terminal ? styledTerminalText(text) : text), [text, terminal])
  const cut = useMemo(() => (followEnd ? null : cutText(printed, step)), [printed, step, followEnd])
  const { head, tail } = useMemo(() => {
    const [first, last] = cut ? [cut.head, cut.tail] : [printed, '']
    if (!terminal) return { head: plainText(first), tail: plainText(last) }
    const parser = createAnsiSequenceParser()
    const shown = terminalPieces(parser, first)
    parser.parse(stylesIn(cut?.middle ?? ''))
    return { head: shown, tail: terminalPieces(parser, last) }
  }, [cut, printed, terminal])
  const piece = (shown: ReactNode) => (
    <pre className="font-mono text-code wrap-anywhere whitespace-pre-wrap" dir="ltr">
      {typeof shown === 'string' ? (
        <HighlightedCode code={shown} language={language ?? null} />
      ) : (
        shown
      )}
    </pre>
  )
  if (text === '') return piece(<span className="text-faint">(empty)</span>)
  if (!cut) return piece(head)
  return (
    <>
      {piece(head)}
      {gap(cut)}
      {piece(tail)}
    </>
  )
}

/** Scrolls a growing text to its end, unless the user scrolled up to read. */
function useFollowedEnd(followEnd: boolean, text: string) {
  const box = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    const shown = box.current
    if (!followEnd || !shown) return
    const onScroll = () => {
      isAtEnd.current = shown.scrollHeight - shown.scrollTop - shown.clientHeight < 8
    }
    shown.addEventListener('scroll', onScroll, { passive: true })
    return () => shown.removeEventListener('scroll', onScroll)
  }, [followEnd])
  useLayoutEffect(() => {
    const shown = box.current
    if (followEnd && shown && isAtEnd.current && text !== '') shown.scrollTop = shown.scrollHeight
  }, [followEnd, text])
  return box
}
