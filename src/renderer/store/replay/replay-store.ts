/**
 * The replay of one transcript: its timeline, read page by page, and the moment that is shown. Moving makes no
 * request: the state of a moment is folded from the marks.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import {
  emptyTimelineOf,
  markAt,
  type Timeline,
  withPage,
} from '../../../shared/projections/replay/replay-state.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { firstSeq, lastSeq, openingSeq, playFrom, type StepUnit, stepFrom } from './steps.ts'

export const replaySpeeds = [1, 2, 4, 8, 16] as const
type ReplaySpeed = (typeof replaySpeeds)[number]

export interface ReplayView {
  /** `reading`: a part is loaded, and more follows. */
  phase: 'loading' | 'reading' | 'ready' | 'failed'
  problem: Problem | null
  timeline: Timeline
  /** The moment: the last entry that is included. */
  seq: number
  /** Whether the timeline is read up to the moment; if not, the state of the moment is unknown. */
  known: boolean
  /** The reader is dragging through the moments. */
  dragging: boolean
  playing: boolean
  speed: ReplaySpeed
}

export interface Replay {
  taskId: TaskId
  store: StoreApi<ReplayView>
  /** Reads the timeline, or continues after a failure or after the transcript has grown. */
  read(): Promise<void>
  /** Moves to an entry, or the nearest one with a mark; stops playing. */
  seek(seq: number): void
  /** The same for the many moments of a drag, which the next `seek` ends. */
  drag(seq: number): void
  step(unit: StepUnit, by: number): void
  toStart(): void
  toEnd(): void
  /** At the end, playing restarts at the beginning. */
  play(): void
  pause(): void
  setSpeed(speed: ReplaySpeed): void
  /** Call it while playing, with the milliseconds since the last call. */
  tick(ms: number): void
  close(): void
}

export function createReplay({
  client,
  taskId,
  at,
}: {
  client: Pick<ShiplogClient, 'transcripts'>
  taskId: TaskId
  /** The moment at which it opens. */
  at: 'start' | 'end' | number
}): Replay {
  const store = createStore<ReplayView>(() => ({
    phase: 'loading',
    problem: null,
    timeline: emptyTimelineOf(),
    seq: typeof at === 'number' ? at : 0,
    known: false,
    dragging: false,
    playing: false,
    speed: 1,
  }))
  const controller = new AbortController()
  const { signal } = controller
  /** Whether the moment stays at the end while the timeline grows. */
  let atEnd = at === 'end'
  /** Whether the first page determines the moment at which it opens. */
  let atOpening = at === 'start'
  let reading: Promise<void> | null = null
  /** Played time that was too short to reach the next mark, in milliseconds. */
  let restMs = 0

  async function readPages(): Promise<void> {
    try {
      for (;;) {
        const { nextSeq } = store.getState().timeline
        const page = await client.transcripts.timeline({ taskId, fromSeq: nextSeq }, { signal })
        if (signal.aborted) return
        const { timeline: before, seq } = store.getState()
        const timeline = withPage(before, page)
        const isWhole = page.nextSeq > page.total || page.nextSeq === nextSeq
        const to = atEnd
          ? lastSeq(timeline)
          : atOpening
            ? openingSeq(timeline)
            : Math.max(seq, firstSeq(timeline))
        store.setState({
          timeline,
          phase: isWhole ? 'ready' : 'reading',
          problem: null,
          seq: to,
          known: isWhole || (!atEnd && timeline.marks.length > 0 && to < timeline.nextSeq),
        })
        atOpening &&= timeline.marks.length === 0
        if (isWhole) return
      }
    } catch (error) {
      if (!signal.aborted)
        store.setState({ phase: 'failed', problem: problemOf(error, 'read the timeline') })
    }
  }

  function read(): Promise<void> {
    reading ??= readPages().finally(() => {
      reading = null
    })
    return reading
  }

  function moveTo(seq: number, dragging = false): void {
    const { timeline } = store.getState()
    const [first, last] = [firstSeq(timeline), lastSeq(timeline)]
    atOpening = false
    if (timeline.marks.length === 0) {
      // Nothing is read yet: the first page resolves it.
      atEnd = seq === Number.MAX_SAFE_INTEGER
      return store.setState({ seq: atEnd ? 0 : seq, dragging })
    }
    const to = Math.min(Math.max(seq, first), last)
    atEnd = to === last
    restMs = 0
    store.setState({ seq: timeline.marks[markAt(timeline, to)]?.seq ?? to, known: true, dragging })
  }

  function seek(seq: number): void {
    pause()
    moveTo(seq)
  }

  function drag(seq: number): void {
    pause()
    moveTo(seq, true)
  }

  function pause(): void {
    if (store.getState().playing) store.setState({ playing: false })
  }

  return {
    taskId,
    store,
    read,
    seek,
    drag,
    step(unit, by) {
      const { timeline, seq } = store.getState()
      if (timeline.marks.length > 0) seek(stepFrom(timeline, { seq, unit, by }))
    },
    toStart: () => seek(0),
    toEnd: () => seek(Number.MAX_SAFE_INTEGER),
    play() {
      const { timeline, seq } = store.getState()
      if (seq >= lastSeq(timeline)) moveTo(0)
      restMs = 0
      store.setState({ playing: true })
    },
    pause,
    setSpeed: (speed) => store.setState({ speed }),
    tick(ms) {
      const { timeline, seq, playing, speed } = store.getState()
      if (!playing) return
      const played = playFrom(timeline, { seq, ms: restMs + ms * speed })
      if (played.seq !== seq) moveTo(played.seq)
      restMs = played.restMs
      if (played.ended) pause()
    },
    close: () => controller.abort(),
  }
}
