/**
 * Markdown of any length: long text is rendered in pieces, because rendering all at once would
 * block the window.
 */
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { bytes } from '../../primitives/format.ts'
import { TextButton } from '../../primitives/index.ts'
import { Markdown, markdownPieces } from '../../text/index.ts'
import { useFold } from '../fold-state.ts'

/** `foldKey` stores the number of shown pieces; without it they are reset when the component unmounts. */
export function LongMarkdown(props: {
  text: string
  streaming?: boolean
  foldKey?: string
  className?: string
}) {
  const { text, streaming = false, foldKey, className } = props
  const ownKey = useId()
  // Text that was shown while it was streamed is not folded once it is complete.
  const [wasLive] = useState(streaming)
  const pieces = useMemo(() => (wasLive ? [text] : markdownPieces(text)), [text, wasLive])
  if (pieces.length === 1)
    return <Markdown text={text} streaming={streaming} className={className} />
  return (
    <div className={className}>
      <Piece pieces={pieces} index={0} foldKey={foldKey ?? ownKey} />
    </div>
  )
}

function Piece(props: { pieces: string[]; index: number; foldKey: string }) {
  const { pieces, index, foldKey } = props
  const [more, showMore] = useFold(`${foldKey}:piece:${index + 1}`)
  const next = useRef<HTMLDivElement>(null)
  const pressed = useRef(false)
  useEffect(() => {
    // The button is gone, so the focus moves to the next piece.
    if (more && pressed.current) next.current?.focus({ preventScroll: true })
  }, [more])
  const isLast = index === pieces.length - 1
  return (
    <>
      <Markdown text={pieces[index] ?? ''} />
      {isLast ? null : more ? (
        <div ref={next} tabIndex={-1} className="outline-none">
          <Piece pieces={pieces} index={index + 1} foldKey={foldKey} />
        </div>
      ) : (
        <p className="mt-2 text-small text-muted">
          The first {bytes(lengthOf(pieces.slice(0, index + 1)))} of {bytes(lengthOf(pieces))}.{' '}
          <TextButton
            onClick={() => {
              pressed.current = true
              showMore()
            }}
          >
            Show more
          </TextButton>
        </p>
      )}
    </>
  )
}

const lengthOf = (pieces: string[]): number => pieces.reduce((sum, { length }) => sum + length, 0)
