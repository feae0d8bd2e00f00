/**
 * Draws the marks of a timeline on a canvas. Kinds differ by shape as well as by colour; the width of a call is its
 * duration. Redrawn when marks, size or theme change, never when the moment moves.
 */
import { traitsOf } from '../../../shared/agents/tool-traits.ts'
import type { TimelineMark } from '../../../shared/contract/transcripts/timeline.ts'
import { hasFailed } from '../../../shared/projections/tool-calls/failed-call.ts'
import type { TimelineScale } from './timeline-scale.ts'

export const paintedHeight = 58

type MarkShape = 'look' | 'edit' | 'command' | 'agents' | 'other'

/** Returns the shape of a call. */
function shapeOf(name: string): MarkShape {
  const traits = traitsOf(name)
  if (!traits) return 'other'
  if (traits.icon === 'agents' || traits.icon === 'agent-list' || name === 'task_stop')
    return 'agents'
  if (traits.changes === 'one-file' || traits.icon === 'apply') return 'edit'
  if (traits.changes === 'any-files') return 'command'
  return traits.isReadOnly ? 'look' : 'other'
}

const colourNames = [
  'ink',
  'muted',
  'faint',
  'line-strong',
  'accent',
  'green',
  'amber',
  'red',
] as const
type ColourName = (typeof colourNames)[number]
type TimelineColours = Record<ColourName, string>

/** Returns the colours of the theme, resolved on `element`; with forced colours all are the text colour. */
export function coloursOn(element: HTMLElement): TimelineColours {
  const before = element.style.color
  const colours = Object.fromEntries(
    colourNames.map((name) => {
      element.style.color = `var(--${name})`
      return [name, getComputedStyle(element).color]
    }),
  )
  element.style.color = before
  return colours as TimelineColours
}

/** Rows, from the top. */
const events = { top: 1, bottom: 12 }
const calls = { top: 14, bottom: 40 }
const ruler = { top: 41, bottom: paintedHeight }
/** Minimum distance between two numbers of the ruler. */
const numberEveryPx = 56

interface Painting {
  marks: readonly TimelineMark[]
  scale: TimelineScale
  /** In CSS pixels. */
  width: number
  colours: TimelineColours
}

export function paintTimeline(context: CanvasRenderingContext2D, painting: Painting): void {
  const { width, colours } = painting
  context.clearRect(0, 0, width, paintedHeight)
  context.fillStyle = colours['line-strong']
  context.fillRect(0, calls.bottom, width, 1)
  paintPauses(context, painting)
  const shapes = callShapes(painting)
  // Draws more important calls over less important ones.
  for (const shape of ['look', 'other', 'command', 'agents', 'edit'] as const)
    for (const one of shapes) if (one.shape === shape) paintCall(context, one, colours)
  for (const one of shapes) if (one.failed) paintCross(context, one.from, colours.red)
  paintEvents(context, painting)
  paintRuler(context, painting)
}

interface CallShape {
  shape: MarkShape
  from: number
  to: number
  failed: boolean
}

function callShapes({ marks, scale, width }: Painting): CallShape[] {
  const open = new Map<number, CallShape>()
  const shapes: CallShape[] = []
  for (const [index, mark] of marks.entries()) {
    const at = (scale.positions[index] ?? 0) * width
    if (mark.kind === 'call') {
      const one = { shape: shapeOf(mark.name), from: at, to: at, failed: false }
      open.set(mark.seq, one)
      shapes.push(one)
    } else if (mark.kind === 'result') {
      const one = mark.call === null ? undefined : open.get(mark.call)
      if (one) {
        one.to = at
        one.failed = hasFailed(mark)
      }
    } else if (mark.kind === 'run-end') {
      // A call ends at the latest with its run.
      for (const one of open.values()) if (one.to === one.from) one.to = at
      open.clear()
    }
  }
  return shapes
}

function paintCall(
  context: CanvasRenderingContext2D,
  { shape, from, to, failed }: CallShape,
  colours: TimelineColours,
): void {
  const { top, bottom } = calls
  const wide = Math.max(2, to - from)
  const height = bottom - top
  switch (shape) {
    case 'look':
      context.fillStyle = colours.faint
      context.fillRect(from, bottom - 7, wide, 7)
      return
    case 'other':
      context.strokeStyle = colours.muted
      context.strokeRect(from + 0.5, bottom - 12.5, Math.max(2, wide - 1), 12)
      return
    case 'command':
      context.fillStyle = failed ? colours.red : colours.muted
      if (wide <= 4) context.fillRect(from, top + height / 3, wide, (height * 2) / 3)
      else paintStripes(context, { from, wide, top: top + height / 3, bottom })
      return
    case 'agents':
      context.fillStyle = colours.green
      context.fillRect(from, (top + bottom) / 2 - 1, wide, 2)
      paintDiamond(context, from + 1, (top + bottom) / 2)
      return
    case 'edit':
      context.fillStyle = colours.accent
      context.fillRect(from, top, wide, height)
  }
}

