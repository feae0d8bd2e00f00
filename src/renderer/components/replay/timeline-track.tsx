import {
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { TimelineMark } from '../../../shared/contract/transcripts/timeline.ts'
import { timeOfDayWithSeconds } from '../primitives/format.ts'
import { markText } from './mark-text.ts'
import { coloursOn, paintedHeight, paintTimeline } from './paint-timeline.ts'
import { packLanes, pauseText, type TimelineScale } from './timeline-scale.ts'

/** A run of a sub-agent. */
export interface LaneSpan {
  key: string
  title: string
  fromMs: number
  toMs: number
  status: 'running' | 'completed' | 'interrupted' | 'failed'
}

interface TrackKeys {
  step(unit: 'turn' | 'call', by: number): void
  toStart(): void
  toEnd(): void
  toggle(): void
}

const laneHeight = 8
/** More lanes scroll. */
const lanesShownMax = 4
/** A pause narrower than its label has none. */
const pauseLabelMinPx = 44

/**
 * The timeline as a slider: marks on a canvas, the moment and its handle above it, sub-agents in lanes below. Moving
 * the handle does not redraw the canvas.
 */
export function TimelineTrack(props: {
  marks: readonly TimelineMark[]
  scale: TimelineScale
  /** The index of the mark at the moment; -1: before the first one. Null: unknown while the timeline is read. */
  at: number | null
  /** The value for screen readers: "Turn 12 of 40, 14:03:27". */
  valueText: string
  lanes: readonly LaneSpan[]
  onSeek(seq: number): void
  /** Called while the handle is dragged; `onSeek` is called where it is released. */
  onDrag(seq: number): void
  keys: TrackKeys
}) {
  const { marks, scale, at, valueText, lanes, onSeek, onDrag, keys } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const theme = useThemeCount()
  const [hovered, setHovered] = useState<number | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useLayoutEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context || width === 0) return
    const ratio = window.devicePixelRatio
    element.width = Math.round(width * ratio)
    element.height = Math.round(paintedHeight * ratio)
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    paintTimeline(context, { marks, scale, width, colours: coloursOn(element) })
  }, [marks, scale, width, theme])

  const indexUnder = (event: PointerEvent) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    return scale.markNear((event.clientX - left) / Math.max(1, width))
  }
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const mark = marks[indexUnder(event)]
    if (mark) onSeek(mark.seq)
  }
  const onPointerMove = (event: PointerEvent) => {
    const index = indexUnder(event)
    setHovered(index < 0 ? null : index)
    const mark = marks[index]
    if (mark && event.currentTarget.hasPointerCapture(event.pointerId)) onDrag(mark.seq)
  }
  const onLetGo = () => {
    const mark = marks[at ?? -1]
    if (mark) onSeek(mark.seq)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (!press(event, keys)) return
    event.preventDefault()
    event.stopPropagation()
  }
  const position = scale.positions[at ?? -1] ?? 0
  const shownMark = hovered === null ? undefined : marks[hovered]
  return (
    <div className="relative">
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label="Moment"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, marks.length - 1)}
        aria-valuenow={Math.max(0, at ?? -1)}
        aria-valuetext={valueText}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onLostPointerCapture={onLetGo}
        onPointerLeave={() => setHovered(null)}
        className="relative touch-none overflow-hidden rounded-md select-none"
      >
        <PauseLabels scale={scale} width={width} />
        <canvas ref={canvas} className="block w-full" style={{ height: paintedHeight }} />
        <Lanes lanes={lanes} scale={scale} width={width} />
        {at === null ? null : (
          <>
            {/* Fades the part after the moment. */}
            <div
              aria-hidden
              className="pointer-events-none absolute inset-y-0 right-0 bg-canvas/55"
              style={{ left: `${position * 100}%` }}
            />
            <div
              aria-hidden
              className="pointer-events-none absolute inset-y-0 w-0.5 -translate-x-px bg-focus forced-color-adjust-none"
              style={{ left: `${position * 100}%` }}
            >
              <span className="absolute top-0 left-1/2 size-2.5 -translate-x-1/2 rounded-full bg-focus" />
            </div>
          </>
        )}
      </div>
      {shownMark && width > 0 ? (
        <div
          aria-hidden
          className="untrusted pointer-events-none absolute bottom-full z-10 mb-1 max-w-80 truncate rounded-md bg-raised px-2 py-0.5 text-small shadow-popup"
          style={tipPlace((scale.positions[hovered ?? 0] ?? 0) * width, width)}
        >
          <span className="tabular text-muted">{timeOfDayWithSeconds(isoOf(shownMark.at))}</span>{' '}
          {markText(shownMark)}
        </div>
      ) : null}
    </div>
  )
}

