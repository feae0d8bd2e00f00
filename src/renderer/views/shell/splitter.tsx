import { useRef } from 'react'

/** Pixels for each press of an arrow key. */
const keyStepPx = 16

/**
 * The edge between two panes, which is dragged or moved with the arrow keys. `grows`: the side of the edge on which the
 * resized pane is.
 */
export function Splitter(props: {
  label: string
  width: number
  min: number
  max: number
  grows: 'left' | 'right'
  onChange(width: number): void
}) {
  const { label, width, min, max, grows, onChange } = props
  const start = useRef<{ x: number; width: number } | null>(null)
  const sign = grows === 'left' ? 1 : -1
  const change = (wanted: number) => onChange(Math.round(Math.min(max, Math.max(min, wanted))))
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> can't be dragged; this is ARIA's window splitter
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      className="group relative z-10 -mx-1 w-2 shrink-0 cursor-col-resize touch-none outline-none"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = { x: event.clientX, width }
      }}
      onPointerMove={(event) => {
        if (!start.current) return
        change(start.current.width + sign * (event.clientX - start.current.x))
      }}
      onPointerUp={() => {
        start.current = null
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') change(width + sign * keyStepPx)
        else if (event.key === 'ArrowLeft') change(width - sign * keyStepPx)
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      <div className="mx-auto h-full w-px bg-line transition-colors group-hover:w-0.5 group-hover:bg-accent group-focus-visible:w-0.5 group-focus-visible:bg-focus" />
    </div>
  )
}
