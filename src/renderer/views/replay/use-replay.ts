import { useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import {
  markAt,
  type ReplayState,
  stateAtSeq,
  type Timeline,
} from '../../../shared/projections/replay/replay-state.ts'
import { replayedItems } from '../../../shared/projections/replay/replayed-items.ts'
import type { TranscriptItem } from '../../../shared/projections/transcript/transcript-items.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { useStores } from '../../store/hooks.ts'
import { followMoments } from '../../store/replay/follow-moments.ts'
import { createReplay, type Replay, type ReplayView } from '../../store/replay/replay-store.ts'
import { lastSeq } from '../../store/replay/steps.ts'
import type { LoadedState } from '../../store/transcript/loaded-transcript.ts'
import type {
  OpenAt,
  TranscriptStore,
  TranscriptView,
} from '../../store/transcript/transcript-store.ts'

/** After a tab was hidden, the replay continues where it was and does not catch up. */
const tickMsMax = 100

/** The replay of a transcript while `open`; null otherwise. The timeline is read on when `entries`, the count, grows. */
export function useReplay(props: {
  taskId: TaskId
  open: boolean
  at: OpenAt
  entries: number
}): Replay | null {
  const { taskId, open, at, entries } = props
  const { client } = useStores()
  const [replay, setReplay] = useState<Replay | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `at` is only the first moment; later `seek` moves it
  useEffect(() => {
    if (!open) return
    const opened = createReplay({ client, taskId, at })
    setReplay(opened)
    return () => {
      opened.close()
      setReplay(null)
    }
  }, [client, taskId, open])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a transcript that has grown is read on
  useEffect(() => {
    void replay?.read()
  }, [replay, entries])
  return replay
}

interface Moment {
  view: ReplayView
  /** The index of its mark; -1: before the first one. */
  at: number
  state: ReplayState
  /** At the end of the transcript. */
  end: ReplayState
}

export function useMoment(replay: Replay): Moment {
  const view = useStore(replay.store)
  const { timeline, seq } = view
  const end = useMemo(() => stateAtSeq(timeline, lastSeq(timeline)), [timeline])
  return useMemo(
    () => ({ view, at: markAt(timeline, seq), state: stateAtSeq(timeline, seq), end }),
    [view, timeline, seq, end],
  )
}

/**
 * Scrolls the transcript to the replayed moment, and returns its items up to then. `through`: the last entry that is
 * shown; null if all are. Until the entries of a new moment are loaded, those of the one before are shown.
 */
export function useFollowed(
  replay: Replay | null,
  transcript: TranscriptStore,
  view: TranscriptView,
): { items: TranscriptItem[]; through: number | null } {
  const { items } = view
  const [seq, setSeq] = useState<number | null>(null)
  useEffect(() => {
    if (!replay) return setSeq(null)
    const shownSeq = ({ timeline, seq }: ReplayView) =>
      // At the end everything is shown, including entries without a mark and the turn that is being written.
      isAtEnd(timeline, seq) ? null : seq
    setSeq(shownSeq(replay.store.getState()))
    return followMoments(replay, (view, moved) => {
      setSeq(shownSeq(view))
      // A timeline that grows does not scroll the transcript.
      if (moved) void transcript.goTo(view.seq, { focus: false, pointOut: false })
    })
  }, [replay, transcript])
  const through = useRef(seq)
  if (seq === null || isLoaded(view, seq)) through.current = seq
  const shownSeq = through.current
  return useMemo(
    () => ({
      items: shownSeq === null ? items : replayedItems(items, shownSeq),
      through: shownSeq,
    }),
    [items, shownSeq],
  )
}

const isLoaded = ({ firstSeq, lastSeq, hasOlder, hasNewer }: LoadedState, seq: number): boolean =>
  (seq >= firstSeq || !hasOlder) && (seq <= lastSeq || !hasNewer)

const isAtEnd = (timeline: Timeline, seq: number): boolean =>
  timeline.marks.length === 0 || seq >= lastSeq(timeline)

/** Advances a playing replay with each animation frame. */
export function usePlaying(replay: Replay): void {
  const playing = useStore(replay.store, (view) => view.playing)
  useEffect(() => {
    if (!playing) return
    let before = performance.now()
    let frame = requestAnimationFrame(function next(now) {
      replay.tick(Math.min(Math.max(0, now - before), tickMsMax))
      before = now
      frame = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(frame)
  }, [replay, playing])
}

/** Calls `onMoment` once the reader stays at a moment. */
export function useMomentSettled(replay: Replay | null, onMoment: (seq: number) => void): void {
  const latest = useRef(onMoment)
  latest.current = onMoment
  useEffect(() => {
    if (!replay) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const unsubscribe = replay.store.subscribe(({ seq, playing, timeline }, before) => {
      if ((seq === before.seq && playing === before.playing) || timeline !== before.timeline) return
      clearTimeout(timer)
      if (!playing) timer = setTimeout(() => latest.current(seq), settledMs)
    })
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }, [replay])
}

/** The address changes only after a pause, because browsers limit how often it may change. */
const settledMs = 300