const isoOf = (at: number): string => new Date(at).toISOString()

/** Places the tip on the side of `x` with more room. */
const tipPlace = (x: number, width: number) => (x < width / 2 ? { left: x } : { right: width - x })

function press(event: KeyboardEvent, keys: TrackKeys): boolean {
  const unit = event.shiftKey ? 'turn' : 'call'
  switch (event.key) {
    case 'ArrowRight':
    case 'ArrowUp':
      keys.step(unit, 1)
      return true
    case 'ArrowLeft':
    case 'ArrowDown':
      keys.step(unit, -1)
      return true
    case 'PageUp':
      keys.step('turn', 10)
      return true
    case 'PageDown':
      keys.step('turn', -10)
      return true
    case 'Home':
      keys.toStart()
      return true
    case 'End':
      keys.toEnd()
      return true
    case ' ':
      keys.toggle()
      return true
    default:
      return false
  }
}

/** Labels of the collapsed pauses that are wide enough, above their dots. */
function PauseLabels({ scale, width }: { scale: TimelineScale; width: number }) {
  let end = 0
  const shown = scale.pauses.filter(({ from, to }) => {
    const middle = ((from + to) / 2) * width
    const fits = middle - pauseLabelMinPx / 2 >= end && middle + pauseLabelMinPx / 2 <= width
    if (fits) end = middle + pauseLabelMinPx / 2
    return fits
  })
  return (
    <div className="relative h-4 text-small text-muted">
      {shown.map((pause) => (
        <span
          key={pause.from}
          className="absolute -translate-x-1/2 whitespace-nowrap"
          style={{ left: `${((pause.from + pause.to) / 2) * 100}%` }}
        >
          {pauseText(pause)}
        </span>
      ))}
    </div>
  )
}

const laneClasses: Record<LaneSpan['status'], string> = {
  running: 'bg-accent',
  completed: 'bg-green',
  // Stripes distinguish it from the others without colour.
  interrupted:
    'text-amber bg-[repeating-linear-gradient(90deg,currentColor_0_3px,transparent_3px_5px)]',
  failed: 'text-red bg-[repeating-linear-gradient(45deg,currentColor_0_2px,transparent_2px_4px)]',
}

function Lanes(props: { lanes: readonly LaneSpan[]; scale: TimelineScale; width: number }) {
  const { lanes, scale, width } = props
  if (lanes.length === 0 || width === 0) return null
  const packed = packLanes(lanes)
  return (
    <div
      className="overflow-y-auto"
      style={{ maxHeight: lanesShownMax * laneHeight + 2 }}
      data-lanes={packed.length}
    >
      {packed.map((lane) => (
        <div key={lane[0]?.key} className="relative" style={{ height: laneHeight }}>
          {lane.map(({ key, title, fromMs, toMs, status }) => {
            const from = scale.positionOf(fromMs)
            const to = Math.max(scale.positionOf(toMs), from + 3 / width)
            return (
              <span
                key={key}
                title={title}
                className={`absolute top-px h-1.5 rounded-sm forced-colors:border ${laneClasses[status]}`}
                style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
              />
            )
          })}
        </div>
      ))}
    </div>
  )
}

function useWidth(box: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    setWidth(element.clientWidth)
    return () => observer.disconnect()
  }, [box])
  return width
}

/** Returns a number that changes with the theme. */
function useThemeCount(): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const change = () => setCount((before) => before + 1)
    const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) =>
      matchMedia(query),
    )
    for (const query of queries) query.addEventListener('change', change)
    const observer = new MutationObserver(change)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      for (const query of queries) query.removeEventListener('change', change)
      observer.disconnect()
    }
  }, [])
  return count
}