/** A striped box, which distinguishes a command from an edit without colour. */
function paintStripes(
  context: CanvasRenderingContext2D,
  { from, wide, top, bottom }: { from: number; wide: number; top: number; bottom: number },
): void {
  context.strokeStyle = context.fillStyle
  context.strokeRect(from + 0.5, top + 0.5, wide - 1, bottom - top - 1)
  for (let x = from + 3; x < from + wide - 1; x += 4) context.fillRect(x, top, 1, bottom - top)
}

function paintDiamond(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath()
  context.moveTo(x, y - 6)
  context.lineTo(x + 5, y)
  context.lineTo(x, y + 6)
  context.lineTo(x - 5, y)
  context.fill()
}

function paintCross(context: CanvasRenderingContext2D, x: number, colour: string): void {
  context.strokeStyle = colour
  context.lineWidth = 2
  context.beginPath()
  context.moveTo(x - 3, events.top + 2)
  context.lineTo(x + 3, events.top + 8)
  context.moveTo(x + 3, events.top + 2)
  context.lineTo(x - 3, events.top + 8)
  context.stroke()
  context.lineWidth = 1
}

/** A dotted bar at the baseline marks time that is not to scale. */
function paintPauses(context: CanvasRenderingContext2D, { scale, width, colours }: Painting): void {
  context.fillStyle = colours.faint
  for (const { from, to } of scale.pauses)
    for (let x = from * width + 3; x < to * width - 3; x += 5)
      context.fillRect(x, (calls.top + calls.bottom) / 2, 2, 2)
}

function paintEvents(
  context: CanvasRenderingContext2D,
  { marks, scale, width, colours }: Painting,
): void {
  const middle = (events.top + events.bottom) / 2
  for (const [index, mark] of marks.entries()) {
    const x = (scale.positions[index] ?? 0) * width
    switch (mark.kind) {
      case 'prompt':
        context.fillStyle = colours.accent
        context.beginPath()
        context.arc(x, middle, 4, 0, 2 * Math.PI)
        context.fill()
        break
      case 'run':
        if (mark.reason !== 'prompt') {
          paintLine(context, x, colours.accent, [])
          context.fillStyle = colours.accent
          paintTriangle(context, x, 'right')
        }
        break
      case 'run-end': {
        const ended = mark.status === 'completed'
        paintLine(context, x, ended ? colours['line-strong'] : colours.red, ended ? [] : [3, 2])
        context.fillStyle = mark.status === 'failed' ? colours.red : colours.amber
        if (mark.status === 'interrupted') {
          context.fillRect(x - 4, events.top, 3, 10)
          context.fillRect(x + 1, events.top, 3, 10)
        } else if (mark.status === 'failed') paintCross(context, x, colours.red)
        break
      }
      case 'permission':
        if (mark.allowed === false) paintCross(context, x, colours.amber)
        else {
          context.fillStyle = colours.amber
          paintTriangle(context, x, 'up')
        }
        break
      case 'retry':
        context.strokeStyle = colours.amber
        context.beginPath()
        context.arc(x, middle, 3.5, 0, 1.5 * Math.PI)
        context.stroke()
        break
      case 'compaction':
        paintLine(context, x - 1.5, colours.muted, [])
        paintLine(context, x + 1.5, colours.muted, [])
        break
      case 'files-failed':
      case 'unknown':
        context.strokeStyle = colours.red
        context.strokeRect(x - 3, middle - 3, 6, 6)
        break
      default:
    }
  }
}

function paintLine(
  context: CanvasRenderingContext2D,
  x: number,
  colour: string,
  dashes: number[],
): void {
  context.strokeStyle = colour
  context.setLineDash(dashes)
  context.beginPath()
  context.moveTo(Math.round(x) + 0.5, events.top)
  context.lineTo(Math.round(x) + 0.5, calls.bottom)
  context.stroke()
  context.setLineDash([])
}

function paintTriangle(
  context: CanvasRenderingContext2D,
  x: number,
  direction: 'right' | 'up',
): void {
  const { top, bottom } = events
  context.beginPath()
  if (direction === 'right') {
    context.moveTo(x + 1, top)
    context.lineTo(x + 8, (top + bottom) / 2)
    context.lineTo(x + 1, bottom)
  } else {
    context.moveTo(x - 5, bottom - 1)
    context.lineTo(x, top)
    context.lineTo(x + 5, bottom - 1)
  }
  context.fill()
}

/** Draws a tick at the end of each turn, and numbers where there is room. */
function paintRuler(
  context: CanvasRenderingContext2D,
  { marks, scale, width, colours }: Painting,
): void {
  context.font = '11px system-ui, sans-serif'
  context.textBaseline = 'bottom'
  let lastTick = Number.NEGATIVE_INFINITY
  let lastNumber = Number.NEGATIVE_INFINITY
  for (const [index, mark] of marks.entries()) {
    if (mark.kind !== 'turn' || mark.turn === null) continue
    const x = (scale.positions[index] ?? 0) * width
    const hasNumber = x - lastNumber >= numberEveryPx && x < width - 24
    if (!hasNumber && x - lastTick < 2) continue
    lastTick = x
    context.fillStyle = colours.faint
    context.fillRect(Math.round(x), ruler.top, 1, hasNumber ? 7 : 4)
    if (!hasNumber) continue
    lastNumber = x
    context.fillStyle = colours.muted
    context.fillText(String(mark.turn), Math.round(x) + 3, ruler.bottom)
  }
}
